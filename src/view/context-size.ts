import { isToolPart, type Message, readResultText } from "./message.js";

/** English prose and code run at 3.5 to 4.5 bytes a token with today's tokenizers; few is the safe side. */
const CHARACTERS_PER_TOKEN = 3.5;

/**
 * How many tokens the next request will have: what the provider reported for the last answer (its whole prompt and
 * the answer), and an estimate of what came since. Looks at the tail only, so it is cheap on long histories.
 */
export function estimateContextTokens(messages: readonly Message[]): number {
  let characters = 0;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (!message) continue;
    const reported = readReportedTokens(message);
    // The results of this answer's own calls came after its usage was counted; its text did not.
    characters += countCharacters(message, reported > 0);
    if (reported > 0) return reported + Math.ceil(characters / CHARACTERS_PER_TOKEN);
  }
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

function readReportedTokens({ info }: Message): number {
  if (info.role !== "assistant" || !info.tokens) return 0;
  const { input, output, reasoning, cache } = info.tokens;
  return input + output + reasoning + cache.read + cache.write;
}

function countCharacters(message: Message, resultsOnly: boolean): number {
  let characters = 0;
  for (const part of message.parts) {
    if (isToolPart(part)) characters += readResultText(part)?.length ?? 0;
    else if (!resultsOnly) characters += part.text?.length ?? 0;
  }
  return characters;
}
