/** Weights of weak signs, learned from labelled messages by `npm run learn:signals`; numbers only. */
import { createRequire } from "node:module";

/** Weights by the name of the sign; their sum is a log-odds. */
export type Weights = Readonly<Record<string, number>>;

export interface Learned {
  /** Is a sentence worth keeping? */
  kept: Weights;
  /** Is a message pasted? */
  pasted: Weights;
  /** Minimum probability for … */
  least: {
    /** … keeping a sentence. */
    kept: number;
    /** … a candidate. */
    candidate: number;
    /** … a pasted message. */
    pasted: number;
  };
}

/** Relative to `dist/` as published, and to this folder. In this order: the second is outside an installed package. */
const PLACES = ["../vectors/signals.json", "../../../vectors/signals.json"];
/** Without the file nothing is likely; explicit statements are still found. */
const NONE: Learned = {
  kept: {},
  pasted: {},
  least: { kept: 1, candidate: 1, pasted: 1 },
};

/** Uses `require` so that the file is read on first use, not at import, and once. */
export function readLearned(): Learned {
  const require = createRequire(import.meta.url);
  for (const place of PLACES) {
    try {
      return require(place);
    } catch (thrown) {
      if ((thrown as { code?: unknown }).code !== "MODULE_NOT_FOUND") throw thrown;
    }
  }
  return NONE;
}

/** Probability from these signs, 0 to 1; each sign counts once. */
export function weigh(signs: Iterable<string>, weights: Weights): number {
  let sum = 0;
  for (const sign of new Set(signs)) sum += weights[sign] ?? 0;
  return 1 / (1 + Math.exp(-sum));
}
