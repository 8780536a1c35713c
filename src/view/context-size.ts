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

export interface ContextSizes {
  /** Takes the provider's count of the last answer in the view for ground, once, while the view is as it was sent. */
  observe(sessionID: string, view: readonly Message[]): void;
  /** The last answer was given to something else than what the view shows before it: its count is no ground. */
  disregard(sessionID: string, view: readonly Message[]): void;
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
  const totals = new Map<string, number>();
  /** The last answer of each session that was counted. */
  const known = new Map<string, string>();
  const lastFixed = (sessionID: string): number => observed.get(sessionID)?.at(-1) ?? USUAL_FIXED_TOKENS;
  return {
    observe(sessionID, view) {
      const last = view.findLastIndex(isEndedAnswer);
      const answer = view[last]?.info;
      // A request without an answer, or a summary, may have changed since what stands before the last one.
      if (!answer || known.get(sessionID) === answer.id || isSummarizedSince(view, answer)) return;
      known.set(sessionID, answer.id);
      const sent = estimateTokens(view.slice(0, last)) + estimateTokens(withoutResults(view[last]));
      const total = countReportedTokens(view[last]?.info.tokens);
      totals.set(sessionID, total);
      observed.set(sessionID, [...(observed.get(sessionID) ?? []), total - sent].slice(-OBSERVATIONS));
    },
    disregard(sessionID, view) {
      const answer = view.findLast(isEndedAnswer);
      if (answer) known.set(sessionID, answer.info.id);
    },
    estimate: (sessionID, messages) => Math.max(0, lastFixed(sessionID) + estimateTokens(messages)),
    lastTotal: (sessionID) => totals.get(sessionID),
    fixedTokens(sessionID) {
      const seen = observed.get(sessionID);
      return seen ? Math.max(0, Math.min(...seen)) : USUAL_FIXED_TOKENS;
    },
  };
}

/** The host keeps the last messages behind a summary; their counts are of what it stands for. */
function isSummarizedSince(view: readonly Message[], { time }: MessageInfo): boolean {
  const summary = view.findLast(({ info }) => info.summary === true && !info.error);
  return (summary?.info.time?.created ?? 0) > (time?.created ?? 0);
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
  return Object.entries(input).reduce(
    (sum, [key, value]) => sum + key.length + countInput(value, depth + 1),
    0,
  );
}

/** The results of an answer's own calls came after its usage was counted. */
function withoutResults(message: Message | undefined): Message[] {
  if (!message) return [];
  const bare = (part: Part): Part =>
    isToolPart(part) && readResultText(part) !== undefined ? withResultText(part, "") : part;
  return [{ ...message, parts: message.parts.map(bare) }];
}
