/**
 * The recorded decisions about tool results: which string stands for which result, for ever.
 *
 * On disk `<state>/decisions/YYYY-MM-DD.jsonl`, one record a line, append-only, written before the decision is first
 * used. The day is the day the call began (UTC). That, the call id, the tool and the length of the text are what a
 * result is known by: they survive a restart and a fork, which gives messages and parts new ids, and tell apart the
 * calls of providers that use call ids again. Of two records for one result the first counts.
 *
 * The files may be deleted at any time: results are then judged anew.
 */
import { formatCorruptLines, type JsonLines, readJsonLines } from "../record/json-lines.js";
import type { Log } from "../record/log.js";
import type { Files } from "../seams/files.js";
import { readResultText, type ToolPart } from "./message.js";

export interface Decision {
  v: 1;
  /** The result, as `readDecisionKey` gives it. */
  key: string;
  /** The session it was made in, or, in a `used` record, one that took it over with a fork. */
  session: string;
  layer: string;
  outcome: "kept" | "replaced" | "used";
  /** What stands in the place of the result; only with `replaced`. */
  text?: string;
  /** Absolute path of the file that holds the whole result; not with `kept`. */
  file?: string;
}

/** What a result is known by: the day its call began, and the rest. */
export interface DecisionKey {
  day: number;
  key: string;
}

export interface Decisions {
  /** Makes sure that all records of these days are known. Cheap when they are. */
  load(days: Iterable<number>): Promise<void>;
  /** Takes in what other instances have written since, for days that are loaded. */
  refresh(days: Iterable<number>): Promise<void>;
  find(key: string): Decision | undefined;
  /** On disk first, all of one day in one step, then known. Throws when that fails, and then none is known. */
  record(day: number, decisions: readonly Decision[]): Promise<void>;
  /** Known to this instance only: for what has been sent already and cannot be written down. */
  remember(decision: Decision): void;
  /** Days of which there are records, oldest first. */
  days(): Promise<number[]>;
  /** All records of a day, `used` ones too, without taking them in. */
  read(day: number): Promise<Decision[]>;
  /** Deletes the records of a day. */
  forget(day: number): Promise<void>;
}

const DAY_MS = 86_400_000;

/** `undefined` for a call whose beginning the host does not tell, or that has no text to replace. */
export function readDecisionKey(part: ToolPart): DecisionKey | undefined {
  const start = part.state.time?.start;
  const text = readResultText(part);
  if (start === undefined || text === undefined) return undefined;
  return { day: Math.floor(start / DAY_MS), key: `${start} ${part.tool} ${part.callID} ${text.length}` };
}

/** `2026-11-21.jsonl` for the day's number. */
export function formatDayFile(day: number): string {
  return `${new Date(day * DAY_MS).toISOString().slice(0, 10)}.jsonl`;
}

function parseDayFile(name: string): number | undefined {
  const date = /^(\d{4}-\d{2}-\d{2})\.jsonl$/.exec(name)?.[1];
  const timeMs = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(timeMs) ? undefined : timeMs / DAY_MS;
}

export interface DecisionsOptions {
  files: Files;
  log: Log;
  /** Where the records are. */
  folder: string;
  /** Where every file that a decision names must be; others were made before the project was moved and do not count. */
  project: string;
}

export function createDecisions({ files, log, folder, project }: DecisionsOptions): Decisions {
  const known = new Map<string, Decision>();
  /** Size of each day's file as far as it is known here. */
  const loadedBytes = new Map<number, number>();
  const loading = new Map<number, Promise<void>>();
  const reported = new Map<number, number>();
  const pathOf = (day: number): string => `${folder}/${formatDayFile(day)}`;

  return {
    async load(days) {
      await Promise.all([...new Set(days)].filter((day) => !loadedBytes.has(day)).map(loadOnce));
    },

    async refresh(days) {
      await Promise.all(
        [...new Set(days)].map(async (day) => {
          const bytes = (await files.stat(pathOf(day)))?.bytes ?? 0;
          if (bytes !== loadedBytes.get(day)) await loadOnce(day);
        }),
      );
    },

    find: (key) => known.get(key),

    async record(day, decisions) {
      const lines = decisions.map((decision) => JSON.stringify(decision)).join("\n");
      await files.appendLine(pathOf(day), lines);
      loadedBytes.set(day, (loadedBytes.get(day) ?? 0) + Buffer.byteLength(lines) + 1);
      for (const decision of decisions) if (decision.outcome !== "used") known.set(decision.key, decision);
    },

    remember(decision) {
      known.set(decision.key, decision);
    },

    async days() {
      const names = await files.list(folder);
      return names.map(parseDayFile).filter((day) => day !== undefined);
    },

    async read(day) {
      return (await readDay(day)).records;
    },

    async forget(day) {
      await files.remove(pathOf(day));
    },
  };

  /** Two requests that need the same day wait for one reading. */
  function loadOnce(day: number): Promise<void> {
    const running = loading.get(day) ?? loadDay(day).finally(() => loading.delete(day));
    loading.set(day, running);
    return running;
  }

  async function loadDay(day: number): Promise<void> {
    const { records, bytes } = await readDay(day);
    for (const record of records) {
      const isElsewhere = record.file !== undefined && !record.file.startsWith(project);
      if (record.outcome !== "used" && !isElsewhere && !known.has(record.key)) known.set(record.key, record);
    }
    loadedBytes.set(day, bytes);
  }

  async function readDay(day: number): Promise<JsonLines<Decision>> {
    const content = await readJsonLines(files, pathOf(day), parseDecision);
    const { corruptLines } = content;
    if (corruptLines.length > (reported.get(day) ?? 0)) {
      reported.set(day, corruptLines.length);
      const lines = formatCorruptLines(corruptLines);
      log.warn("decisions", `${pathOf(day)}: ${lines} cannot be read; the results meant are judged anew`);
    }
    return content;
  }
}

/** The record, or `undefined` when the value is not one. */
export function parseDecision(value: unknown): Decision | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const decision = value as Partial<Decision>;
  if (decision.v !== 1 || typeof decision.key !== "string" || typeof decision.session !== "string")
    return undefined;
  if (typeof decision.layer !== "string") return undefined;
  if (decision.outcome === "kept" || decision.outcome === "used") return decision as Decision;
  const hasText = typeof decision.text === "string" && decision.text !== "";
  const isReplacement = decision.outcome === "replaced" && hasText && typeof decision.file === "string";
  return isReplacement ? (decision as Decision) : undefined;
}
