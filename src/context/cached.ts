/** How many tokens the provider has cached behind a place in the messages. Pure. */

import { isToolPart, type Message, type ModelName } from "../io/message.js";
import { estimateTokens } from "./context-size.js";

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

/*
 * Anthropic's prompt cache looks for an entry at each cache point and at the blocks right before it, 20 in all, and
 * entries lie where earlier requests had cache points. After a change further back, none of the messages are found.
 * (platform.claude.com/docs/en/build-with-claude/prompt-caching; OpenCode 1.18.33 marks the last two messages, and
 * system prompt and tools apart, which stay.)
 */

const BLOCKS_LOOKED_AT = 20;

/** Whether the model is Anthropic's, whoever serves it. */
export function hasLookBack({ modelID, providerID }: ModelName): boolean {
  return providerID === "anthropic" || modelID.includes("claude");
}

/** Index of the first message at which a change leaves the cache of the messages before it within reach. */
export function findReach(messages: readonly Message[]): number {
  let blocks = 0;
  for (let index = messages.length - 1; index >= 0; index--) {
    blocks += countBlocks(messages[index]);
    if (blocks > BLOCKS_LOOKED_AT) return index + 1;
  }
  return 0;
}

/** A tool call and its result are one block each. */
function countBlocks(message: Message | undefined): number {
  return (message?.parts ?? []).reduce((sum, part) => {
    if (isToolPart(part)) return sum + 2;
    return sum + (part.type === "text" || part.type === "reasoning" || part.type === "file" ? 1 : 0);
  }, 0);
}
