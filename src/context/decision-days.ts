/** The records of decisions on disk, a file for each day, and how far each is known here. */
import { dirname } from "node:path";
import { DAY_MS } from "../base/days.js";
import type { Files } from "../io/files.js";
import { createDayLog } from "../io/json-lines.js";
import type { Log } from "../io/log.js";
import { type Decision, type DecisionBatch, findLost, parseDecisionBatch } from "./decision-batch.js";
import type { KnownDecisions } from "./known-decisions.js";

/** Days are counted since 1970. Every call rejects with the system's error. */
export interface DecisionDays {
  isLoaded(day: number): boolean;
  /** Reads the day into what is known, unless its file is as it was last read or written here. */
  loadIfGrown(day: number): Promise<void>;
  write(day: number, batch: DecisionBatch): Promise<void>;
  /** Those with a file, oldest first. */
  days(): Promise<number[]>;
  read(day: number): Promise<DecisionBatch[]>;
  remove(day: number): Promise<void>;
}

export interface DecisionDaysOptions {
  files: Files;
  log: Log;
  folder: string;
  known: Pick<KnownDecisions, "linesOf" | "takeDay">;
  /** Decisions that name a file elsewhere do not count. */
  resultsFolder: string;
}

export function createDecisionDays(options: DecisionDaysOptions): DecisionDays {
  const { files, folder, known, log, resultsFolder } = options;
  /** Size of each day's file as far as it is known here. */
  const loadedBytes = new Map<number, number>();
  const loading = new Map<number, Promise<void>>();
  const complain = { log, source: "decisions", loss: "the results meant are judged anew" };
  const dayLog = createDayLog({ files, folder, parse: parseDecisionBatch, complain });
  const pathOf = (day: number): string => dayLog.pathOf(day * DAY_MS);

  return {
    isLoaded: (day) => loadedBytes.has(day),

    async loadIfGrown(day) {
      if ((await readBytes(day)) !== loadedBytes.get(day)) await loadOnce(day);
    },

    async write(day, batch) {
      const before = loadedBytes.get(day) ?? 0;
      if (before > 0 && (await readBytes(day)) < before) await loadOnce(day);
      const bytes = await dayLog.append(day * DAY_MS, [batch]);
      const loaded = loadedBytes.get(day);
      if (loaded !== undefined) loadedBytes.set(day, loaded + bytes);
    },

    days: async () => (await dayLog.days()).map((timeMs) => timeMs / DAY_MS),
    read: async (day) => (await dayLog.read(day * DAY_MS)).records,

    async remove(day) {
      await files.remove(pathOf(day));
      loadedBytes.delete(day);
    },
  };

  async function readBytes(day: number): Promise<number> {
    return (await files.stat(pathOf(day)))?.bytes ?? 0;
  }

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
