/**
 * The recorded decisions about tool results: which string stands for which result, for ever.
 *
 * On disk `<state>/decisions/YYYY-MM-DD.jsonl`, append-only. A line is what was decided at a time, so that it is there
 * as a whole or not at all, and it is written before it is first used. The day is the day the call began (UTC). That,
 * the tool, the call id, and length and borders of the text are what a result is known by: they survive a restart and
 * a fork, which gives messages and parts new ids, and tell apart the calls of providers that use call ids again. Of
 * two decisions about one result the first counts, on disk as in memory.
 *
 * The files may be deleted at any time: results are then judged anew.
 */
import { dirname } from "node:path";
import { formatCorruption, type JsonLines, readJsonLines } from "../record/json-lines.js";
import type { Log } from "../record/log.js";
import { DAY_MS } from "../seams/clock.js";
import type { Files } from "../seams/files.js";
import { type DecisionBatch, parseDecisionBatch } from "./decision-batch.js";
import { readResultText, type ToolPart } from "./message.js";

export interface Decision {
  /** The result, as `readDecisionKey` gives it. */
  key: string;
  /** `used`: a fork took over a replacement that was decided in another session. */
  outcome: "kept" | "replaced" | "used";
  /** What stands in the place of the result; only with `replaced`. */
  text?: string;
  /** Absolute path of the file that holds the result; not with `kept`. */
  file?: string;
}

/** A decision as it is known: with the session it was made in. */
export interface KnownDecision extends Decision {
  session: string;
}

/** What a result is known by: the day its call began, and the rest. */
export interface DecisionKey {
  day: number;
  key: string;
}

export interface Decisions {
  /** Reads the records of these days unless they are known, and what others have added to those of `again`. */
  load(days: Iterable<number>, again?: Iterable<number>): Promise<void>;
  isLoaded(day: number): boolean;
  find(key: string): KnownDecision | undefined;
  /** Has this session noted that it uses the file? */
  isUsing(session: string, file: string): boolean;
  /** On disk first, then known. Throws when that fails, and then none is known. */
  record(day: number, batch: Omit<DecisionBatch, "v">): Promise<void>;
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
  files: Files;
  log: Log;
  /** Where the records are. */
  folder: string;
  /** Where every file that a decision names must be; others were made before the project was moved and do not count. */
  resultsFolder: string;
}

/** Characters at each end of a text that tell it from another of the same length. */
const BORDER = 64;

/** `undefined` for a call whose beginning the host does not tell, or that has no text to replace. */
export function readDecisionKey(part: ToolPart): DecisionKey | undefined {
  const start = part.state.time?.start;
  const text = readResultText(part);
  if (start === undefined || text === undefined) return undefined;
  const borders = hash(text.slice(0, BORDER) + text.slice(-BORDER));
  return {
    day: Math.floor(start / DAY_MS),
    key: `${start} ${part.tool} ${part.callID} ${text.length} ${borders}`,
  };
}

/** FNV-1a of the UTF-16 units, 32 bits: quick, and enough to tell two results of one millisecond apart. */
function hash(text: string): string {
  let sum = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193);
  return (sum >>> 0).toString(36);
}

export function createDecisions({ files, log, folder, resultsFolder }: DecisionsOptions): Decisions {
  const known = new Map<string, KnownDecision>();
  const uses = new Set<string>();
  /** Size of each day's file as far as it is known here. */
  const loadedBytes = new Map<number, number>();
  const loading = new Map<number, Promise<void>>();
  const reported = new Map<number, number>();
  const pathOf = (day: number): string => `${folder}/${formatDayFile(day)}`;

  return {
    async load(days, again = []) {
      const missing = [...new Set(days)].filter((day) => !loadedBytes.has(day));
      const grown = [...new Set(again)].map(async (day) => {
        const bytes = (await files.stat(pathOf(day)))?.bytes ?? 0;
        if (bytes !== loadedBytes.get(day)) await loadOnce(day);
      });
      await Promise.all([...missing.map(loadOnce), ...grown]);
    },

    isLoaded: (day) => loadedBytes.has(day),
    find: (key) => known.get(key),
    isUsing: (session, file) => uses.has(`${session} ${file}`),

    async record(day, batch) {
      const line = JSON.stringify({ v: 1, ...batch } satisfies DecisionBatch);
      await files.appendLine(pathOf(day), line);
      loadedBytes.set(day, (loadedBytes.get(day) ?? 0) + Buffer.byteLength(line) + 1);
      for (const decision of batch.decisions) learn({ ...decision, session: batch.session });
    },

    remember: (session, decision) => learn({ ...decision, session }),

    async days() {
      const names = await files.list(folder);
      return names.map(parseDayFile).filter((day) => day !== undefined);
    },

    async read(day) {
      return (await readDay(day)).records.flatMap(spread);
    },

    async forget(day) {
      await files.remove(pathOf(day));
    },
  };

  function learn(decision: KnownDecision): void {
    if (decision.outcome === "used") uses.add(`${decision.session} ${decision.file}`);
    else if (!known.has(decision.key)) known.set(decision.key, decision);
  }

  /** Two requests that need the same day wait for one reading. */
  function loadOnce(day: number): Promise<void> {
    const running = loading.get(day) ?? loadDay(day).finally(() => loading.delete(day));
    loading.set(day, running);
    return running;
  }

  async function loadDay(day: number): Promise<void> {
    const { records, bytes } = await readDay(day);
    for (const decision of records.flatMap(spread)) {
      if (decision.file === undefined || dirname(decision.file) === resultsFolder) learn(decision);
    }
    loadedBytes.set(day, bytes);
  }

  async function readDay(day: number): Promise<JsonLines<DecisionBatch>> {
    const content = await readJsonLines(files, pathOf(day), parseDecisionBatch);
    const { corruptLines } = content;
    if (corruptLines.length > (reported.get(day) ?? 0)) {
      reported.set(day, corruptLines.length);
      log.warn(
        "decisions",
        `${formatCorruption(pathOf(day), corruptLines)}; the results meant are judged anew`,
      );
    }
    return content;
  }
}

const spread = ({ session, decisions }: DecisionBatch): KnownDecision[] =>
  decisions.map((decision) => ({ ...decision, session }));

/** `2026-11-21.jsonl` for the day's number. */
function formatDayFile(day: number): string {
  return `${new Date(day * DAY_MS).toISOString().slice(0, 10)}.jsonl`;
}

function parseDayFile(name: string): number | undefined {
  const date = /^(\d{4}-\d{2}-\d{2})\.jsonl$/.exec(name)?.[1];
  const timeMs = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(timeMs) ? undefined : timeMs / DAY_MS;
}
