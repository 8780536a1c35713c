import { PRICE } from "../../src/record/savings.js";

/** A result that may be cleared. */
export interface Candidate {
  /** Tokens that go when it is cleared. */
  tokens: number;
  /** Tokens of the cached prefix from its place on: they have to be written again when something in them changes. */
  cachedFrom: number;
  /** What it shows is shown again later, or no longer so. */
  isSuperseded: boolean;
}

/**
 * When results are cleared:
 *     cold   the prefix is not cached any more, or breaks anyway
 *     full   it is cached, and there are so many tokens too many
 *     warm   it is cached, and there is room
 */
export type Occasion = { kind: "cold" } | { kind: "full"; excessTokens: number } | { kind: "warm" };

export interface ClearPolicy {
  /** Further requests that one dares to count on. */
  horizon: number;
  /** A batch frees at least so many tokens. */
  floor: number;
}

export interface ClearPlan {
  /** Indexes of the candidates to clear. */
  chosen: readonly number[];
  tokensFreed: number;
  /** Tokens that are cached and have to be written again. */
  cacheLost: number;
}

/** Freed beyond what is too much, as a part of it, so that the next request is not too large again. */
const BEYOND_EXCESS = 1.5;

/**
 * Which results go now, in one batch; `undefined` when none. Candidates are in their order in the context.
 *
 * While the prefix is cached, clearing pays when what it frees, F, is worth more over the next H requests than writing
 * again what stays behind the earliest cleared result, S:
 *
 *     F · r · H  >  S · (w − r)       r, w: prices of a token that is read from and written to the cache
 *
 * A simulation over a recorded session of 220 requests found H = 10 best or within 3 % of the best everywhere, and
 * H ≥ 40 dearer than not clearing at all. The position with the largest gain is taken.
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
  { floor, horizon }: ClearPolicy,
): ClearPlan | undefined {
  const all = candidates.map((_, index) => index);
  if (occasion.kind === "cold") return { ...sumUp(candidates, all), cacheLost: 0 };
  if (occasion.kind === "full") {
    return takeUntil(candidates, Math.max(floor, occasion.excessTokens * BEYOND_EXCESS));
  }
  return takeFrom(candidates, findBestStart(candidates, horizon));
}

/** Where clearing all from there on gains most; the end of the list where it gains nothing. */
function findBestStart(candidates: readonly Candidate[], horizon: number): number {
  let best = candidates.length;
  let bestGain = 0;
  let tokensFreed = 0;
  let cachedFrom = 0;
  for (let first = candidates.length - 1; first >= 0; first--) {
    tokensFreed += candidates[first]?.tokens ?? 0;
    cachedFrom = Math.max(cachedFrom, candidates[first]?.cachedFrom ?? 0);
    const cacheLost = Math.max(0, cachedFrom - tokensFreed);
    const gain = tokensFreed * PRICE.cached * horizon - cacheLost * (PRICE.written - PRICE.cached);
    if (gain > 0 && gain >= bestGain) [best, bestGain] = [first, gain];
  }
  return best;
}

function takeFrom(candidates: readonly Candidate[], first: number): ClearPlan | undefined {
  const chosen = candidates.map((_, index) => index).slice(first);
  return chosen.length > 0 ? sumUp(candidates, chosen) : undefined;
}

/** Superseded results first, then the oldest, until so many tokens are free. */
function takeUntil(candidates: readonly Candidate[], tokens: number): ClearPlan {
  const superseded = (index: number): number => (candidates[index]?.isSuperseded ? 0 : 1);
  const order = candidates.map((_, index) => index).sort((a, b) => superseded(a) - superseded(b) || a - b);
  const chosen: number[] = [];
  let freed = 0;
  for (const index of order) {
    if (freed >= tokens) break;
    chosen.push(index);
    freed += candidates[index]?.tokens ?? 0;
  }
  return sumUp(
    candidates,
    chosen.sort((a, b) => a - b),
  );
}

function sumUp(candidates: readonly Candidate[], chosen: readonly number[]): ClearPlan {
  const going = chosen.map((index) => candidates[index]).filter((candidate) => candidate !== undefined);
  const tokensFreed = going.reduce((sum, { tokens }) => sum + tokens, 0);
  const cachedFrom = going.reduce((most, candidate) => Math.max(most, candidate.cachedFrom), 0);
  return { chosen, tokensFreed, cacheLost: Math.max(0, cachedFrom - tokensFreed) };
}
