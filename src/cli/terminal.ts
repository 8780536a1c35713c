/** Prints to two streams, each a terminal, a pipe or closed. Text from a file cannot send control sequences to them. */
import { toPrintable } from "../base/printable.js";
import type { CliContext } from "../operations/command.js";
import { CLEARED } from "../operations/progress.js";

/** The part of a stream that is used here. */
export interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/**
 * A reader that stops early, such as `head`, is not an error: the command finishes its work, and what it prints after
 * that is dropped.
 */
export function createTerminal(stdout: Output, stderr: Output): Pick<CliContext, "say" | "warn" | "draw"> {
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
  /** Clears a drawn bar before it prints. */
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
    // Styles are chosen for standard output; standard error may be a file all the same.
    say: (text) => print(stdout, toPrintable(text, { withStyles: stdout.isTTY === true })),
    warn: (text) => print(stderr, toPrintable(text, { withStyles: stderr.isTTY === true })),
    ...(stderr.isTTY === true && { draw }),
  };
}
