import { formatError } from "../base/error.js";
import type { FileStat, Files } from "./files.js";
import type { Log } from "./log.js";

/**
 * What other processes may have changed since the last request, looked at once for all layers, and ahead: the host goes
 * on while the disk answers. In a busy host each further wait would cost the turn milliseconds.
 *
 *     a message arrives   look at what was asked about since the last one
 *     a tool ends         look at what the last request asked about
 *     a request           its layers get what was seen then; without such a sign they look now
 */
export type Looks = ReturnType<typeof createLooks>;

export function createLooks(files: Pick<Files, "stat">, log: Pick<Log, "warn">) {
  let seen = new Map<string, Promise<FileStat | undefined>>();
  /** Paths that were asked about. */
  let inRequest = new Set<string>();
  let inTurn = new Set<string>();
  let isAhead = false;

  return {
    /** A request may follow soon. What was seen before counts no more. */
    begin(sign: "message" | "tool"): void {
      isAhead = true;
      look(sign === "message" ? inTurn : inRequest);
      if (sign === "message") inTurn = new Set();
    },

    /** A request is here. */
    open(): void {
      if (!isAhead) look(inRequest);
      isAhead = false;
      inRequest = new Set();
    },

    /** The file as it was then. Rejects with the system's error. */
    stat(path: string): Promise<FileStat | undefined> {
      inRequest.add(path);
      inTurn.add(path);
      return lookAt(path);
    },
  };

  function look(paths: Iterable<string>): void {
    seen = new Map();
    // Whoever asks hears of a failure too, but perhaps nobody does.
    for (const path of paths)
      lookAt(path).catch((thrown) => log.warn("looks", `cannot look at ${path}: ${formatError(thrown)}`));
  }

  function lookAt(path: string): Promise<FileStat | undefined> {
    const found = seen.get(path) ?? files.stat(path);
    seen.set(path, found);
    return found;
  }
}
