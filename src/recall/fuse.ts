/**
 * One score out of several: each is brought to 0..1 within the query, then they are added by weight. Ranks are not used:
 * fused by rank, a weak judge counts as much as a good one, which measured worse than words alone.
 */

/** Of what stands one or two places beside a hit, as a share of that hit's fit of words. */
export const NEIGHBOUR_WEIGHTS = { 1: 0.3, 2: 0.1 } as const;
export const GROUP_WEIGHT = 0.4;
/** Of what is linked with one of the best hits, as a share of its score. */
export const LINK_WEIGHT = 0.2;
/** Of what is likest by the meaning of words; an embedder says itself how much its judgement counts. */
export const MEANING_WEIGHT = 0.2;

export type Scores = ReadonlyMap<string, number>;

/** The best becomes 1, and 0 stays what nothing speaks for. */
export function shareOfBest(scores: Scores): Map<string, number> {
  let best = 0;
  for (const score of scores.values()) best = Math.max(best, score);
  return new Map(best > 0 ? [...scores].map(([id, score]) => [id, score / best]) : []);
}

/** The best becomes 1 and the worst 0; a single one is the best. */
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

/** What is oldest counts a little over half, what is newest whole: halved with every quarter of the time covered. */
export function weighAge(ageMs: number, coveredMs: number): number {
  return coveredMs > 0 ? 0.5 + 0.5 * 2 ** (-ageMs / (coveredMs / 4)) : 1;
}

/** Best first; where two are alike, by id, so that the order does not tell how the index came to be. */
export function rank(scores: Scores, limit: number): [id: string, score: number][] {
  const rounded = [...scores].map(([id, score]): [string, number] => [id, Math.round(score * 1e6) / 1e6]);
  return takeBest(rounded, limit)
    .filter(([, score]) => score > 0)
    .sort(([idA, a], [idB, b]) => b - a || (idA < idB ? -1 : 1))
    .slice(0, limit);
}

/**
 * The best, in no order, without sorting all of what may be most of the index. Those alike at the end are all taken, so
 * that none is by chance.
 */
export function takeBest<T>(reached: [key: T, score: number][], limit: number): [key: T, score: number][] {
  if (reached.length <= limit) return reached;
  if (limit <= 0) return [];
  const sorted = Float64Array.from(reached, ([, score]) => score).sort();
  const least = sorted[sorted.length - limit] ?? 0;
  return reached.filter(([, score]) => score >= least);
}
