/**
 * The recorded decisions: which string stands for which result or message, for ever.
 *
 * On disk `<state>/decisions/YYYY-MM-DD.jsonl`, append-only. A line is what was decided at a time, so that it is there
 * as a whole or not at all, and it is written before it is first used. The day is the day (UTC) on which the call or
 * message began; it and the key survive a restart and a fork. A result can first be judged (kept or replaced), then
 * extended, then cleared; of two decisions of one kind about the same the first counts, on disk as in memory.
 *
 * A line can take so long that its request goes without it. Then another line says that it came too late, and what it
 * says counts nowhere: what was sent in one form stays in that form.
 *
 * The files may be deleted at any time. Who runs then writes down again what it knows of them; otherwise what is sent
 * is decided anew.
 */

import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { Log } from "../io/log.js";
import type { DecisionKey } from "../messages/keys.js";
import { type Decision, type DecisionBatch, withoutLate } from "./decision-batch.js";
import { createDecisionDays } from "./decision-days.js";
import type { KnownDecision, Standing } from "./known-decision.js";
import { createKnownDecisions } from "./known-decisions.js";

/** A decision and the day in whose records it belongs. */
export interface DatedDecision extends Decision {
  day: number;
}

export interface Decisions {
  /** Reads the records of days that are not known; with `again` also what other instances have added to the rest. */
  load(days: Iterable<number>, options?: { again?: boolean }): Promise<void>;
  isLoaded(day: number): boolean;
  /**
   * From now on only the session's own decisions are added to those that count for it: what others decide about
   * results they share does not change what it has sent. On disk when it resolves; throws when that fails. Whether
   * the session had begun on one of these days before.
   */
  begin(session: string, days: Iterable<number>): Promise<boolean>;
  /** What counts for this session; with a time, only what was decided by then. */
  find(key: string, session: string, byMs?: number): Standing | undefined;
  /** Rises with every change of what `find` returns. */
  version(): number;
  /** What is pinned for the session, of the days that are loaded. */
  pinned(session: string): KnownDecision[];
  /** Has this session noted that it uses the file? */
  isUsing(session: string, file: string): boolean;
  /**
   * On disk first, then known. Throws when that fails; then what is on disk of it is known. Throws also when the signal
   * is aborted by then: the request has gone without them, so that they never count, here or where the disk is read.
   */
  record(
    session: string,
    layer: string,
    decisions: readonly DatedDecision[],
    signal?: AbortSignal,
  ): Promise<void>;
  /** Known to this instance only: for what has been sent already and is not written down. */
  remember(session: string, decision: Decision): void;
  /** Days of which there are records, oldest first. */
  days(): Promise<number[]>;
  /** All records of a day, without taking them in. */
  read(day: number): Promise<KnownDecision[]>;
  /** Deletes the records of a day. */
  forget(day: number): Promise<void>;
}

export interface DecisionsOptions {
  clock: Clock;
  files: Files;
  log: Log;
  /** Where the records are. */
  folder: string;
  /** Where every file that a decision names must be; others were made before the project was moved and do not count. */
  resultsFolder: string;
}

export function createDecisions({ clock, files, log, folder, resultsFolder }: DecisionsOptions): Decisions {
  const known = createKnownDecisions();
  const onDisk = createDecisionDays({ files, folder, known, log, resultsFolder });

  return {
    async load(days, { again = false } = {}) {
      const unknown = [...new Set(days)].filter((day) => again || !onDisk.isLoaded(day));
      if (unknown.length > 0) await Promise.all(unknown.map(onDisk.loadIfGrown));
    },

    isLoaded: onDisk.isLoaded,
    find: known.find,
    version: known.version,
    isUsing: known.isUsing,
    pinned: known.pinned,

    async begin(session, days) {
      const open = [...days].filter((day) => !known.hasBegun(session, day));
      const hadBegun = open.length < new Set(days).size;
      for (const day of open) await append(day, { v: 1, session, layer: "view", decisions: [] });
      // Another instance may have decided something since these days were read.
      await Promise.all(open.map(onDisk.loadIfGrown));
      return hadBegun;
    },

    async record(session, layer, decisions, signal) {
      const at = clock.now();
      const written: [day: number, batch: DecisionBatch][] = [];
      try {
        for (const day of new Set(decisions.map((decision) => decision.day))) {
          signal?.throwIfAborted();
          const ofDay = decisions.filter((decision) => decision.day === day).map(withoutDay);
          const batch: DecisionBatch = { v: 1, session, layer, at, decisions: ofDay };
          await onDisk.write(day, batch);
          written.push([day, batch]);
        }
        signal?.throwIfAborted();
      } finally {
        const isLate = signal?.aborted === true;
        for (const [day, batch] of written) {
          known.takeLine(day, batch);
          // Taken in at once: nothing may find a decision that came too late, whether or not that can be written.
          if (isLate) known.takeLine(day, { ...batch, late: true });
        }
        if (isLate) for (const [day, batch] of written) await onDisk.write(day, { ...batch, late: true });
      }
    },

    remember: (session, decision) => known.remember({ ...decision, session, layer: "view", at: clock.now() }),

    days: onDisk.days,

    async read(day) {
      return withoutLate(await onDisk.read(day)).flatMap(spread);
    },

    async forget(day) {
      await onDisk.remove(day);
      known.forgetLines(day);
    },
  };

  async function append(day: number, batch: DecisionBatch): Promise<void> {
    await onDisk.write(day, batch);
    known.takeLine(day, batch);
  }
}

const spread = ({ at = 0, session, layer, decisions }: DecisionBatch): KnownDecision[] =>
  decisions.map((decision) => ({ ...decision, session, layer, at }));

const withoutDay = ({ day: _, ...decision }: DatedDecision): Decision => decision;

/** The decision about what has this key. */
export function decide({ day, key }: DecisionKey, decision: Omit<Decision, "key">): DatedDecision {
  return { day, key, ...decision };
}
