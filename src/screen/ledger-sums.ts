/** Sums of a savings ledger that can be added up piece by piece. Pure. */
import { formatLocalDay } from "../days.js";
import { findCounted, type SavingsRecord } from "../record/savings.js";
import { count, each, finite, object } from "../shape.js";
import type { Saving } from "./session-screen.js";

/** In tokens at input price unless noted. */
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

export const isSums = object<Sums>({
  ...each(finite, "net", "cost", "money", "unpriced"),
  ...each(count, "paid", "sent", "cached"),
});

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

/** Adds up records. Of several of one event and key the last counts, as in `sumSavings`. */
export function sumRecords(records: readonly SavingsRecord[]): Sums {
  return findCounted(records).reduce((sums, record) => addSums(sums, sumOne(record)), NO_SUMS);
}

function sumOne({ cached, cost, event, money, net = 0, sent }: SavingsRecord): Sums {
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

/** Adds records to the sums of a day; those of a later day begin new sums. */
export function addToDay(known: DaySums | undefined, records: readonly SavingsRecord[]): DaySums | undefined {
  const day = formatLocalDayOf(records.at(-1)) ?? known?.day;
  if (day === undefined) return undefined;
  const sums = sumRecords(records.filter((record) => formatLocalDayOf(record) === day));
  return { day, ...(known?.day === day ? addSums(known, sums) : sums) };
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
    ...(money !== 0 && { dollars: Math.round(money * 1_000_000) / 1_000_000 }),
    ...(isMixed && { unpriced: Math.round(unpriced) }),
  };
}

/** Part of the prompts that came from the cache, 0 to 1; `undefined` before the first answer. */
export function findCacheShare({ cached, sent }: Pick<Sums, "cached" | "sent">): number | undefined {
  return sent > 0 ? Math.min(1, Math.max(0, cached / sent)) : undefined;
}
