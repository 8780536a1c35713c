/** A session played without the plugin and with it, side by side. */

import { type Figures, measureReplay, priceReplay, priceWithLookBack } from "./figures.js";
import { PRICE_LISTS, sum } from "./prices.js";
import type { Replay } from "./request-record.js";

export interface Comparison {
  id: string;
  bare: Replay;
  strata: Replay;
}

export interface Compared {
  id: string;
  bare: Figures;
  strata: Figures;
}

/** Figures of each session. */
export function compare(comparisons: readonly Comparison[]): Compared[] {
  return comparisons.map(({ id, bare, strata }) => ({
    id,
    bare: measureReplay(bare),
    strata: measureReplay(strata),
  }));
}

/** What the plugin's ledger claims, beside what was saved, in tokens of input. */
export interface Claim {
  claimed: number;
  saved: number;
  /** As a share of the bare host's price. */
  difference: number;
  /** The sign is right, and the claim within 25 % of what was saved or 2 % of the bare host's price. */
  isTrue: boolean;
}

export function judgeClaim({ bare, strata }: Pick<Compared, "bare" | "strata">): Claim {
  const { claimed } = strata;
  const saved = bare.price - strata.price;
  const off = Math.abs(claimed - saved);
  const isWithin = off <= Math.max(0.25 * Math.abs(saved), 0.02 * bare.price);
  const isTrue = isWithin && Math.sign(claimed) === Math.sign(saved);
  return { claimed, saved, difference: (claimed - saved) / bare.price, isTrue };
}

/** The plugin's price as a share of the bare host's, over all sessions. */
export function totalRatio(
  compared: readonly Compared[],
  field: "price" | "sent" | "upperPrice" = "price",
): number {
  const bare = field === "upperPrice" ? "price" : field;
  return sum(compared.map((one) => one.strata[field])) / sum(compared.map((one) => one.bare[bare]));
}

/** The plugin's price as a share of the bare host's: of all sessions, and of the one where it is largest. */
interface Ratio {
  all: number;
  dearest: number;
}

/** What a model would have charged for all sessions. */
export interface ModelRatio {
  model: string;
  /** Dollars. */
  bare: number;
  strata: number;
  ratio: Ratio;
  /** With Anthropic's cache, where the model has it. */
  lookBack: Ratio | undefined;
}

export function compareModels(comparisons: readonly Comparison[]): ModelRatio[] {
  return PRICE_LISTS.map(({ hasLookBack, model, rates }) => {
    const total = (arm: "bare" | "strata", of: typeof priceReplay, some = comparisons): number =>
      (sum(some.map((one) => of(one[arm].records, rates))) * rates.dollars) / 1_000_000;
    const divide = (of: typeof priceReplay, some = comparisons): number =>
      total("strata", of, some) / total("bare", of, some);
    const compareBy = (of: typeof priceReplay): Ratio => ({
      all: divide(of),
      dearest: Math.max(...comparisons.map((one) => divide(of, [one]))),
    });
    return {
      model,
      bare: total("bare", priceReplay),
      strata: total("strata", priceReplay),
      ratio: compareBy(priceReplay),
      lookBack: hasLookBack ? compareBy(priceWithLookBack) : undefined,
    };
  });
}
