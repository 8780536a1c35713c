/**
 * Adds up the savings ledger: by request, session and day, and of all sessions piece by piece. A later record about the same
 * result replaces an earlier one.
 */
import { basename, join } from "node:path";
import { formatLocalDay } from "../base/days.js";
import { finite, groupBy } from "../base/shape.js";
import type { Files } from "../io/files.js";
import { formatCorruption, readJsonLines } from "../io/json-lines.js";
import { JUDGING, parseSavingsRecord, roundMoney, type SavingsRecord } from "./savings.js";

/** Sums of records, in tokens unless noted. */
export const NOTHING = {
  /** Number of results moved to files, of those shrunk, and of results cleared. */
  ...{ spilled: 0, shrunk: 0, cleared: 0 },
  /** Number of times that history was cut or compacted. */
  compactions: 0,
  ...{ tokensFreed: 0, cacheLost: 0, backgroundTokens: 0, sent: 0, cached: 0, answered: 0 },
  /** Number of answers, and of answers and summaries. */
  ...{ requests: 0, paid: 0 },
  /** What was saved, in tokens at input price, and the part of it whose models have no price in money. */
  ...{ net: 0, unpriced: 0 },
  /** What judging what is remembered has cost, by the small model and the agent, in tokens at input price. */
  judging: 0,
  /** What was paid for answers, summaries and Strata's own calls, in tokens at input price. */
  cost: 0,
};

export type Totals = typeof NOTHING & {
  /** Dollars that were saved, of the records that have prices; absent if none has. */
  money?: number;
};

export function addTotals(one: Totals, other: Totals): Totals {
  const sum = { ...one };
  for (const name of Object.keys(other) as (keyof Totals)[])
    sum[name] = (sum[name] ?? 0) + (other[name] ?? 0);
  return sum;
}

/** The records that count, in order: of several of one event and key the last. Pure. */
export function findCounted(records: readonly SavingsRecord[]): SavingsRecord[] {
  const last = new Map<unknown, SavingsRecord>();
  for (const record of records) {
    const name = record.key === undefined ? record : `${record.event} ${record.key}`;
    last.delete(name);
    last.set(name, record);
  }
  return [...last.values()];
}

/** Of the records that count, rounded. Pure. */
export function sumRecords(records: readonly SavingsRecord[]): Totals {
  const { money, ...totals } = findCounted(records).map(describe).reduce(addTotals, NOTHING);
  for (const name of Object.keys(totals) as (keyof typeof totals)[]) totals[name] = Math.round(totals[name]);
  return { ...totals, ...(money !== undefined && { money: roundMoney(money) }) };
}

function describe(record: SavingsRecord): Totals {
  const { event, money, reason, results = 1 } = record;
  const read = (name: keyof SavingsRecord): number => (finite(record[name]) ? Number(record[name]) : 0);
  const net = read("net");
  const isAnswer = event === "answer";
  const isPaid = isAnswer || event === "summary";
  const isOwn = event === "background";
  return {
    spilled: event === "spilled" ? results : 0,
    shrunk: event === "shrunk" ? results : 0,
    cleared: event === "cleared" ? results : 0,
    compactions: event === "cut" || event === "compacted" ? results : 0,
    ...{ tokensFreed: read("tokensFreed"), cacheLost: read("cacheLost") },
    ...{ backgroundTokens: read("backgroundTokens"), answered: read("answered") },
    ...{ sent: read("sent"), cached: read("cached"), net },
    requests: isAnswer ? 1 : 0,
    paid: isPaid ? 1 : 0,
    unpriced: money === undefined ? net : 0,
    ...(finite(money) && { money }),
    judging: read("judging") + (isOwn && reason === JUDGING ? -net : 0),
    cost: isPaid ? read("cost") : isOwn ? -net : 0,
  };
}

/** A saving against the bare host. */
export interface Saving {
  /** Part of the bare host's price that was saved; negative if Strata cost more. `undefined` before the first answer. */
  share?: number;
  /** Tokens at input price. */
  tokens: number;
  /** `undefined` if the model has no price in money, or if it comes to nothing. */
  dollars?: number;
  /** Part of `tokens` that `dollars` does not have: of models without a price in money. */
  unpriced?: number;
}

/** Pure. */
export function toSaving({ cost, money = 0, net, paid, unpriced }: Totals): Saving {
  const bare = cost + net;
  return {
    ...(paid > 0 && bare > 0 && { share: net / bare }),
    tokens: net,
    ...(money !== 0 && { dollars: money }),
    ...(money !== 0 && unpriced !== 0 && { unpriced }),
  };
}

/** Part of the prompts that came from the cache, 0 to 1; `undefined` before the first answer. */
export function findCacheShare({ cached, sent }: Pick<Totals, "cached" | "sent">): number | undefined {
  return sent > 0 ? Math.min(1, Math.max(0, cached / sent)) : undefined;
}

/** Tokens that left the context, by the layer that removed them; largest first. Pure. */
export function sumFreed(records: readonly SavingsRecord[]): { layer: string; tokens: number }[] {
  return [...groupBy(records, ({ layer }) => layer)]
    .map(([layer, own]) => ({ layer, tokens: sumRecords(own).tokensFreed }))
    .filter(({ tokens }) => tokens > 0)
    .sort((a, b) => b.tokens - a.tokens);
}

/* The whole ledger, by session and day. */

const ENDING = ".jsonl";

const listSessions = async (files: Files, folder: string): Promise<string[]> =>
  (await files.list(folder)).filter((name) => name.endsWith(ENDING)).map((name) => basename(name, ENDING));

/** `sessions`: the records by session, in order. */
export async function readLedger(files: Files, folder: string) {
  const sessions = new Map<string, SavingsRecord[]>();
  const problems: string[] = [];
  for (const id of await listSessions(files, folder)) {
    const path = join(folder, `${id}${ENDING}`);
    const { corruptLines, records } = await readJsonLines(files, path, parseSavingsRecord);
    sessions.set(id, records);
    if (corruptLines.length > 0) problems.push(formatCorruption(path, corruptLines));
  }
  return { sessions, problems };
}

/** The same records as a saving and as totals. */
const sumUp = (records: readonly SavingsRecord[]) => {
  const totals = sumRecords(records);
  return { saved: toSaving(totals), totals };
};

export type Figures = ReturnType<typeof sumFigures>;

/** `sessions`: newest first. `days`: oldest first, without those that have no records; YYYY-MM-DD, local time. Pure. */
export function sumFigures(
  ledger: ReadonlyMap<string, readonly SavingsRecord[]>,
  titles: ReadonlyMap<string, string> = new Map(),
) {
  const all = [...ledger.values()].flat();
  return {
    ...sumUp(all),
    sessions: [...ledger]
      .map(([sessionID, records]) => describeSession(sessionID, records, titles.get(sessionID)))
      .sort((a, b) => b.lastUsed.localeCompare(a.lastUsed)),
    days: [...groupBy(all, dayOf)]
      .map(([day, records]) => ({ day, ...sumUp(records) }))
      .sort((a, b) => a.day.localeCompare(b.day)),
  };
}

export interface RequestFigures {
  /** Tokens, counted by the provider. */
  sent: number;
  /** Tokens that it would have had in addition; an estimate. */
  keptOut: number;
}

export type SessionFigures = ReturnType<typeof describeSession>;

function describeSession(sessionID: string, records: readonly SavingsRecord[], title: string | undefined) {
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
    /** ISO 8601. */
    lastUsed: records.at(-1)?.time ?? "",
    requests,
    /** Numbers, from 1, of the first requests after history was replaced. */
    replacements: [...replacements].filter((request) => request <= requests.length),
    ...sumUp(records),
  };
}

/** By local time; of a damaged time its beginning. */
function dayOf({ time }: SavingsRecord): string {
  const timeMs = Date.parse(time);
  return Number.isNaN(timeMs) ? time.slice(0, 10) : formatLocalDay(timeMs);
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

/* All ledgers piece by piece, for what goes on running: each is read again only when it has changed. */

/** Reading may reject with the system's error. */
export function createLedgerSums(files: Files, folder: string) {
  /** `lastDay`: that of the last record. */
  const known = new Map<string, { size: string; totals: Totals; lastDay: string; ofLastDay: Totals }>();

  return {
    refresh,
    find: (sessionID: string): Totals => known.get(sessionID)?.totals ?? NOTHING,

    /** All of them; sessions whose ledger is gone no longer count. */
    async refreshAll(): Promise<void> {
      const ids = await listSessions(files, folder);
      for (const id of known.keys()) if (!ids.includes(id)) known.delete(id);
      // One by one: together they may be hundreds of megabytes.
      for (const id of ids) await refresh(id);
    },

    /** Of all sessions: in all, and on this day, as `formatLocalDay` writes it. */
    addUp(day: string): { sessions: number; project: Totals; today: Totals } {
      const all = [...known.values()];
      const ofToday = all.filter(({ lastDay }) => lastDay === day);
      return {
        sessions: all.length,
        project: all.map(({ totals }) => totals).reduce(addTotals, NOTHING),
        today: ofToday.map(({ ofLastDay }) => ofLastDay).reduce(addTotals, NOTHING),
      };
    },
  };

  async function refresh(sessionID: string): Promise<void> {
    const path = join(folder, `${sessionID}${ENDING}`);
    const stat = await files.stat(path);
    const size = `${stat?.bytes} ${stat?.modifiedMs}`;
    if (!stat || known.get(sessionID)?.size === size) return;
    const { records } = await readJsonLines(files, path, parseSavingsRecord);
    const last = records.at(-1);
    const lastDay = last ? dayOf(last) : "";
    const ofLastDay = sumRecords(records.filter((record) => dayOf(record) === lastDay));
    known.set(sessionID, { size, totals: sumRecords(records), lastDay, ofLastDay });
  }
}
