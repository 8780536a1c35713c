/**
 * How many tokens a request will have. The provider's own count of the last answer is the ground; what has changed
 * since, by new messages or by what was decided, is estimated from its characters.
 */
import { countReportedTokens, isEndedAnswer } from "./history.js";
import {
  isToolPart,
  type Message,
  type MessageInfo,
  type Part,
  readResultText,
  withResultText,
} from "./message.js";

/** English prose and code run at 3.5 to 4.5 characters a token with today's tokenizers. */
export const CHARACTERS_PER_TOKEN = 4;

/**
 * What is put around a call and its result to send them: ids, names of fields, braces. The JSON of OpenAI's format has
 * 165 characters of it.
 */
const CHARACTERS_AROUND_A_CALL = 160;

/** System prompt and tools, where no answer has told yet; OpenCode's own are 8,000 to 12,000. */
const USUAL_FIXED_TOKENS = 10_000;
const OBSERVATIONS = 3;
const NO_TOKENS = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };

export interface ContextSizes {
  /** What the provider counted of an answer, and the messages as they were sent for it. */
  report(sessionID: string, answer: MessageInfo, sent: readonly Message[]): void;
  /**
   * Takes the provider's count of the last answer for ground, unless that was reported. `readSent` gives the messages
   * as they were sent for it; without it nobody knows them, as when the host has compacted since.
   */
  observe(
    sessionID: string,
    readSent: (() => readonly Message[]) | undefined,
    messages: readonly Message[],
  ): void;
  /** Tokens of the whole request with these messages. */
  estimate(sessionID: string, messages: readonly Message[]): number;
  /** What the provider counted last for this session: the request and its answer; `undefined` before the first. */
  lastTotal(sessionID: string): number | undefined;
  /** Tokens that no message accounts for, the fewest of the last answers: system prompt and tools. */
  fixedTokens(sessionID: string): number;
}

export function createContextSizes(): ContextSizes {
  /** The last few, the newest last. */
  const observed = new Map<string, number[]>();
  const totals = new Map<string, { total: number; answeredMs: number }>();
  let counted: { messages: readonly Message[]; tokens: number } | undefined;
  const lastFixed = (sessionID: string): number => observed.get(sessionID)?.at(-1) ?? USUAL_FIXED_TOKENS;
  return {
    report(sessionID, answer, sent) {
      if (!isNews(sessionID, answer)) return;
      const { input, cache } = answer.tokens ?? NO_TOKENS;
      take(sessionID, answer, input + cache.read + cache.write - estimateTokens(sent));
    },
    observe(sessionID, readSent, messages) {
      const answer = messages.findLast(isEndedAnswer)?.info;
      if (!answer || !isNews(sessionID, answer)) return;
      const view = readSent?.() ?? [];
      const last = view.findLastIndex(isEndedAnswer);
      const sent = estimateTokens(view.slice(0, last)) + estimateTokens(withoutResults(view[last]));
      take(sessionID, answer, last === -1 ? undefined : countReportedTokens(answer.tokens) - sent);
    },
    estimate: (sessionID, messages) => Math.max(0, lastFixed(sessionID) + count(messages)),
    lastTotal: (sessionID) => totals.get(sessionID)?.total,
    fixedTokens(sessionID) {
      const seen = observed.get(sessionID);
      return seen ? Math.max(0, Math.min(...seen)) : USUAL_FIXED_TOKENS;
    },
  };

  /** What stands before an answer may have changed once it is known; it is taken once. */
  function isNews(sessionID: string, { time }: MessageInfo): boolean {
    return (time?.created ?? 0) > (totals.get(sessionID)?.answeredMs ?? Number.NEGATIVE_INFINITY);
  }

  function take(sessionID: string, { time, tokens }: MessageInfo, fixed: number | undefined): void {
    totals.set(sessionID, { total: countReportedTokens(tokens), answeredMs: time?.created ?? 0 });
    if (fixed === undefined) return;
    observed.set(sessionID, [...(observed.get(sessionID) ?? []), fixed].slice(-OBSERVATIONS));
  }

  /** One request asks about the same list several times. */
  function count(messages: readonly Message[]): number {
    if (counted?.messages !== messages) counted = { messages, tokens: estimateTokens(messages) };
    return counted.tokens;
  }
}

/** Tokens of messages, from their characters. */
export function estimateTokens(messages: readonly Message[]): number {
  let characters = 0;
  for (const { parts } of messages) for (const part of parts) characters += countCharacters(part);
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Tokens of a text, from its characters. */
export function estimateTextTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** What a part brings into a request. */
function countCharacters(part: Part): number {
  if (!isToolPart(part)) return part.ignored ? 0 : (part.text?.length ?? 0);
  const text = readResultText(part)?.length ?? 0;
  return text + countInput(part.state?.input) + part.tool.length + CHARACTERS_AROUND_A_CALL;
}

/** Long inputs are texts to write or edit; their strings tell the size well enough. */
function countInput(input: unknown, depth = 0): number {
  if (typeof input === "string") return input.length;
  if (typeof input !== "object" || input === null || depth > 3) return 4;
  let characters = 0;
  for (const key of Object.keys(input)) {
    characters += key.length + countInput((input as Record<string, unknown>)[key], depth + 1);
  }
  return characters;
}

/** The results of an answer's own calls came after its usage was counted. */
function withoutResults(message: Message | undefined): Message[] {
  if (!message) return [];
  const bare = (part: Part): Part =>
    isToolPart(part) && readResultText(part) !== undefined ? withResultText(part, "") : part;
  return [{ ...message, parts: message.parts.map(bare) }];
}
