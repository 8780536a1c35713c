/**
 * How many tokens a request will have. The provider's own count of the last answer is the ground; what has changed
 * since, by new messages or by what was decided, is estimated from its characters.
 */
import { countReportedTokens, findFreshSummary, isEndedAnswer } from "./history.js";
import { isToolPart, type Message, type Part, readResultText, withResultText } from "./message.js";

/** English prose and code run at 3.5 to 4.5 characters a token with today's tokenizers. */
export const CHARACTERS_PER_TOKEN = 4;

/** System prompt and tools, where no answer has told yet; OpenCode's own are 8,000 to 12,000. */
const USUAL_FIXED_TOKENS = 10_000;
const OBSERVATIONS = 3;

export interface ContextSizes {
  /**
   * Takes the provider's count of the last answer for ground, once; `readSent` gives the messages as they were sent for
   * it. What was answered before the host's summary tells nothing about what comes after it.
   */
  observe(sessionID: string, messages: readonly Message[], readSent?: () => readonly Message[]): void;
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
  /** The answer that was observed last, by session. */
  const grounds = new Map<string, string>();
  const lastFixed = (sessionID: string): number => observed.get(sessionID)?.at(-1) ?? USUAL_FIXED_TOKENS;
  return {
    observe(sessionID, messages, readSent = () => messages) {
      const answer = messages.findLast(isEndedAnswer);
      if (!answer || findFreshSummary(messages) !== -1 || grounds.get(sessionID) === nameOf(answer)) return;
      grounds.set(sessionID, nameOf(answer));
      const view = readSent();
      const last = view.findLastIndex(isEndedAnswer);
      if (last === -1) return;
      const sent = estimateTokens(view.slice(0, last)) + estimateTokens(withoutResults(view[last]));
      const total = countReportedTokens(view[last]?.info.tokens);
      totals.set(sessionID, total);
      observed.set(sessionID, [...(observed.get(sessionID) ?? []), total - sent].slice(-OBSERVATIONS));
    },
    estimate: (sessionID, messages) => Math.max(0, lastFixed(sessionID) + estimateTokens(messages)),
    lastTotal: (sessionID) => totals.get(sessionID),
    fixedTokens(sessionID) {
      const seen = observed.get(sessionID);
      return seen ? Math.max(0, Math.min(...seen)) : USUAL_FIXED_TOKENS;
    },
  };
}

/** Tells an answer from the others of its session. */
function nameOf({ info }: Message): string {
  return `${info.id} ${info.time?.created} ${countReportedTokens(info.tokens)}`;
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

/** What a part brings into a request; what the host adds in sending it is not counted. */
function countCharacters(part: Part): number {
  if (!isToolPart(part)) return part.ignored ? 0 : (part.text?.length ?? 0);
  return (readResultText(part)?.length ?? 0) + countInput(part.state?.input) + part.tool.length;
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
