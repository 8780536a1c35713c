/**
 * What the provider's own counts of a session tell: how many tokens a character of its messages has, and how many stand
 * before all messages, as system prompt and tools do. Pure.
 *
 *     tokens
 *       │             · last         the line goes through the request with the fewest characters, which is nearly
 *       │       ·                    all system prompt and tools, and the last one: what is written differs from
 *       │ ·                          place to place, so that a ratio for all sessions is off by a third
 *       └──────────────── characters of the messages
 */
export interface CountedRequest {
  /** Of the messages as they were sent. */
  characters: number;
  /** Of all of the request, as the provider counted. */
  tokens: number;
  /** Who counted for whom: another model counts otherwise, another agent has another prompt. */
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
/** On fewer characters the words around messages, which nobody sees, weigh too much. */
const ENOUGH_CHARACTERS = 8_000;
/** Chinese has more than one token a character in old tokenizers; whatever is beyond comes from something else. */
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

/** Where the line cuts the axis. */
export function countFixedTokens({ least, tokensPerCharacter }: LearnedSize): number {
  return Math.max(0, Math.round(least.tokens - least.characters * tokensPerCharacter));
}

/** The same request as another model or agent would have it. */
function moveTo({ least, tokensPerCharacter }: LearnedSize, seen: CountedRequest): CountedRequest {
  const { characters } = least.characters < seen.characters ? least : seen;
  return { ...seen, characters, tokens: seen.tokens - (seen.characters - characters) * tokensPerCharacter };
}
