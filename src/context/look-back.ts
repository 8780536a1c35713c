/**
 * Anthropic's prompt cache looks for an entry at each cache point and at the blocks right before it, 20 in all, and
 * entries lie where earlier requests had cache points. After a change further back, none of the messages are found.
 * (platform.claude.com/docs/en/build-with-claude/prompt-caching; OpenCode 1.18.33 marks the last two messages, and
 * system prompt and tools apart, which stay.)
 */
import { isToolPart, type Message, type ModelName } from "../io/message.js";

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
