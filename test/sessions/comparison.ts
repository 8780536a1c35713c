/** A session played without the plugin and with it, side by side. */
import { sum } from "./bill.js";
import { type Figures, measureReplay, priceReplay, priceWithLookBack } from "./figures.js";
import { PRICES } from "./prices.js";
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

/** The plugin's price as a share of the bare host's, over all sessions. */
export function totalRatio(
  compared: readonly Compared[],
  field: "price" | "sent" | "upperPrice" = "price",
): number {
  const bare = field === "upperPrice" ? "price" : field;
  return sum(compared.map((one) => one.strata[field])) / sum(compared.map((one) => one.bare[bare]));
}

/** What a model would have charged for all sessions. */
export interface ModelRatio {
  model: string;
  /** Dollars. */
  bare: number;
  strata: number;
  ratio: number;
  /** With Anthropic's cache, where the model has it. */
  lookBackRatio: number | undefined;
}

export function compareModels(comparisons: readonly Comparison[]): ModelRatio[] {
  return PRICES.map((price) => {
    const total = (arm: "bare" | "strata", of: typeof priceReplay): number =>
      sum(comparisons.map((one) => of(one[arm].records, price))) / 1_000_000;
    const [bare, strata] = [total("bare", priceReplay), total("strata", priceReplay)];
    const lookBackRatio = price.hasLookBack
      ? total("strata", priceWithLookBack) / total("bare", priceWithLookBack)
      : undefined;
    return { model: price.model, bare, strata, ratio: strata / bare, lookBackRatio };
  });
}
