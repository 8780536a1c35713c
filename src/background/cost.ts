/** What a call takes, before it is made: in the mean, for the accounts, and at most, for the budget. */
import type { GenerationRequest } from "./generation-request.js";

type Planned = Pick<GenerationRequest, "prompt" | "maxCharacters" | "tools">;

/** What an answer has, where the request does not bound it. */
const USUAL_ANSWER_CHARACTERS = 8_000;
/** An answer of a model that works with tools: what it writes into a file is in it. */
const MOST_TOOL_ANSWER_TOKENS = 16_000;
/** What the host puts in front of every request of ours; 110 tokens were measured. */
const PREAMBLE_TOKENS = 150;
/** In the mean; a call that nobody got to know the true number of counts with this. */
const CHARACTERS_PER_TOKEN = 4;
/** In code and tables, with any tokenizer known. */
const FEWEST_CHARACTERS_PER_TOKEN = 3;
/** Of a character beyond ASCII: older tokenizers take two for a rare one. */
const MOST_TOKENS_PER_CHARACTER = 1.5;

/** In the mean. */
export function estimateTokens({ prompt, maxCharacters = USUAL_ANSWER_CHARACTERS, tools }: Planned): number {
  const asked = PREAMBLE_TOKENS + Math.ceil((prompt.length + maxCharacters) / CHARACTERS_PER_TOKEN);
  return tools?.maxTokens ?? asked;
}

/** The most that a call may take: its prompt, and an answer of the length that the provider is asked to keep to. */
export function countMostTokens(request: Planned): number {
  const { prompt, tools } = request;
  const beyondAscii = prompt.match(/[^\p{ASCII}]/gu)?.join("").length ?? 0;
  const asked =
    (prompt.length - beyondAscii) / FEWEST_CHARACTERS_PER_TOKEN + beyondAscii * MOST_TOKENS_PER_CHARACTER;
  return tools?.maxTokens ?? PREAMBLE_TOKENS + Math.ceil(asked) + countMostAnswerTokens(request);
}

/**
 * The most that one answer may take. As many tokens as characters: in English three quarters of it are left for
 * thinking, and text in which a character takes a token still fits.
 */
export function countMostAnswerTokens({ maxCharacters = USUAL_ANSWER_CHARACTERS, tools }: Planned): number {
  return tools ? MOST_TOOL_ANSWER_TOKENS : maxCharacters;
}
