/** Candidates and dropped ones on disk. One process changes them at a time, under a lock. */

import type { Files } from "../../io/files.js";
import type { HeldLock, Locks } from "../../io/locks.js";
import type { Log } from "../../io/log.js";
import type { ProjectRecord } from "../../project/record.js";
import type { WaitingCandidate } from "./candidate.js";
import { openCandidateFiles } from "./candidate-file.js";
import type { Dropped } from "./plan-candidates.js";

/** Every call rejects with the system's error, `change` also with ELOCKED. */
export interface StoredCandidates {
  read(): Promise<{ waiting: readonly WaitingCandidate[]; dropped: readonly Dropped[] }>;
  /** Stores the plan's `next`, if it is another list. */
  change<T>(plan: (held: HeldCandidates) => Promise<Changed<T>>): Promise<T>;
}

export interface HeldCandidates {
  waiting: readonly WaitingCandidate[];
  readDropped(): Promise<readonly Dropped[]>;
  writeDropped(dropped: readonly Dropped[]): Promise<void>;
}

export interface Changed<T> {
  next: readonly WaitingCandidate[];
  result: T;
}

/** With the record's paths, under its lock. */
export type WithRecord = <T>(change: (record: ProjectRecord) => Promise<T>) => Promise<T>;

export interface StoredCandidatesOptions {
  files: Files;
  locks: Locks;
  log: Pick<Log, "warn">;
  locateRecord(): Promise<ProjectRecord>;
}

export function openStoredCandidates(options: StoredCandidatesOptions): StoredCandidates {
  const { locateRecord, locks } = options;
  const { dropped, waiting } = openCandidateFiles(options);

  return {
    async read() {
      const record = await locateRecord();
      return {
        waiting: await waiting.read(record.candidates),
        dropped: await dropped.read(record.dropped),
      };
    },

    async change(plan) {
      const record = await locateRecord();
      return locks.withLock(record.candidatesLock, async (lock) => {
        const known = await waiting.readToWrite(record.candidates);
        const { next, result } = await plan({ waiting: known, ...holdDropped(record, lock) });
        if (next === known) return result;
        await lock.check();
        await waiting.write(record.candidates, next);
        return result;
      });
    },
  };

  function holdDropped(record: ProjectRecord, lock: HeldLock): Omit<HeldCandidates, "waiting"> {
    return {
      readDropped: () => dropped.readToWrite(record.dropped),
      async writeDropped(list) {
        await lock.check();
        await dropped.write(record.dropped, list);
      },
    };
  }
}
