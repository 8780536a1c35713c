/**
 * Combines several scores into one: each is normalised to 0..1 within the query, then they are added by weight. Rank
 * fusion is not used: it gives a weak signal as much weight as a good one, and measured worse than words alone.
 */

/** Weight of entries one or two places from a hit, as a share of that hit's word score. */
export const NEIGHBOUR_WEIGHTS = { 1: 0.3, 2: 0.1 } as const;
export const GROUP_WEIGHT = 0.4;
/** Weight of entries linked to one of the best hits, as a share of its score. */
export const LINK_WEIGHT = 0.2;
/** Weight of the most similar entry by word vectors; an embedder names its own weight. */
export const MEANING_WEIGHT = 0.2;

/** Share of an assistant's score that counts. */
export const ASSISTANT_WEIGHT = 0.5;

export type Scores = ReadonlyMap<string, number>;

/** Scales scores so that the best is 1; 0 stays 0. */
export function shareOfBest(scores: Scores): Map<string, number> {
  let best = 0;
  for (const score of scores.values()) best = Math.max(best, score);
  return new Map(best > 0 ? [...scores].map(([id, score]) => [id, score / best]) : []);
}

/** Scales scores so that the best is 1 and the worst 0; equal scores become 1. */
export function spread(scores: Scores): Map<string, number> {
  let best = Number.NEGATIVE_INFINITY;
  let worst = Number.POSITIVE_INFINITY;
  for (const score of scores.values()) {
    best = Math.max(best, score);
    worst = Math.min(worst, score);
  }
  const range = best - worst;
  return new Map([...scores].map(([id, score]) => [id, range > 0 ? (score - worst) / range : 1]));
}

/**
 * Weight by age: the newest entry counts 1, the oldest just over 0.5. The part above 0.5 halves with each quarter of
 * the covered time.
 */
export function weighAge(ageMs: number, coveredMs: number): number {
  return coveredMs > 0 ? 0.5 + 0.5 * 2 ** (-ageMs / (coveredMs / 4)) : 1;
}

/** Best first, ties by id, so that the order does not depend on the order of adding. */
export function rank(scores: Scores, limit: number): [id: string, score: number][] {
  const rounded = [...scores].map(([id, score]): [string, number] => [id, Math.round(score * 1e6) / 1e6]);
  return takeBest(rounded, limit)
    .filter(([, score]) => score > 0)
    .sort(([idA, a], [idB, b]) => b - a || (idA < idB ? -1 : 1))
    .slice(0, limit);
}

/**
 * The best `limit` entries, unordered, without sorting all of them by key. Ties at the cut are all kept, so that chance
 * drops none.
 */
export function takeBest<T>(reached: [key: T, score: number][], limit: number): [key: T, score: number][] {
  if (reached.length <= limit) return reached;
  if (limit <= 0) return [];
  const sorted = Float64Array.from(reached, ([, score]) => score).sort();
  const least = sorted[sorted.length - limit] ?? 0;
  return reached.filter(([, score]) => score >= least);
}
