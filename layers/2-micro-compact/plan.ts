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
  | { kind: "warm" };

interface ClearPolicy {
  /** Minimum tokens that a batch must free. */
  floor: number;
  /** Further requests that are expected to carry a result for nothing, if it stays. */
  horizon: number;
  /** What the model charges. */
  rates?: Rates;
}

export interface ClearPlan {
  /** Index of the first candidate to clear; all behind it are cleared, too. */
  from: number;
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
  const plan = choose();
  return plan && plan.tokensFreed >= policy.floor ? plan : undefined;

  function choose(): ClearPlan | undefined {
    if (occasion.kind === "warm") return findBest(candidates, policy);
    const all = planAll(candidates);
    if (occasion.kind === "cold") return { ...all, cacheLost: 0 };
    return makesRoom(all, occasion) ? all : undefined;
  }
}

/** `undefined` if clearing never gains. */
function findBest(
  candidates: readonly Candidate[],
  { horizon, rates: { cached, written } = PRICE }: ClearPolicy,
): ClearPlan | undefined {
  let best: ClearPlan | undefined;
  let bestGain = 0;
  let tokensFreed = 0;
  let cachedFrom = 0;
  for (let from = candidates.length - 1; from >= 0; from--) {
    tokensFreed += candidates[from]?.tokens ?? 0;
    cachedFrom = Math.max(cachedFrom, candidates[from]?.cachedFrom ?? 0);
    const cacheLost = Math.max(0, cachedFrom - tokensFreed);
    const gain = tokensFreed * horizon * cached - cacheLost * (written - cached);
    if (gain > 0 && gain >= bestGain) [best, bestGain] = [{ from, tokensFreed, cacheLost }, gain];
  }
  return best;
}

function planAll(candidates: readonly Candidate[]): ClearPlan {
  const tokensFreed = candidates.reduce((sum, { tokens }) => sum + tokens, 0);
  const cachedFrom = candidates.reduce((most, candidate) => Math.max(most, candidate.cachedFrom), 0);
  return { from: 0, tokensFreed, cacheLost: Math.max(0, cachedFrom - tokensFreed) };
}

/** Does it make room for long, or does nothing else? */
function makesRoom(
  { tokensFreed }: ClearPlan,
  { budgetTokens, isAlone, isOverflowing, tokens }: Extract<Occasion, { kind: "full" }>,
): boolean {
  if (isOverflowing || (isAlone && tokensFreed >= budgetTokens * LEAST_FREED_ALONE)) return true;
  return tokensFreed >= budgetTokens * LEAST_FREED && tokens - tokensFreed <= budgetTokens * MOST_LEFT;
}
