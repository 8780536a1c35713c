/** The price lists that src/costs/prices.ts knows, as bills and as a host gives them to plugins. */
import { LIST_PRICES, relate } from "../../src/costs/prices.js";
import type { Rates } from "../../src/costs/savings.js";

export interface PriceList {
  /** As in a model's ID. */
  model: string;
  rates: Rates & { dollars: number };
  /** Whether cache points and the look-back of Anthropic's cache apply. */
  hasLookBack: boolean;
  /** As the host gives it. */
  cost: object;
}

export const PRICE_LISTS: readonly PriceList[] = Object.entries(LIST_PRICES).map(([pattern, prices]) => {
  const model = pattern.replaceAll("*", "");
  const { cacheRead: read, cacheWrite: write, input, output } = prices;
  const cost = { input, output, cache: { read, write } };
  return { model, rates: relate(prices), hasLookBack: model.startsWith("claude"), cost };
});

/** What a host says of a subscription's models, and of those that are configured without a price. */
export const NO_PRICE = { input: 0, output: 0, cache: { read: 0, write: 0 } };

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
