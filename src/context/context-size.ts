/**
 * Estimates the tokens of a request: the provider's count of the last answer, plus an estimate from characters of what
 * new messages and decisions have changed since.
 */
import { countUsage } from "../costs/savings.js";
import {
  isToolPart,
  type Message,
  type MessageInfo,
  type ModelName,
  type Part,
  readResultText,
  type ToolPart,
  withResultText,
} from "../io/message.js";
import { countReportedTokens, isEndedAnswer } from "../messages/history.js";

/**
 * Characters around a call and its result in a request: IDs, field names, braces. OpenAI's JSON format has 165.
 */
const CHARACTERS_AROUND_A_CALL = 160;

/** System prompt and tools before the first answer; OpenCode's own take 8,000 to 12,000 tokens. */
const USUAL_FIXED_TOKENS = 10_000;

export type ContextSizes = ReturnType<typeof createContextSizes>;

export function createContextSizes() {
  const learned = new Map<string, LearnedSize>();
  const totals = new Map<string, { total: number; answeredMs: number }>();
  const countAll = createCounter();
  return {
    /** Takes an answer with the provider's count, and the messages sent for it. */
    report(sessionID: string, answer: MessageInfo, sent: readonly Message[]): void {
      if (!isNews(sessionID, answer)) return;
      note(sessionID, answer);
      take(sessionID, answer, countUsage(answer).sent, countAll(sent));
    },
    /**
     * Uses the provider's count of the last answer, unless that was reported. `readSent` returns the messages sent for it;
     * absent if they are unknown, such as after the host has compacted.
     */
    observe(
      sessionID: string,
      readSent: (() => readonly Message[]) | undefined,
      messages: readonly Message[],
    ): void {
      const answer = messages.findLast(isEndedAnswer)?.info;
      if (!answer || !isNews(sessionID, answer)) return;
      note(sessionID, answer);
      const view = readSent?.() ?? [];
      const last = view.findLastIndex(isEndedAnswer);
      if (last === -1) return;
      if (!learned.has(sessionID)) takeFirst(sessionID, view, messages);
      const sent = countAll(view.slice(0, last)) + countAll(withoutResults(view[last]));
      take(sessionID, answer, countReportedTokens(answer.tokens), sent);
    },
    /** Tokens of the whole request with these messages. */
    estimate(sessionID: string, messages: readonly Message[]): number {
      const size = learned.get(sessionID);
      if (!size) return USUAL_FIXED_TOKENS + Math.ceil(countAll(messages) / CHARACTERS_PER_TOKEN);
      const { last, tokensPerCharacter } = size;
      const more = (countAll(messages) - last.characters) * tokensPerCharacter;
      return Math.max(0, last.tokens + Math.ceil(more));
    },
    /** Last count by the provider for this session, request plus answer; `undefined` before the first. */
    lastTotal: (sessionID: string): number | undefined => totals.get(sessionID)?.total,
    /** Tokens of system prompt and tools. */
    fixedTokens(sessionID: string): number {
      const size = learned.get(sessionID);
      return size ? countFixedTokens(size) : USUAL_FIXED_TOKENS;
    },
    /** Tokens of messages, by the ratio of tokens to characters learned in this session. */
    measure: (sessionID: string, messages: readonly Message[]): number =>
      Math.ceil(countAll(messages) * findRate(sessionID)),
    /** That ratio. */
    tokensPerCharacter: findRate,
  };

  function findRate(sessionID: string): number {
    return learned.get(sessionID)?.tokensPerCharacter ?? 1 / CHARACTERS_PER_TOKEN;
  }

  /** Each answer is used once, because the messages before it may change afterwards. */
  function isNews(sessionID: string, { time }: MessageInfo): boolean {
    return (time?.created ?? 0) > (totals.get(sessionID)?.answeredMs ?? Number.NEGATIVE_INFINITY);
  }

  function note(sessionID: string, { time, tokens }: MessageInfo): void {
    totals.set(sessionID, { total: countReportedTokens(tokens), answeredMs: time?.created ?? 0 });
  }

  function take(sessionID: string, answer: MessageInfo, tokens: number, characters: number): void {
    const { agent, modelID, providerID } = answer;
    const by = `${providerID}/${modelID} ${agent}`;
    learned.set(sessionID, learnSize(learned.get(sessionID), { by, characters, tokens }));
  }

  /** After a restart: the session's first request tells system prompt and tools from messages. */
  function takeFirst(sessionID: string, view: readonly Message[], messages: readonly Message[]): void {
    // If the view begins after a cut, the first request was sent before it, with the full history.
    const sent = view.length >= messages.length ? view : messages;
    const first = sent.findIndex(isEndedAnswer);
    const answer = sent[first]?.info;
    if (answer) take(sessionID, answer, countUsage(answer).sent, countAll(sent.slice(0, first)));
  }
}

/** Counts the characters of messages, each message once. */
function createCounter() {
  /** Of messages, which are never changed in place and are counted in several lists. */
  const known = new WeakMap<Message, number>();
  return (messages: readonly Message[]): number => {
    let sum = 0;
    for (const message of messages) {
      const characters = known.get(message) ?? countMessage(message);
      known.set(message, characters);
      sum += characters;
    }
    return sum;
  };
}

/** Tokens of messages, from their characters. */
export function estimateTokens(messages: readonly Message[]): number {
  return Math.ceil(countCharacters(messages) / CHARACTERS_PER_TOKEN);
}

export function countCharacters(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + countMessage(message), 0);
}

/** Characters of a message in a request. */
function countMessage({ parts }: Message): number {
  let characters = 0;
  for (const part of parts) {
    if (isToolPart(part)) characters += (readResultText(part)?.length ?? 0) + countCall(part);
    else if (!part.ignored) characters += part.text?.length ?? 0;
  }
  return characters;
}

/** Tokens of a text, from its characters. */
export function estimateTextTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** Characters of a call in a request, without its result. */
export function countCall({ state, tool }: ToolPart): number {
  return countInput(state?.input) + tool.length + CHARACTERS_AROUND_A_CALL;
}

/** Counts strings only: long inputs are texts to write or edit. */
function countInput(input: unknown, depth = 0): number {
  if (typeof input === "string") return input.length;
  if (typeof input !== "object" || input === null || depth > 3) return 4;
  let characters = 0;
  for (const key of Object.keys(input)) {
    characters += key.length + countInput((input as Record<string, unknown>)[key], depth + 1);
  }
  return characters;
}

/** Removes the results of the answer's own calls, which came after its usage was counted. */
function withoutResults(message: Message | undefined): Message[] {
  if (!message) return [];
  const bare = (part: Part): Part =>
    isToolPart(part) && readResultText(part) !== undefined ? withResultText(part, "") : part;
  return [{ ...message, parts: message.parts.map(bare) }];
}

/* How many tokens the provider has cached behind a place in the messages. Pure. */

interface CachedView {
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
const hasLookBack = ({ modelID, providerID }: ModelName): boolean =>
  providerID === "anthropic" || modelID.includes("claude");

/** Index of the first message at which a change leaves the cache of the messages before it within reach. */
function findReach(messages: readonly Message[]): number {
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
interface CountedRequest {
  /** Characters of the messages as sent. */
  characters: number;
  /** Tokens of the whole request as counted by the provider. */
  tokens: number;
  /** Model and agent: another model counts differently, another agent has another prompt. */
  by: string;
}

interface LearnedSize {
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

function learnSize(known: LearnedSize | undefined, seen: CountedRequest): LearnedSize {
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
function countFixedTokens({ least, tokensPerCharacter }: LearnedSize): number {
  return Math.max(0, Math.round(least.tokens - least.characters * tokensPerCharacter));
}

/** The smallest request, estimated for the model and agent of `seen`. */
function moveTo({ least, tokensPerCharacter }: LearnedSize, seen: CountedRequest): CountedRequest {
  const { characters } = least.characters < seen.characters ? least : seen;
  return { ...seen, characters, tokens: seen.tokens - (seen.characters - characters) * tokensPerCharacter };
}
