/**
 * The host's own summary, as OpenCode 1.18.33 makes it (measured): when an answer fills the window, it sends the history
 * as one text, with results cut, and goes on with the summary and the newest messages. Pure.
 */
import { isToolPart, type Message, readResultText } from "../../../src/conversation/message.js";
import { countCharacters } from "../../../src/view/context-size.js";
import { CHARACTERS_PER_TOKEN } from "../../../src/view/learned-size.js";
import type { BareSummary } from "./plan-bare.js";

/** Characters of a result in the text to summarise. */
const RESULT_CHARACTERS = 2_000;
/** The newest messages that stay: a quarter of the usable window, within these bounds (`compaction.preserve_recent_tokens`). */
const TAIL_TOKENS = { share: 0.25, least: 2_000, most: 15_000 };
/** Characters of the host's instruction and its agent's system prompt. */
const INSTRUCTION_CHARACTERS = 2_330;
/** Characters before each text, call and result: "[Assistant tool call]: ". */
const LABEL_CHARACTERS = 20;
/** The instruction asks for seven sections of short lines. */
const SUMMARY_TOKENS = 1_000;
/** "What did we do so far?", and the request to continue. */
const AROUND_TOKENS = 50;

export interface SummaryOptions {
  /** Start of the answer to the request that follows. */
  at: number;
  usableTokens: number;
  tokensPerCharacter: number;
  /** Messages that came after the answer that filled the window. */
  later: readonly Message[];
  /** Another summary begins the messages. */
  isSecond: boolean;
}

/** `messages` are those that the host still has word for word, the answer that filled the window included. */
export function planSummary(
  messages: readonly Message[],
  { at, isSecond, later, tokensPerCharacter, usableTokens }: SummaryOptions,
): BareSummary {
  const from = findTail(messages, usableTokens);
  const head = messages.slice(0, from);
  const kept = [...messages.slice(from), ...later];
  const text = head.reduce((sum, message) => sum + countText(message), INSTRUCTION_CHARACTERS);
  const earlier = isSecond ? SUMMARY_TOKENS : 0;
  return {
    usage: {
      sent: Math.round(text * tokensPerCharacter) + earlier,
      cached: 0,
      answered: SUMMARY_TOKENS,
    },
    keptTokens: SUMMARY_TOKENS + AROUND_TOKENS + countCharacters(kept) * tokensPerCharacter,
    since: kept[0]?.info.time?.created ?? at,
  };
}

/** Index of the first message that stays. */
function findTail(messages: readonly Message[], usableTokens: number): number {
  const share = Math.floor(usableTokens * TAIL_TOKENS.share);
  let room = Math.min(TAIL_TOKENS.most, Math.max(TAIL_TOKENS.least, share));
  let first = messages.length;
  for (;;) {
    const turn = messages.slice(0, first).findLastIndex(({ info }) => info.role === "user");
    if (turn === -1) return first;
    const tokens = countCharacters(messages.slice(turn, first)) / CHARACTERS_PER_TOKEN;
    if (tokens > room) return splitTurn(messages.slice(0, first), turn, room);
    room -= tokens;
    first = turn;
  }
}

/** The longest end of a turn that fits; a turn is split before an answer. */
function splitTurn(messages: readonly Message[], turn: number, room: number): number {
  let tokens = 0;
  let first = messages.length;
  while (first - 1 > turn) {
    tokens += countCharacters(messages.slice(first - 1, first)) / CHARACTERS_PER_TOKEN;
    if (tokens > room) break;
    first--;
  }
  return first;
}

/** Characters of a message in the text to summarise. */
function countText(message: Message): number {
  let cut = 0;
  for (const part of message.parts) {
    const text = isToolPart(part) ? (readResultText(part) ?? "") : "";
    cut += Math.max(0, text.length - RESULT_CHARACTERS);
  }
  return countCharacters([message]) - cut + LABEL_CHARACTERS * message.parts.length;
}
