/**
 * Learns from the provider's counts of a session how many tokens a character of its messages has, and how many tokens
 * come before all messages, for system prompt and tools. Pure.
 *
 *     tokens
 *       │             · last         the line goes through the request with the fewest characters, which is nearly
 *       │       ·                    all system prompt and tools, and the last one. Texts differ so much that
 *       │ ·                          a ratio for all sessions is off by a third
 *       └──────────────── characters of the messages
 */
export interface CountedRequest {
  /** Characters of the messages as sent. */
  characters: number;
  /** Tokens of the whole request as counted by the provider. */
  tokens: number;
  /** Model and agent: another model counts differently, another agent has another prompt. */
  by: string;
}

export interface LearnedSize {
  /** The request with the fewest characters. */
  least: CountedRequest;
  last: CountedRequest;
  tokensPerCharacter: number;
}

/** English prose and code run at 3.5 to 4.5 characters a token with today's tokenizers. */
export const CHARACTERS_PER_TOKEN = 4;
/** With fewer characters the invisible text around messages distorts the ratio. */
const ENOUGH_CHARACTERS = 8_000;
/** Tokens per character. In old tokenizers Chinese has more than one; ratios outside this range have other causes. */
const [LEAST_RATE, MOST_RATE] = [1 / 10, 1.5];

export function learnSize(known: LearnedSize | undefined, seen: CountedRequest): LearnedSize {
  if (!known) return { least: seen, last: seen, tokensPerCharacter: 1 / CHARACTERS_PER_TOKEN };
  const { tokensPerCharacter } = known;
  if (seen.by !== known.last.by) return { ...known, least: moveTo(known, seen), last: seen };
  const least = seen.characters < known.least.characters ? seen : known.least;
  const [from, to] = least === seen ? [seen, known.least] : [least, seen];
  const characters = to.characters - from.characters;
  const rate = (to.tokens - from.tokens) / characters;
  const isTold = characters >= ENOUGH_CHARACTERS && rate >= LEAST_RATE && rate <= MOST_RATE;
  return { least, last: seen, tokensPerCharacter: isTold ? rate : tokensPerCharacter };
}

/** Intercept of the line. */
export function countFixedTokens({ least, tokensPerCharacter }: LearnedSize): number {
  return Math.max(0, Math.round(least.tokens - least.characters * tokensPerCharacter));
}

/** The smallest request, estimated for the model and agent of `seen`. */
function moveTo({ least, tokensPerCharacter }: LearnedSize, seen: CountedRequest): CountedRequest {
  const { characters } = least.characters < seen.characters ? least : seen;
  return { ...seen, characters, tokens: seen.tokens - (seen.characters - characters) * tokensPerCharacter };
}
