/** Reads the savings ledger, and sums it by request, session and day. */
import { basename, join } from "node:path";
import type { Files } from "../io/files.js";
import { formatCorruption, readJsonLines } from "../io/json-lines.js";
import { parseSavingsRecord, type SavingsRecord } from "./savings.js";
import {
  addSums,
  type DaySums,
  findCounted,
  formatLocalDayOf,
  NO_SUMS,
  type Summed,
  type Sums,
  sumLastDay,
  sumRecords,
  sumUp,
} from "./sums.js";

export interface RequestFigures {
  /** Tokens, counted by the provider. */
  sent: number;
  /** Tokens that it would have had in addition; an estimate. */
  keptOut: number;
}

export interface SessionFigures extends Summed {
  sessionID: string;
  title?: string;
  /** ISO 8601. */
  lastUsed: string;
  requests: readonly RequestFigures[];
  /** Numbers, from 1, of the first requests after history was replaced. */
  replacements: readonly number[];
}

export interface DayFigures extends Summed {
  /** YYYY-MM-DD, local time. */
  day: string;
}

export interface Figures extends Summed {
  /** Newest first. */
  sessions: readonly SessionFigures[];
  /** Oldest first, without days that have no records. */
  days: readonly DayFigures[];
}

export interface Ledger {
  /** Records by session, in order. */
  sessions: Map<string, SavingsRecord[]>;
  problems: string[];
}

/** The whole savings ledger. */
export async function readLedger(files: Files, folder: string): Promise<Ledger> {
  const sessions = new Map<string, SavingsRecord[]>();
  const problems: string[] = [];
  for (const name of (await files.list(folder)).filter((file) => file.endsWith(".jsonl"))) {
    const path = join(folder, name);
    const { corruptLines, records } = await readJsonLines(files, path, parseSavingsRecord);
    sessions.set(basename(name, ".jsonl"), records);
    if (corruptLines.length > 0) problems.push(formatCorruption(path, corruptLines));
  }
  return { sessions, problems };
}

/** Pure. */
export function sumFigures(
  ledger: ReadonlyMap<string, readonly SavingsRecord[]>,
  titles: ReadonlyMap<string, string> = new Map(),
): Figures {
  const all = [...ledger.values()].flat();
  const days = new Map<string, SavingsRecord[]>();
  for (const record of all) {
    const day = formatLocalDayOf(record) ?? record.time.slice(0, 10);
    const known = days.get(day);
    if (known) known.push(record);
    else days.set(day, [record]);
  }
  return {
    ...sumUp(all),
    sessions: [...ledger]
      .map(([sessionID, records]) => describeSession(sessionID, records, titles.get(sessionID)))
      .sort((a, b) => b.lastUsed.localeCompare(a.lastUsed)),
    days: [...days]
      .map(([day, records]) => ({ day, ...sumUp(records) }))
      .sort((a, b) => a.day.localeCompare(b.day)),
  };
}

function describeSession(
  sessionID: string,
  records: readonly SavingsRecord[],
  title: string | undefined,
): SessionFigures {
  const requests: RequestFigures[] = [];
  const replacements = new Set<number>();
  for (const { event, keptOut = 0, results, sent } of findCounted(records)) {
    const isReplacement = (event === "cut" || event === "compacted") && results !== 0;
    if (isReplacement) replacements.add(requests.length + 1);
    if (event === "answer" && sent !== undefined) requests.push({ sent, keptOut });
  }
  return {
    sessionID,
    ...(title !== undefined && { title }),
    lastUsed: records.at(-1)?.time ?? "",
    requests,
    replacements: [...replacements].filter((request) => request <= requests.length),
    ...sumUp(records),
  };
}

/** Mean size of a request, with and without Strata; `undefined` without a request. */
export function findMeanContext(
  sessions: readonly Pick<SessionFigures, "requests">[],
): { now: number; without: number } | undefined {
  const requests = sessions.flatMap((session) => session.requests);
  if (requests.length === 0) return undefined;
  const sum = (count: (request: RequestFigures) => number): number =>
    requests.reduce((total, request) => total + count(request), 0) / requests.length;
  return { now: sum(({ sent }) => sent), without: sum(({ keptOut, sent }) => sent + keptOut) };
}

/** Sums of all ledgers in a folder, each read again only when it has changed. Every call may reject with the system's error. */
export interface LedgerSums<T> {
  refresh(sessionID: string): Promise<void>;
  /** All of them; sessions whose ledger is gone no longer count. */
  refreshAll(): Promise<void>;
  all(): ReadonlyMap<string, T>;
}

/** `sum` adds up the records of one ledger. */
export function createLedgerSums<T>(
  files: Files,
  folder: string,
  sum: (records: readonly SavingsRecord[]) => T,
): LedgerSums<T> {
  const sizes = new Map<string, string>();
  const sums = new Map<string, T>();

  return {
    refresh,
    all: () => sums,

    async refreshAll() {
      const names = (await files.list(folder)).filter((name) => name.endsWith(ENDING));
      const ids = names.map((name) => basename(name, ENDING));
      for (const id of sums.keys()) if (!ids.includes(id)) sums.delete(id);
      // One by one: together they may be hundreds of megabytes.
      for (const id of ids) await refresh(id);
    },
  };

  async function refresh(sessionID: string): Promise<void> {
    const path = join(folder, `${sessionID}${ENDING}`);
    const stat = await files.stat(path);
    const size = `${stat?.bytes} ${stat?.modifiedMs}`;
    if (!stat || (sums.has(sessionID) && sizes.get(sessionID) === size)) return;
    const { records } = await readJsonLines(files, path, parseSavingsRecord);
    sizes.set(sessionID, size);
    sums.set(sessionID, sum(records));
  }
}

const ENDING = ".jsonl";

/** What a session has paid and saved, and that of its last day. */
export interface PaidSums {
  sums: Sums;
  lastDay: DaySums | undefined;
}

export const sumPaid = (records: readonly SavingsRecord[]): PaidSums => ({
  sums: sumRecords(records),
  lastDay: sumLastDay(records),
});

/** Of all sessions: in all, and on this day, as `formatLocalDay` writes it. */
export function addUpPaid(sessions: Iterable<PaidSums>, today: string): { project: Sums; today: Sums } {
  let [project, ofToday] = [NO_SUMS, NO_SUMS];
  for (const { lastDay, sums } of sessions) {
    project = addSums(project, sums);
    if (lastDay?.day === today) ofToday = addSums(ofToday, lastDay);
  }
  return { project, today: ofToday };
}
