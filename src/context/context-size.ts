/**
 * Estimates the tokens of a request: the provider's count of the last answer, plus an estimate from characters of what
 * new messages and decisions have changed since.
 */

import {
  isToolPart,
  type Message,
  type MessageInfo,
  type Part,
  readResultText,
  type ToolPart,
  withResultText,
} from "../io/message.js";
import { countReportedTokens, isEndedAnswer } from "../messages/history.js";
import { CHARACTERS_PER_TOKEN, countFixedTokens, type LearnedSize, learnSize } from "./learned-size.js";

/**
 * Characters around a call and its result in a request: IDs, field names, braces. OpenAI's JSON format has 165.
 */
const CHARACTERS_AROUND_A_CALL = 160;

/** System prompt and tools before the first answer; OpenCode's own take 8,000 to 12,000 tokens. */
const USUAL_FIXED_TOKENS = 10_000;
const NO_TOKENS = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };

export interface ContextSizes {
  /** Reports an answer with the provider's count, and the messages sent for it. */
  report(sessionID: string, answer: MessageInfo, sent: readonly Message[]): void;
  /**
   * Uses the provider's count of the last answer, unless that was reported. `readSent` returns the messages sent for it;
   * absent if they are unknown, such as after the host has compacted.
   */
  observe(
    sessionID: string,
    readSent: (() => readonly Message[]) | undefined,
    messages: readonly Message[],
  ): void;
  /** Tokens of the whole request with these messages. */
  estimate(sessionID: string, messages: readonly Message[]): number;
  /** Last count by the provider for this session, request plus answer; `undefined` before the first. */
  lastTotal(sessionID: string): number | undefined;
  /** Tokens of system prompt and tools. */
  fixedTokens(sessionID: string): number;
  /** Tokens of messages, by the ratio of tokens to characters learned in this session. */
  measure(sessionID: string, messages: readonly Message[]): number;
  /** That ratio. */
  tokensPerCharacter(sessionID: string): number;
}

export function createContextSizes(): ContextSizes {
  const learned = new Map<string, LearnedSize>();
  const totals = new Map<string, { total: number; answeredMs: number }>();
  let counted: { messages: readonly Message[]; characters: number } | undefined;
  /** Characters of messages, which are never changed in place and are counted in several lists. */
  const known = new WeakMap<Message, number>();
  return {
    report(sessionID, answer, sent) {
      if (!isNews(sessionID, answer)) return;
      note(sessionID, answer);
      take(sessionID, answer, countPrompt(answer), countAll(sent));
    },
    observe(sessionID, readSent, messages) {
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
    estimate(sessionID, messages) {
      const size = learned.get(sessionID);
      if (!size) return USUAL_FIXED_TOKENS + Math.ceil(count(messages) / CHARACTERS_PER_TOKEN);
      const { last, tokensPerCharacter } = size;
      const more = (count(messages) - last.characters) * tokensPerCharacter;
      return Math.max(0, last.tokens + Math.ceil(more));
    },
    lastTotal: (sessionID) => totals.get(sessionID)?.total,
    fixedTokens(sessionID) {
      const size = learned.get(sessionID);
      return size ? countFixedTokens(size) : USUAL_FIXED_TOKENS;
    },
    measure: (sessionID, messages) => Math.ceil(countAll(messages) * findRate(sessionID)),
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
    if (answer) take(sessionID, answer, countPrompt(answer), countAll(sent.slice(0, first)));
  }

  /** Cached, because a request counts the same list several times. */
  function count(messages: readonly Message[]): number {
    if (counted?.messages !== messages) counted = { messages, characters: countAll(messages) };
    return counted.characters;
  }

  function countAll(messages: readonly Message[]): number {
    let sum = 0;
    for (const message of messages) {
      const characters = known.get(message) ?? countMessage(message);
      known.set(message, characters);
      sum += characters;
    }
    return sum;
  }
}

/** Tokens of the request, without its answer. */
function countPrompt({ tokens }: MessageInfo): number {
  const { cache, input } = tokens ?? NO_TOKENS;
  return input + cache.read + cache.write;
}

/** Tokens of messages, from their characters. */
export function estimateTokens(messages: readonly Message[]): number {
  return Math.ceil(countCharacters(messages) / CHARACTERS_PER_TOKEN);
}

/** Characters of messages in a request. */
export function countCharacters(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + countMessage(message), 0);
}

/** Characters of a message in a request. */
function countMessage({ parts }: Message): number {
  let characters = 0;
  for (const part of parts) characters += countPart(part);
  return characters;
}

/** Tokens of a text, from its characters. */
export function estimateTextTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** Characters of a part in a request. */
function countPart(part: Part): number {
  if (!isToolPart(part)) return part.ignored ? 0 : (part.text?.length ?? 0);
  return (readResultText(part)?.length ?? 0) + countCall(part);
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
