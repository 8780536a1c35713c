/**
 * Where a command prints: to two streams, which may be terminals, pipes, or closed by whoever has read enough. Nothing
 * that stands in a file of the project steers them.
 */
import { toPrintable } from "../printable.js";
import type { Surroundings } from "./command.js";
import { CLEARED } from "./progress.js";

/** As much of a stream as is used here. */
export interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/**
 * A reader who has seen enough, as `head` has, is no failure, and no reason to leave work half-done: what is printed
 * afterwards goes nowhere, and the command ends as it would have.
 */
export function createTerminal(stdout: Output, stderr: Output): Pick<Surroundings, "say" | "warn" | "draw"> {
  const closed = new Set<Output>();
  for (const stream of [stdout, stderr])
    stream.on("error", (error) => {
      if (error.code !== "EPIPE") throw error;
      closed.add(stream);
    });
  let isDrawn = false;
  const write = (stream: Output, text: string): void => {
    if (!closed.has(stream)) stream.write(text);
  };
  /** What is drawn on the line goes before anything is printed. */
  const print = (stream: Output, text: string): void => {
    if (isDrawn) write(stderr, CLEARED);
    isDrawn = false;
    write(stream, `${text}\n`);
  };
  const draw = (text: string): void => {
    isDrawn = text !== CLEARED;
    write(stderr, text);
  };
  return {
    // Colours are chosen for standard output, and the other one may go into a file.
    say: (text) => print(stdout, toPrintable(text, { withStyles: stdout.isTTY === true })),
    warn: (text) => print(stderr, toPrintable(text, { withStyles: stderr.isTTY === true })),
    ...(stderr.isTTY === true && { draw }),
  };
}
