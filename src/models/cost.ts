/** What a call costs: tokens estimated in advance (the average for the ledger, the maximum for the budget), and the price. */
import { type NewSavingsRecord, priceNet, type Rates } from "../costs/savings.js";
import type { UsedTokens } from "../io/host.js";

interface PlannedCall {
  prompt: string;
  maxCharacters?: number;
}

/** Characters of an answer if the request sets no limit. */
const USUAL_ANSWER_CHARACTERS = 8_000;
/** Tokens that the host adds to each of these requests; 110 measured. */
const PREAMBLE_TOKENS = 150;
/** Average. Counts for calls whose real number is unknown. */
const CHARACTERS_PER_TOKEN = 4;
/** Minimum for ASCII, seen in code and tables with all known tokenizers. */
const FEWEST_CHARACTERS_PER_TOKEN = 3;
/** For a character outside ASCII; older tokenizers use two tokens for a rare one. */
const MOST_TOKENS_PER_CHARACTER = 1.5;

/** Average tokens of a call. */
export function estimateTokens({ prompt, maxCharacters = USUAL_ANSWER_CHARACTERS }: PlannedCall): number {
  return PREAMBLE_TOKENS + Math.ceil((prompt.length + maxCharacters) / CHARACTERS_PER_TOKEN);
}

/** Maximum tokens of a call: its prompt, and an answer of the length that the provider is told to keep to. */
export function countMostTokens(call: PlannedCall): number {
  const { prompt } = call;
  const beyondAscii = prompt.match(/[^\p{ASCII}]/gu)?.join("").length ?? 0;
  const asked =
    (prompt.length - beyondAscii) / FEWEST_CHARACTERS_PER_TOKEN + beyondAscii * MOST_TOKENS_PER_CHARACTER;
  return PREAMBLE_TOKENS + Math.ceil(asked) + countMostAnswerTokens(call);
}

/**
 * Maximum tokens of one answer: as many as characters. In English that leaves three quarters for thinking, and text with
 * one token per character still fits.
 */
export const countMostAnswerTokens = ({ maxCharacters = USUAL_ANSWER_CHARACTERS }: PlannedCall): number =>
  maxCharacters;

/** A call in the savings ledger. Failed calls cost as well; where the tokens are unknown, the estimate counts. */
export function describeCall(
  call: PlannedCall & { purpose: string; sessionID: string },
  tokens: UsedTokens | undefined,
  rates: Rates,
): NewSavingsRecord {
  const { cacheRead, input, output } = tokens ?? { input: estimateTokens(call), output: 0, cacheRead: 0 };
  return {
    session: call.sessionID,
    layer: "background",
    event: "background",
    reason: call.purpose,
    backgroundTokens: input + output + cacheRead,
    ...priceNet(-(input * rates.written + cacheRead * rates.cached + output * rates.answered), rates),
  };
}
