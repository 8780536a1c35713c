/**
 * What a model's tokens cost. Pure. The host gives prices with each request, in dollars per million tokens; 0 for each
 * where they are unknown or nothing is charged.
 */
import { PRICE, type Rates } from "./savings.js";

/** Dollars per million tokens. */
export interface PriceTier {
  input: number;
  output: number;
  cacheRead: number;
  /** 0 or the price of input where writing to the cache costs nothing extra. */
  cacheWrite: number;
}

export interface ModelPrices extends PriceTier {
  /** Prices of requests with longer prompts, for the whole request; the lowest size first. */
  longer: readonly LongPrices[];
}

export interface LongPrices extends PriceTier {
  /** The prices apply to prompts of more tokens than this. */
  aboveTokens: number;
}

/** An answer and its results may add 5 % to a prompt at once, and sizes are estimates. */
const NEAR_TIER = 0.95;

/** Prices of a prompt of `tokens`; those of Claude in tokens of input, without dollars, if the model's are unknown. */
export function findRates(prices: ModelPrices | undefined, tokens = 0): Rates {
  if (!prices) return PRICE;
  if (isFree(prices)) return { ...PRICE, dollars: 0 };
  const tier = prices.longer.findLast(({ aboveTokens }) => tokens > aboveTokens) ?? prices;
  // Relative to the lowest tier, so that records of one model add up.
  const unit = prices.input;
  return {
    written: (tier.cacheWrite || tier.input) / unit,
    // Without a price of its own, a token in the cache costs what any other does.
    cached: (tier.cacheRead || tier.input) / unit,
    answered: tier.output / unit,
    dollars: unit,
  };
}

/** Whether prompts cost nothing: a free or local model, or a subscription. */
export function isFree({ input }: ModelPrices): boolean {
  return input === 0;
}

/**
 * Tokens above which prompts cost more, if a prompt of `tokens` is beyond or about to be: the largest of several;
 * `undefined` if none.
 */
export function findTier(prices: ModelPrices | undefined, tokens: number): number | undefined {
  const near = prices?.longer.filter(
    ({ aboveTokens, input }) => input > prices.input && tokens > aboveTokens * NEAR_TIER,
  );
  return near?.at(-1)?.aboveTokens;
}
