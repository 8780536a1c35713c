/**
 * The host's own summary, as OpenCode 2.0.15 makes it (measured): before a request that would fill the window it asks in
 * the session itself, whose prefix is in the cache, and goes on with the summary and the newest turns as one text, with
 * results cut. Pure.
 */
import { CHARACTERS_PER_TOKEN, countCharacters } from "../../../src/context/context-size.js";
import type { Message } from "../../../src/io/message.js";
import {
  AROUND_TOKENS,
  type BareRequest,
  type BareSummary,
  countText,
  planSummary,
  SUMMARY_SHARE,
  SUMMARY_TOKENS,
} from "./plan-bare.js";

/** Tokens of the newest turns (`compaction.keep.tokens`), by the host's estimate; the oldest of them is whole. */
const RECENT_TOKENS = 15_000;
/** Characters of the instruction. */
const INSTRUCTION_CHARACTERS = { first: 2_723, later: 3_347 };

export interface InSessionOptions {
  before: BareRequest;
  fixedTokens: number;
  tokensPerCharacter: number;
  /** Messages after the answer to the request before. */
  later: readonly Message[];
  /** Start of the answer that follows. */
  at: number;
}

/** As the host at hand makes it. */
export function planHostSummary(
  messages: readonly Message[],
  options: InSessionOptions & { isInSession: boolean; usableTokens: number | undefined },
): BareSummary {
  const { before, isInSession, usableTokens = 0 } = options;
  return isInSession
    ? planSummaryInSession(messages, options)
    : planSummary(messages, { ...options, isLater: before.since > 0, usableTokens });
}

/** `messages` are those that the host has word for word, up to the answer to the request before. */
export function planSummaryInSession(
  messages: readonly Message[],
  { at, before, fixedTokens, later, tokensPerCharacter }: InSessionOptions,
): BareSummary {
  const all = [...messages, ...later];
  const isLater = before.since > 0;
  const first = findRecent(all, isLater);
  const characters = countCharacters(all.slice(0, first)) - countCharacters(messages);
  const asked = Math.max(fixedTokens, before.sent + before.answered + characters * tokensPerCharacter);
  const instruction = INSTRUCTION_CHARACTERS[isLater ? "later" : "first"] * tokensPerCharacter;
  const answered = Math.round(Math.min(SUMMARY_TOKENS, (asked - fixedTokens) * SUMMARY_SHARE));
  const recent = all.slice(first).reduce((sum, message) => sum + countText(message), 0);
  return {
    usage: {
      sent: Math.round(asked + instruction),
      cached: Math.round(Math.min(before.sent, asked)),
      answered,
    },
    keptTokens: answered + AROUND_TOKENS + recent * tokensPerCharacter,
    since: at,
  };
}

/** Index of the first message that goes into the text: the newest ones that fit, from the user's message before them. */
function findRecent(messages: readonly Message[], isLater: boolean): number {
  const isUsers = (message: Message): boolean => message.info.role === "user";
  let first = messages.length;
  let tokens = 0;
  for (const [index, message] of [...messages.entries()].reverse()) {
    tokens += countText(message) / CHARACTERS_PER_TOKEN;
    if (first < messages.length && tokens > RECENT_TOKENS) break;
    first = index;
  }
  const from = messages.slice(0, first + 1).findLastIndex(isUsers);
  if (from > 0) return from;
  const last = messages.findLastIndex(isUsers);
  if (last > 0) return last;
  return isLater ? 0 : messages.length;
}
