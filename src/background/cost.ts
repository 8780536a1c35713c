/** Estimates tokens of a call in advance: the average for the ledger, the maximum for the budget. */
import type { GenerationRequest } from "./generation-request.js";

type Planned = Pick<GenerationRequest, "prompt" | "maxCharacters" | "tools">;

/** Characters of an answer if the request sets no limit. */
const USUAL_ANSWER_CHARACTERS = 8_000;
/** Tokens of an answer by a model with tools, including what it writes to files. */
const MOST_TOOL_ANSWER_TOKENS = 16_000;
/** Tokens that the host adds to each of these requests; 110 measured. */
const PREAMBLE_TOKENS = 150;
/** Average. Counts for calls whose real number is unknown. */
const CHARACTERS_PER_TOKEN = 4;
/** Minimum for ASCII, seen in code and tables with all known tokenizers. */
const FEWEST_CHARACTERS_PER_TOKEN = 3;
/** For a character outside ASCII; older tokenizers use two tokens for a rare one. */
const MOST_TOKENS_PER_CHARACTER = 1.5;

/** Average tokens of a call. */
export function estimateTokens({ prompt, maxCharacters = USUAL_ANSWER_CHARACTERS, tools }: Planned): number {
  const asked = PREAMBLE_TOKENS + Math.ceil((prompt.length + maxCharacters) / CHARACTERS_PER_TOKEN);
  return tools?.maxTokens ?? asked;
}

/** Maximum tokens of a call: its prompt, and an answer of the length that the provider is told to keep to. */
export function countMostTokens(request: Planned): number {
  const { prompt, tools } = request;
  const beyondAscii = prompt.match(/[^\p{ASCII}]/gu)?.join("").length ?? 0;
  const asked =
    (prompt.length - beyondAscii) / FEWEST_CHARACTERS_PER_TOKEN + beyondAscii * MOST_TOKENS_PER_CHARACTER;
  return tools?.maxTokens ?? PREAMBLE_TOKENS + Math.ceil(asked) + countMostAnswerTokens(request);
}

/**
 * Maximum tokens of one answer: as many as characters. In English that leaves three quarters for thinking, and text with
 * one token per character still fits.
 */
export function countMostAnswerTokens({ maxCharacters = USUAL_ANSWER_CHARACTERS, tools }: Planned): number {
  return tools ? MOST_TOOL_ANSWER_TOKENS : maxCharacters;
}
