/** How many tokens the provider has cached behind a place in the messages. Pure. */
import type { Message, ModelName } from "../io/message.js";
import { estimateTokens } from "./context-size.js";
import { findReach, hasLookBack } from "./look-back.js";

export interface CachedView {
  /** The messages as sent; they end with the same message as the history. */
  view: readonly Message[];
  /** Number of messages of the history. */
  count: number;
  /** Index in the history of the first message that is not cached yet. */
  lastAnswer: number;
  model: ModelName | undefined;
}

/** Returns, for a message of the history, the tokens that are cached from it on: all, if the cache before it is out of reach. */
export function measureCached(
  { count, lastAnswer, model, view }: CachedView,
  measure: (messages: readonly Message[]) => number = estimateTokens,
): (index: number) => number {
  const reach = model && hasLookBack(model) ? findReach(view) : 0;
  // Negative where the notes are a message of their own.
  const shift = count - view.length;
  const before: number[] = [];
  let sum = 0;
  for (const message of view) {
    before.push(sum);
    sum += measure([message]);
  }
  const tokensBefore = (index: number): number =>
    index - shift >= view.length ? sum : (before[Math.max(0, index - shift)] ?? 0);
  const cached = tokensBefore(lastAnswer);
  return (index) => (index - shift < reach ? cached : Math.max(0, cached - tokensBefore(index)));
}
