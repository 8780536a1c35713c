/** Reads a model's prices from the host's description of the model. */
import { isRecord } from "../base/shape.js";
import type { LongPrices, ModelPrices, PriceTier } from "../costs/prices.js";

/** The host applies `experimentalOver200K` beyond this size of the prompt (OpenCode 1.18.33). */
const OVER_200K_TOKENS = 200_000;

/**
 * `model.cost` of OpenCode 1.18.33, in dollars per million tokens: `{ input, output, cache: { read, write } }`, and for
 * long prompts `tiers`, or else `experimentalOver200K`. `undefined` if the host gives no prices.
 */
export function readPrices(cost: unknown): ModelPrices | undefined {
  const first = readTier(cost);
  if (!first || !isRecord(cost)) return undefined;
  const tiers = Array.isArray(cost.tiers) ? cost.tiers.flatMap(readLong) : [];
  const over = readTier(cost.experimentalOver200K);
  const longer = tiers.length > 0 || !over ? tiers : [{ ...over, aboveTokens: OVER_200K_TOKENS }];
  return { ...first, longer: longer.sort((a, b) => a.aboveTokens - b.aboveTokens) };
}

function readLong(given: unknown): LongPrices[] {
  const tier = readTier(given);
  const { type, size } = isRecord(given) && isRecord(given.tier) ? given.tier : {};
  return tier && type === "context" && isPrice(size) ? [{ ...tier, aboveTokens: size }] : [];
}

function readTier(given: unknown): PriceTier | undefined {
  if (!isRecord(given)) return undefined;
  const { cache, input, output } = given;
  const { read, write } = isRecord(cache) ? cache : {};
  if (!isPrice(input) || !isPrice(output)) return undefined;
  return { input, output, cacheRead: isPrice(read) ? read : 0, cacheWrite: isPrice(write) ? write : 0 };
}

function isPrice(given: unknown): given is number {
  return typeof given === "number" && Number.isFinite(given) && given >= 0;
}
