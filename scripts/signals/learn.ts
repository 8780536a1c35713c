/** From examples to weights. A sign counts only where three repositories or more have it, so that it holds nobody's text. */
import type { Learned, Weights } from "../../layers/5-auto-memory/signals/weigh.js";
import { INVENTED, type LearnedFrom } from "./examples.js";
import { type Example, fit } from "./logistic.js";

export const LEAST_REPOSITORIES = 3;
const LEAST_EXAMPLES = 4;
const PENALTY = { kept: 10, pasted: 5 };
/** Smaller weights change nothing. */
const LEAST_WEIGHT = 0.005;

/** Found by cross-validation; see `vectors/signals.json` for the figures. */
export const LEAST: Learned["least"] = {
  kept: 0.25,
  candidate: 0.1,
  pasted: 0.5,
};

export function learn(from: readonly LearnedFrom[], least: Learned["least"] = LEAST): Learned {
  const real = from.filter(({ message }) => message.repo !== INVENTED);
  const kept = weights(from, ({ sentences }) => sentences, PENALTY.kept);
  const pasted = weights(real, ({ pasted }) => [pasted], PENALTY.pasted);
  return { kept, pasted, least };
}

function weights(
  from: readonly LearnedFrom[],
  examplesOf: (one: LearnedFrom) => readonly Example[],
  penalty: number,
): Weights {
  const vocabulary = findShared(from, examplesOf);
  const fitted = fit(from.flatMap(examplesOf), { vocabulary, penalty });
  const worth = [...fitted].filter(([, weight]) => Math.abs(weight) >= LEAST_WEIGHT);
  return Object.fromEntries(worth.map(([name, weight]) => [name, Math.round(weight * 1_000) / 1_000]));
}

function findShared(
  from: readonly LearnedFrom[],
  examplesOf: (one: LearnedFrom) => readonly Example[],
): Set<string> {
  const seen = new Map<string, { repositories: Set<string>; count: number }>();
  for (const one of from)
    for (const { signs } of examplesOf(one))
      for (const sign of new Set(signs)) {
        const known = seen.get(sign) ?? { repositories: new Set(), count: 0 };
        if (one.message.repo !== INVENTED) known.repositories.add(one.message.repo);
        known.count++;
        seen.set(sign, known);
      }
  const shared = [...seen].filter(
    ([, { count, repositories }]) => repositories.size >= LEAST_REPOSITORIES && count >= LEAST_EXAMPLES,
  );
  return new Set(shared.map(([sign]) => sign));
}

/** Repositories in groups of about as many messages each, the largest first: the same each time. */
export function splitFolds(from: readonly LearnedFrom[], count: number): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const { message } of from) sizes.set(message.repo, (sizes.get(message.repo) ?? 0) + 1);
  const loads = Array.from({ length: count }, () => 0);
  const folds = new Map<string, number>();
  for (const [repo, size] of [...sizes].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))) {
    const fold = loads.indexOf(Math.min(...loads));
    folds.set(repo, fold);
    loads[fold] = (loads[fold] ?? 0) + size;
  }
  return folds;
}
