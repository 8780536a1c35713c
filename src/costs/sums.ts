/** Adds up the savings ledger. A later record about the same result replaces an earlier one. Pure. */
import { formatLocalDay } from "../base/days.js";
import { finite } from "../base/shape.js";
import { JUDGING, roundMoney, type SavingsRecord } from "./savings.js";

/** A saving against the bare host. */
export interface Saving {
  /** Part of the bare host's price that was saved; negative if Strata cost more. `undefined` before the first answer. */
  share?: number;
  /** Tokens at input price. */
  tokens: number;
  /** `undefined` if the model's prices are unknown or zero. */
  dollars?: number;
  /** Part of `tokens` that `dollars` does not have: of models without known prices. */
  unpriced?: number;
}

/** What was paid and saved, in tokens at input price unless noted. */
export interface Sums {
  net: number;
  /** What was paid for answers, summaries and Strata's own calls. */
  cost: number;
  /** Number of answers and summaries. */
  paid: number;
  /** Dollars that were saved, of the records that have prices. */
  money: number;
  /** Part of `net` of the records that have none. */
  unpriced: number;
  /** Tokens of the prompts, and the cached part. */
  sent: number;
  cached: number;
}

export const NO_SUMS: Sums = {
  net: 0,
  cost: 0,
  paid: 0,
  money: 0,
  unpriced: 0,
  sent: 0,
  cached: 0,
};

export function addSums(one: Sums, other: Sums): Sums {
  return {
    net: one.net + other.net,
    cost: one.cost + other.cost,
    paid: one.paid + other.paid,
    money: one.money + other.money,
    unpriced: one.unpriced + other.unpriced,
    sent: one.sent + other.sent,
    cached: one.cached + other.cached,
  };
}

/** The records that count, in order: of several of one event and key the last. */
export function findCounted(records: readonly SavingsRecord[]): SavingsRecord[] {
  const last = new Map<unknown, SavingsRecord>();
  for (const record of records) {
    const name = record.key === undefined ? record : `${record.event} ${record.key}`;
    last.delete(name);
    last.set(name, record);
  }
  return [...last.values()];
}

/** What the records that count paid and saved. */
export function sumRecords(records: readonly SavingsRecord[]): Sums {
  return findCounted(records).reduce((sums, record) => addSums(sums, sumOne(record)), NO_SUMS);
}

function sumOne({ cached, cost, event, money, sent, ...record }: SavingsRecord): Sums {
  const net = orZero(record.net);
  const isPaid = event === "answer" || event === "summary";
  const known = isPaid ? cost : event === "background" ? -net : 0;
  return {
    net,
    cost: orZero(known),
    paid: isPaid ? 1 : 0,
    money: orZero(money),
    unpriced: money === undefined ? net : 0,
    sent: orZero(sent),
    cached: orZero(cached),
  };
}

const orZero = (value: number | undefined): number => (finite(value) ? value : 0);

/** The sums of the last day, by local time, on which something was recorded. */
export interface DaySums extends Sums {
  /** As `formatLocalDay` writes it. */
  day: string;
}

/** Of the day of the last record; `undefined` without one. */
export function sumLastDay(records: readonly SavingsRecord[]): DaySums | undefined {
  const day = formatLocalDayOf(records.at(-1));
  if (day === undefined) return undefined;
  return { day, ...sumRecords(records.filter((record) => formatLocalDayOf(record) === day)) };
}

/** `undefined` without a record, or if its time is damaged. */
export function formatLocalDayOf(record: Pick<SavingsRecord, "time"> | undefined): string | undefined {
  const timeMs = Date.parse(record?.time ?? "");
  return Number.isNaN(timeMs) ? undefined : formatLocalDay(timeMs);
}

/** What was saved against the bare host. */
export function toSaving({ cost, money, net, paid, unpriced }: Sums): Saving {
  const bare = cost + net;
  const isMixed = money !== 0 && Math.round(unpriced) !== 0;
  return {
    ...(paid > 0 && bare > 0 && { share: net / bare }),
    tokens: Math.round(net),
    ...(money !== 0 && { dollars: roundMoney(money) }),
    ...(isMixed && { unpriced: Math.round(unpriced) }),
  };
}

/** Part of the prompts that came from the cache, 0 to 1; `undefined` before the first answer. */
export function findCacheShare({ cached, sent }: Pick<Sums, "cached" | "sent">): number | undefined {
  return sent > 0 ? Math.min(1, Math.max(0, cached / sent)) : undefined;
}

/** Sums of whole ledgers, rounded, in tokens unless noted. */
export interface SavingsTotals {
  /** Number of results moved to files, and of results cleared. */
  spilled: number;
  cleared: number;
  /** Number of times that history was cut or compacted. */
  compactions: number;
  tokensFreed: number;
  cacheLost: number;
  backgroundTokens: number;
  sent: number;
  cached: number;
  answered: number;
  net: number;
  /** Part of `net` whose models have no known prices. */
  unpriced: number;
  /** Dollars, of the records that have prices; absent if none has. */
  money?: number;
  /** What judging what is remembered has cost, by the small model and the agent, in tokens at input price. */
  judging: number;
  /** What was paid, in tokens at input price. */
  cost: number;
}

/** Adds up the records that count, of whole ledgers. */
export function sumSavings(records: readonly SavingsRecord[]): SavingsTotals {
  const all = findCounted(records);
  const sums = sumRecords(all);
  const sum = (field: keyof SavingsRecord): number =>
    Math.round(all.reduce((total, record) => total + orZero(Number(record[field])), 0));
  const count = (...events: string[]): number =>
    all.filter(({ event }) => events.includes(event)).reduce((total, { results = 1 }) => total + results, 0);
  const judgingCalls = all.filter(({ event, reason }) => event === "background" && reason === JUDGING);
  return {
    spilled: count("spilled"),
    cleared: count("cleared"),
    compactions: count("cut", "compacted"),
    tokensFreed: sum("tokensFreed"),
    cacheLost: sum("cacheLost"),
    backgroundTokens: sum("backgroundTokens"),
    sent: Math.round(sums.sent),
    cached: Math.round(sums.cached),
    answered: sum("answered"),
    judging: sum("judging") + Math.round(sumRecords(judgingCalls).cost),
    net: Math.round(sums.net),
    unpriced: Math.round(sums.unpriced),
    ...(all.some(({ money }) => Number.isFinite(money)) && { money: roundMoney(sums.money) }),
    cost: Math.round(sums.cost),
  };
}

/** The same records as a saving and as totals. */
export interface Summed {
  saved: Saving;
  totals: SavingsTotals;
}

export const sumUp = (records: readonly SavingsRecord[]): Summed => ({
  saved: toSaving(sumRecords(records)),
  totals: sumSavings(records),
});

/** Tokens that left the context, by the layer that removed them; largest first. */
export function sumFreed(records: readonly SavingsRecord[]): { layer: string; tokens: number }[] {
  return [...new Set(records.map(({ layer }) => layer))]
    .map((layer) => ({ layer, tokens: sumSavings(records.filter((one) => one.layer === layer)).tokensFreed }))
    .filter(({ tokens }) => tokens > 0)
    .sort((a, b) => b.tokens - a.tokens);
}
