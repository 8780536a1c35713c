/** What a replay cost, by what was paid for. */
import type { BlockKind } from "./blocks.js";
import { type Price, priceOf, tierOf } from "./prices.js";
import type { RequestRecord } from "./request-record.js";

/** A row of the bill: a kind of block, read from the cache or written, or what has no blocks of its own. */
export type BillItem =
  | `${BlockKind} read`
  | `${BlockKind} written`
  | "answered"
  | "summaries"
  | "other sessions";

/** Price by item. */
export type Bill = ReadonlyMap<BillItem, number>;

/** Words for people. */
export const KIND_NAMES: Readonly<Record<BlockKind, string>> = {
  fixed: "system and tools",
  user: "user",
  said: "said",
  inputs: "call inputs",
  clearable: "clearable results",
  others: "other results",
};

/** The bill of a replay at these prices. */
export function writeBill(records: readonly RequestRecord[], price: Price): Bill {
  const bill = new Map<BillItem, number>();
  const add = (item: BillItem, amount: number): void => {
    if (amount > 0) bill.set(item, (bill.get(item) ?? 0) + amount);
  };
  for (const record of records) {
    if (record.kind === "summary") add("summaries", priceOf(price, record));
    else if (record.kind === "other") add("other sessions", priceOf(price, record));
    else addRequest(record, price, add);
  }
  return bill;
}

/** Blocks before the cached position are read, those behind it written; the one on it is both. */
function addRequest(
  { blocks, sent, cached, answered }: RequestRecord,
  price: Price,
  add: (item: BillItem, amount: number) => void,
): void {
  const tier = tierOf(price, sent);
  const perByte = sent / Math.max(1, sum(blocks.map(({ bytes }) => bytes)));
  let position = 0;
  for (const block of blocks) {
    const tokens = block.bytes * perByte;
    const read = Math.min(tokens, Math.max(0, cached - position));
    add(`${block.kind} read`, read * tier.read);
    add(`${block.kind} written`, (tokens - read) * tier.written);
    position += tokens;
  }
  add("answered", answered * tier.answered);
}

/** Adds bills up. */
export function sumBills(bills: readonly Bill[]): Bill {
  const total = new Map<BillItem, number>();
  for (const bill of bills)
    for (const [item, amount] of bill) total.set(item, (total.get(item) ?? 0) + amount);
  return total;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
