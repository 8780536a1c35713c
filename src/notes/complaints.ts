import { formatError } from "../base/error.js";
import type { Log } from "../io/log.js";

/** The last complaint about each thing is logged once. */
export interface Complaints {
  say(about: string, message: string): void;
  /** What was complained about works again. */
  forget(about: string): void;
  /** Keeps the notes' promise that no call rejects: a failure is logged and answered with `otherwise`. */
  guard<T>(sessionID: string, otherwise: T, run: () => Promise<T>): Promise<T>;
}

export function createComplaints(log: Log): Complaints {
  const said = new Map<string, string>();

  return {
    say,
    forget: (about) => void said.delete(about),

    async guard(sessionID, otherwise, run) {
      try {
        return await run();
      } catch (thrown) {
        say(sessionID, `the notes of ${sessionID}, tried again later: ${formatError(thrown)}`);
        return otherwise;
      }
    },
  };

  function say(about: string, message: string): void {
    if (said.get(about) !== message) log.warn("notes", message);
    said.set(about, message);
  }
}
