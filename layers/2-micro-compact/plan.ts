import { PRICE, type Rates } from "../../src/costs/savings.js";

/** A result that may be cleared. */
export interface Candidate {
  /** Tokens freed by clearing it. */
  tokens: number;
  /** Cached tokens from its position on; they must be written again if it changes. */
  cachedFrom: number;
}

/**
 * When results are cleared:
 *     cold   the prefix is no longer cached, or breaks anyway
 *     full   it is cached, and the context of `tokens` exceeds its budget
 *     warm   it is cached, and the context is within its budget
 *     free   the same, and the model charges nothing: reading the cache costs only time, and writing it again more
 */
export type Occasion =
  | { kind: "cold" }
  | {
      kind: "full";
      tokens: number;
      budgetTokens: number;
      /** Notes never replace the history. */
      isAlone?: boolean;
      /** The next answer might not fit into the window. */
      isOverflowing?: boolean;
    }
  | { kind: "warm" }
  | { kind: "free" };

export interface ClearPolicy {
  /** Minimum tokens that a batch must free. */
  floor: number;
  /** Further requests that are expected to carry a result for nothing, if it stays. */
  horizon: number;
  /** What the model charges. */
  rates?: Rates;
}

export interface ClearPlan {
  /** Indexes of the candidates to clear. */
  chosen: readonly number[];
  tokensFreed: number;
  /** Cached tokens that must be written again. */
  cacheLost: number;
}

/**
 * Clearing a full context breaks its cache nearly from the beginning, so it is done only if it makes room for long: it
 * must free this share of the budget, and leave at most that one. Otherwise notes replace the history. Recorded sessions
 * in which small batches were cleared again and again cost up to 1.23 of what they cost without Strata.
 */
const LEAST_FREED = 1 / 3;
const MOST_LEFT = 1 / 2;
/** Without notes, less will do. */
const LEAST_FREED_ALONE = 1 / 8;

/**
 * The batch of results to clear now; `undefined` if there is none. Candidates are in context order.
 *
 * While the prefix is cached, clearing pays if the freed tokens F save more over the requests H of the horizon than it
 * costs to write the tokens S behind the earliest candidate again:
 *
 *     F · H · r  >  S · (w − r)       r, w: price of reading a token from the cache and of writing one to it
 *
 * Of all positions, the one with the largest gain is taken.
 */
export function planClear(
  candidates: readonly Candidate[],
  occasion: Occasion,
  policy: ClearPolicy,
): ClearPlan | undefined {
  const plan = choose(candidates, occasion, policy);
  return plan && plan.tokensFreed >= policy.floor ? plan : undefined;
}

function choose(
  candidates: readonly Candidate[],
  occasion: Occasion,
  policy: ClearPolicy,
): ClearPlan | undefined {
  if (occasion.kind === "free") return undefined;
  const all = candidates.map((_, index) => index);
  if (occasion.kind === "cold") return { ...sumUp(candidates, all), cacheLost: 0 };
  if (occasion.kind === "full") return makeRoom(sumUp(candidates, all), occasion);
  return takeFrom(candidates, findBestStart(candidates, policy));
}

/** Index from which clearing all candidates gains most; the length of the list if it never gains. */
function findBestStart(
  candidates: readonly Candidate[],
  { horizon, rates: { cached, written } = PRICE }: ClearPolicy,
): number {
  let best = candidates.length;
  let bestGain = 0;
  let tokensFreed = 0;
  let cachedFrom = 0;
  for (let first = candidates.length - 1; first >= 0; first--) {
    tokensFreed += candidates[first]?.tokens ?? 0;
    cachedFrom = Math.max(cachedFrom, candidates[first]?.cachedFrom ?? 0);
    const cacheLost = Math.max(0, cachedFrom - tokensFreed);
    const gain = tokensFreed * horizon * cached - cacheLost * (written - cached);
    if (gain > 0 && gain >= bestGain) [best, bestGain] = [first, gain];
  }
  return best;
}

function takeFrom(candidates: readonly Candidate[], first: number): ClearPlan | undefined {
  const chosen = candidates.map((_, index) => index).slice(first);
  return chosen.length > 0 ? sumUp(candidates, chosen) : undefined;
}

/** All of them, if that makes room for long or nothing else does. */
function makeRoom(
  plan: ClearPlan,
  { budgetTokens, isAlone, isOverflowing, tokens }: Extract<Occasion, { kind: "full" }>,
): ClearPlan | undefined {
  const { tokensFreed } = plan;
  const isEnough =
    tokensFreed >= budgetTokens * LEAST_FREED && tokens - tokensFreed <= budgetTokens * MOST_LEFT;
  const isSome = isAlone && tokensFreed >= budgetTokens * LEAST_FREED_ALONE;
  return isEnough || isSome || isOverflowing ? plan : undefined;
}

function sumUp(candidates: readonly Candidate[], chosen: readonly number[]): ClearPlan {
  const going = chosen.map((index) => candidates[index]).filter((candidate) => candidate !== undefined);
  const tokensFreed = going.reduce((sum, { tokens }) => sum + tokens, 0);
  const cachedFrom = going.reduce((most, candidate) => Math.max(most, candidate.cachedFrom), 0);
  return { chosen, tokensFreed, cacheLost: Math.max(0, cachedFrom - tokensFreed) };
}
