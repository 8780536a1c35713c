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
  return [...scores]
    .map(([id, score]): [string, number] => [id, Math.round(score * 1e6) / 1e6])
    .filter(([, score]) => score > 0)
    .sort(([idA, a], [idB, b]) => b - a || (idA < idB ? -1 : 1))
    .slice(0, limit);
}

/** Adds up what speaks for each entry, and keeps why. */
export interface Weighing {
  add(id: string, weight: number, why: () => string): void;
  scale(by: (id: string) => number): void;
  ids(): string[];
  best(limit: number): [id: string, score: number][];
  why(id: string): string;
}

export function createWeighing(): Weighing {
  const scores = new Map<string, number>();
  const reasons = new Map<string, (() => string)[]>();

  return {
    add(id, weight, why) {
      if (!(weight > 0)) return;
      scores.set(id, (scores.get(id) ?? 0) + weight);
      const known = reasons.get(id);
      if (known) known.push(why);
      else reasons.set(id, [why]);
    },
    scale(by) {
      for (const [id, score] of scores) scores.set(id, score * by(id));
    },
    ids: () => [...scores.keys()],
    best: (limit) => rank(scores, limit),
    why: (id) => (reasons.get(id) ?? []).map((reason) => reason()).join("; "),
  };
}
