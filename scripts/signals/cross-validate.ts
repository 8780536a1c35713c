/** What is found in messages of repositories from which nothing was learned. */
import { type FoundSignals, lookForSignals } from "../../layers/5-auto-memory/signals/find-signals.js";
import type { Learned } from "../../layers/5-auto-memory/signals/weigh.js";
import { redactSecrets } from "../../src/secrets/secrets.js";
import { atOnce } from "../../src/slices.js";
import type { LearnedFrom } from "./examples.js";
import { learn, splitFolds } from "./learn.js";
import { type Outcome, outcomeOf } from "./measure.js";

export const FOLDS = 8;

export interface Found {
  /** What is kept. */
  kept: Outcome;
  /** What waits to be agreed to. */
  waiting: Outcome;
}

/** Of each real message what is found in it by what was learned from the other folds' repositories. */
export function crossValidate(real: readonly LearnedFrom[], invented: readonly LearnedFrom[]): Found[] {
  const folds = splitFolds(real, FOLDS);
  const foldOf = ({ message }: LearnedFrom) => folds.get(message.repo);
  const learned = Array.from({ length: FOLDS }, (_, fold) =>
    learn([...real.filter((one) => foldOf(one) !== fold), ...invented]),
  );
  return real.map((one) => findIn(one, learned[foldOf(one) ?? 0] as Learned));
}

export function findIn({ message }: LearnedFrom, learned: Learned): Found {
  const found: FoundSignals = atOnce(lookForSignals(redactSecrets(message.text).text, learned));
  return { kept: outcomeOf(message, found.signals), waiting: outcomeOf(message, found.candidates) };
}
