/**
 * Which sessions ran on this machine, in this project, one ID per line in the machine's record. A repository may contain
 * notes of other sessions, which are not the user's words.
 */
import { formatError } from "../error.js";
import type { Log } from "../record/log.js";
import { type Clock, waitAtMost } from "../seams/clock.js";
import { type Files, readText } from "../seams/files.js";
import type { ProjectRecord } from "./record.js";

/** No call rejects. */
export interface SeenSessions {
  /** Records, once, that this session runs here. */
  note(sessionID: string): Promise<void>;
  /** Returns the sessions that ran here; those that the record does not tell in time count as not run here. */
  filter(sessionIDs: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface SeenSessionsOptions {
  clock: Clock;
  files: Files;
  log: Log;
  /** Rejects with the system's error. */
  locateRecord(): Promise<ProjectRecord>;
}

/** Well below the time that a turn waits for its notes. */
const WITHIN_MS = 500;

export function createSeenSessions({ clock, files, locateRecord, log }: SeenSessionsOptions): SeenSessions {
  const known = new Set<string>();
  let readBytes = 0;
  let hasFailed = false;

  return {
    async note(sessionID) {
      if (known.has(sessionID)) return;
      known.add(sessionID);
      await guard(async () => files.appendLine((await locateRecord()).sessions, sessionID));
    },

    async filter(sessionIDs) {
      if (sessionIDs.some((id) => !known.has(id))) await waitAtMost(clock, WITHIN_MS, () => guard(read));
      return new Set(sessionIDs.filter((id) => known.has(id)));
    },
  };

  async function read(): Promise<void> {
    const { sessions } = await locateRecord();
    const bytes = (await files.stat(sessions))?.bytes ?? 0;
    if (bytes === readBytes) return;
    const text = (await readText(files, sessions)) ?? "";
    for (const id of text.split("\n")) if (id !== "") known.add(id);
    readBytes = bytes;
  }

  async function guard(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (thrown) {
      if (!hasFailed)
        log.warn("owner", `cannot record which sessions ran on this machine: ${formatError(thrown)}`);
      hasFailed = true;
    }
  }
}
