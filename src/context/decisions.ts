/**
 * The recorded decisions: which string stands for which result or message, for ever.
 *
 * On disk `<state>/decisions/YYYY-MM-DD.jsonl`, append-only. A line is what was decided at a time, so that it is there
 * as a whole or not at all, and it is written before it is first used. The day is the day (UTC) on which the call or
 * message began; it and the key survive a restart and a fork. A result can first be judged (kept, replaced or shrunk), then
 * extended, then cleared; of two decisions of one kind about the same the first counts, on disk as in memory.
 *
 * A line can take so long that its request is sent without it. Then another line says that it came too late, and it counts
 * nowhere: what was sent in one form stays in that form.
 *
 * The files may be deleted at any time. A running instance writes again what it knows of them; what none knows is
 * decided anew.
 */
import { dirname } from "node:path";
import { DAY_MS } from "../base/days.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import { createDayLog } from "../io/json-lines.js";
import type { Log } from "../io/log.js";
import type { DecisionKey } from "../messages/history.js";
import {
  type Decision,
  type DecisionBatch,
  findLost,
  parseDecisionBatch,
  withoutLate,
} from "./decision-batch.js";
import { createKnownDecisions, type KnownDecisions } from "./known-decisions.js";
import type { KnownDecision } from "./replay.js";

/** A decision and the day in whose records it belongs. */
export interface DatedDecision extends Decision {
  day: number;
}

interface DecisionsOptions {
  clock: Clock;
  files: Files;
  log: Log;
  /** Where the records are. */
  folder: string;
  /** Where every file that a decision names must be; others were made before the project was moved and do not count. */
  resultsFolder: string;
}

export type Decisions = ReturnType<typeof createDecisions>;

export function createDecisions(options: DecisionsOptions) {
  const { clock, files } = options;
  const known = createKnownDecisions();
  const onDisk = createDecisionDays(options, known);

  return {
    /** Reads the records of days that are not known; with `again` also what other instances have added to the rest. */
    async load(days: Iterable<number>, { again = false, stat = files.stat } = {}): Promise<void> {
      const unknown = [...new Set(days)].filter((day) => again || !onDisk.isLoaded(day));
      if (unknown.length > 0) await Promise.all(unknown.map((day) => onDisk.loadIfGrown(day, stat)));
    },

    isLoaded: onDisk.isLoaded,
    /** What counts for this session; with a time, only what was decided by then. */
    find: known.find,
    version: known.version,
    /** Has this session noted that it uses the file? */
    isUsing: known.isUsing,
    /** What is pinned for the session, of the days that are loaded. */
    pinned: known.pinned,

    /**
     * From now on only the session's own decisions are added to those that count for it: what others decide about results
     * they share does not change what it has sent. On disk when it resolves; throws when that fails. Whether the session
     * had begun on one of these days before.
     */
    async begin(session: string, days: Iterable<number>): Promise<boolean> {
      const open = [...days].filter((day) => !known.hasBegun(session, day));
      const hadBegun = open.length < new Set(days).size;
      for (const day of open) {
        const batch: DecisionBatch = { v: 1, session, layer: "view", decisions: [] };
        await onDisk.write(day, batch);
        known.takeLine(day, batch);
      }
      // Another instance may have decided something since these days were read.
      await Promise.all(open.map((day) => onDisk.loadIfGrown(day)));
      return hadBegun;
    },

    /**
     * On disk first, then known. Throws when that fails; then what is on disk of it is known. Throws also when the signal
     * is aborted by then: the request has gone without them, so that they never count, here or where the disk is read.
     */
    record(session: string, layer: string, decisions: readonly DatedDecision[], signal?: AbortSignal) {
      const batches = planBatches({ v: 1, session, layer, at: clock.now() }, decisions);
      return recordBatches(batches, onDisk, known, signal);
    },

    /** Known to this instance only: for what has been sent already and is not written down. */
    remember: (session: string, decision: Decision): void =>
      known.remember({ ...decision, session, layer: "view", at: clock.now() }),

    /** Days of which there are records, oldest first. */
    days: onDisk.days,

    /** All records of a day, without taking them in. */
    read: async (day: number): Promise<KnownDecision[]> =>
      withoutLate(await onDisk.read(day)).flatMap(({ at = 0, session, layer, decisions }) =>
        decisions.map((decision) => ({ ...decision, session, layer, at })),
      ),

    /** Deletes the records of a day. */
    async forget(day: number): Promise<void> {
      await onDisk.remove(day);
      known.forgetLines(day);
    },
  };
}

type DayBatch = [day: number, batch: DecisionBatch];

function planBatches(line: Omit<DecisionBatch, "decisions">, all: readonly DatedDecision[]): DayBatch[] {
  return [...new Set(all.map(({ day }) => day))].map((day) => {
    const ofDay = all.filter((decision) => decision.day === day);
    return [day, { ...line, decisions: ofDay.map(({ day: _, ...decision }) => decision) }];
  });
}

async function recordBatches(
  batches: readonly DayBatch[],
  onDisk: Pick<ReturnType<typeof createDecisionDays>, "write">,
  known: Pick<KnownDecisions, "takeLine">,
  signal: AbortSignal | undefined,
): Promise<void> {
  const written: DayBatch[] = [];
  try {
    for (const [day, batch] of batches) {
      signal?.throwIfAborted();
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
}

export function decide({ day, key }: DecisionKey, decision: Omit<Decision, "key">): DatedDecision {
  return { day, key, ...decision };
}

/* The records of decisions on disk, a file for each day, and how far each is known here. */

/** Days are counted since 1970. Every call rejects with the system's error. */
function createDecisionDays(
  { files, folder, log, resultsFolder }: DecisionsOptions,
  known: Pick<KnownDecisions, "linesOf" | "takeDay">,
) {
  /** Size of each day's file as far as it is known here. */
  const loadedBytes = new Map<number, number>();
  const loading = new Map<number, Promise<void>>();
  const complain = { log, source: "decisions", loss: "the results meant are judged anew" };
  const dayLog = createDayLog({ files, folder, parse: parseDecisionBatch, complain });
  const pathOf = (day: number): string => dayLog.pathOf(day * DAY_MS);

  return {
    isLoaded: (day: number): boolean => loadedBytes.has(day),

    /** Reads the day into what is known, unless its file is as it was last read or written here. */
    async loadIfGrown(day: number, stat = files.stat): Promise<void> {
      if (((await stat(pathOf(day)))?.bytes ?? 0) !== loadedBytes.get(day)) await loadOnce(day);
    },

    async write(day: number, batch: DecisionBatch): Promise<void> {
      const bytes = await dayLog.append(day * DAY_MS, [batch]);
      const loaded = loadedBytes.get(day);
      if (loaded !== undefined) loadedBytes.set(day, loaded + bytes);
    },

    days: async (): Promise<number[]> => (await dayLog.days()).map((timeMs) => timeMs / DAY_MS),
    read: async (day: number): Promise<DecisionBatch[]> => (await dayLog.read(day * DAY_MS)).records,

    async remove(day: number): Promise<void> {
      await files.remove(pathOf(day));
      loadedBytes.delete(day);
    },
  };

  /** Two requests that need the same day wait for one read. */
  function loadOnce(day: number): Promise<void> {
    const running = loading.get(day) ?? load(day).finally(() => loading.delete(day));
    loading.set(day, running);
    return running;
  }

  async function load(day: number): Promise<void> {
    // As known before the read: what is written meanwhile is not missing.
    const before = [...known.linesOf(day)];
    const { records, bytes } = await dayLog.read(day * DAY_MS);
    const ofThisPlace = ({ file }: Decision) => file === undefined || dirname(file) === resultsFolder;
    const there = records.map((batch) => ({ ...batch, decisions: batch.decisions.filter(ofThisPlace) }));
    const lost = findLost(before, there);
    const restored = lost.length > 0 ? await restore(day, lost) : 0;
    known.takeDay(day, [...there, ...lost]);
    loadedBytes.set(day, bytes + restored);
  }

  /** The file or a part of it was deleted: the next process has to go by what was sent. */
  async function restore(day: number, lost: readonly DecisionBatch[]): Promise<number> {
    log.info(
      "decisions",
      `${pathOf(day)} lacks ${lost.length} lines that it had: they are written down again`,
    );
    return dayLog.append(day * DAY_MS, lost);
  }
}
