/**
 * What the host would have sent without Strata, request by request. Pure.
 *
 *     first request     what was sent, without what Strata added and with what it kept out
 *     next request      grows by what the session grew by, with the originals of what was taken out
 *     a reread          an answer that only looked at what Strata had taken out: it would not have been given
 *     a full window     the host summarises, pays for that, and goes on with the summary and the newest messages
 *     a cold cache      everything is written again, as for the request that was sent
 */
import { CHARACTERS_PER_TOKEN, countCharacters } from "../../../src/context/context-size.js";
import type { Usage } from "../../../src/costs/savings.js";
import { isToolPart, type Message, readResultText } from "../../../src/io/message.js";

export interface BaselineRequest extends Usage {
  at: number;
  /** Start of the first message that the host would still have word for word; 0 if it has all of them. */
  since: number;
}

/** A request that was sent, and what the session had grown by until then. */
export interface BaselineStep {
  at: number;
  counted: Usage;
  /** The provider had no cache of the session's prefix, for a reason outside Strata. */
  isCold: boolean;
  /** Tokens of system prompt and tools, without Strata's. */
  fixedTokens: number;
  /** Tokens of the request with the whole history and without Strata's additions; used if no request came before. */
  wholeTokens: number;
  /** Tokens of the messages since the request before, without rereads. */
  grownTokens: number;
  isReread: boolean;
  /** Tokens of the model's window; `undefined` if they are unknown. */
  windowTokens: number | undefined;
  /** Tokens of prompt and answer at which the host summarises; `undefined` if it never does. */
  usableTokens: number | undefined;
  /** Tokens that the host then adds to the request before: those of its answer, in OpenCode 2 also what came since. */
  followingTokens: number;
  /** The summary that the host would make behind that request. */
  summarize(before: BaselineRequest): BaselineSummary;
}

export interface BaselineSummary {
  usage: Usage;
  /** Tokens that follow the system prompt afterwards: the summary and the messages that stay. */
  keptTokens: number;
  since: number;
}

export interface BaselinePlan {
  request: BaselineRequest;
  /** The host's call for a summary before the request. */
  summary?: Usage;
  /** A request that was counted before, and would not have been sent. */
  retracted?: Usage;
}

export function planBaseline(before: BaselineRequest | undefined, step: BaselineStep): BaselinePlan {
  const { counted, fixedTokens, isCold, isReread, usableTokens = Number.POSITIVE_INFINITY } = step;
  if (!before) {
    const sent = Math.min(step.wholeTokens, usableTokens);
    const hidden = isCold ? 0 : Math.max(0, sent - counted.sent);
    return { request: toRequest(step, { since: 0, sent, cached: counted.cached + hidden }) };
  }
  if (!isReread && before.sent + step.followingTokens >= usableTokens) {
    const { keptTokens, since, usage } = step.summarize(before);
    const cached = isCold ? counted.cached : fixedTokens;
    return { request: toRequest(step, { since, sent: fixedTokens + keptTokens, cached }), summary: usage };
  }
  const warm = isReread ? before.cached : before.sent;
  const request = toRequest(step, {
    since: before.since,
    sent: before.sent + step.grownTokens,
    cached: isCold ? counted.cached : warm,
  });
  return isReread ? { request, retracted: before } : { request };
}

function toRequest(
  { at, counted: { answered }, windowTokens = Number.POSITIVE_INFINITY }: BaselineStep,
  { cached, sent, since }: Pick<BaselineRequest, "cached" | "sent" | "since">,
): BaselineRequest {
  const size = Math.max(0, Math.round(Math.min(sent, windowTokens)));
  return { at, since, sent: size, cached: Math.max(0, Math.round(Math.min(cached, size))), answered };
}

/* The host's own summary, as the hosts make it (measured). */

/** Characters of a result in the text to summarise. */
const RESULT_CHARACTERS = 2_000;
/** Characters before each text, call and result, such as "[Assistant tool call]: ". */
const LABEL_CHARACTERS = 20;
/** The instruction asks for a page of short lines under set headings; a summary of little text is shorter. */
const SUMMARY_TOKENS = 1_000;
const SUMMARY_SHARE = 0.1;
/** "What did we do so far?" before the summary, and the host's request to continue after the messages. */
const AROUND_TOKENS = 50;
/** OpenCode 1: characters of the instruction, and of the system prompt of the agent that summarises. */
const INSTRUCTION_CHARACTERS = 2_330;
/** The newest messages that stay (`compaction.preserve_recent_tokens`): a quarter of the usable window, within bounds. */
const TAIL_TOKENS = { share: 0.25, least: 2_000, most: 15_000 };
/** OpenCode 2: tokens of the newest turns (`compaction.keep.tokens`), by the host's estimate; the oldest of them is whole. */
const RECENT_TOKENS = 15_000;
const IN_SESSION_CHARACTERS = { first: 2_723, later: 3_347 };

export interface SummaryOptions {
  before: BaselineRequest;
  fixedTokens: number;
  tokensPerCharacter: number;
  usableTokens: number | undefined;
  later: readonly Message[];
  at: number;
}

/**
 * OpenCode 1.18.33: when an answer fills the window, it sends the history as one text, with results cut, and goes on with
 * the summary and the newest messages. `messages` are those that the host has word for word, up to that answer.
 */
export function planSummary(
  messages: readonly Message[],
  { at, before, later, tokensPerCharacter, usableTokens = 0 }: SummaryOptions,
): BaselineSummary {
  const first = findTail(messages, usableTokens);
  const kept = [...messages.slice(first), ...later];
  const characters = countTexts(messages.slice(0, first)) + INSTRUCTION_CHARACTERS;
  const sent = Math.round(characters * tokensPerCharacter) + (before.since > 0 ? SUMMARY_TOKENS : 0);
  const answered = Math.round(Math.min(SUMMARY_TOKENS, sent * SUMMARY_SHARE));
  return {
    usage: { sent, cached: 0, answered },
    keptTokens: answered + AROUND_TOKENS + countCharacters(kept) * tokensPerCharacter,
    since: kept[0]?.info.time?.created ?? at,
  };
}

/** Index of the first message that stays. A turn is split before an answer, never after its user's message. */
function findTail(messages: readonly Message[], usableTokens: number): number {
  const share = Math.floor(usableTokens * TAIL_TOKENS.share);
  let room = Math.min(TAIL_TOKENS.most, Math.max(TAIL_TOKENS.least, share));
  let first = messages.length;
  for (const [index, message] of [...messages.entries()].reverse()) {
    room -= countJson(message) / CHARACTERS_PER_TOKEN;
    if (room < 0) break;
    first = index;
  }
  return first;
}

/** Characters of a message as JSON, from which the host estimates its tokens. */
function countJson(message: Message): number {
  const texts = message.parts.flatMap((part) =>
    isToolPart(part) ? [readResultText(part), ...Object.values(part.state.input ?? {})] : [part.text],
  );
  const escapes = texts.map((text) =>
    typeof text === "string" ? JSON.stringify(text).length - text.length - 2 : 0,
  );
  return countCharacters([message]) + escapes.reduce((sum, count) => sum + count, 0);
}

/**
 * OpenCode 2.0.15: before a request that would fill the window it asks in the session itself, whose prefix is in the cache,
 * and goes on with the summary and the newest turns as one text, with results cut.
 */
export function planSummaryInSession(
  messages: readonly Message[],
  { at, before, fixedTokens, later, tokensPerCharacter }: SummaryOptions,
): BaselineSummary {
  const all = [...messages, ...later];
  const isLater = before.since > 0;
  const first = findRecent(all, isLater);
  const characters = countCharacters(all.slice(0, first)) - countCharacters(messages);
  const asked = Math.max(fixedTokens, before.sent + before.answered + characters * tokensPerCharacter);
  const instruction = IN_SESSION_CHARACTERS[isLater ? "later" : "first"] * tokensPerCharacter;
  const answered = Math.round(Math.min(SUMMARY_TOKENS, (asked - fixedTokens) * SUMMARY_SHARE));
  return {
    usage: {
      sent: Math.round(asked + instruction),
      cached: Math.round(Math.min(before.sent, asked)),
      answered,
    },
    keptTokens: answered + AROUND_TOKENS + countTexts(all.slice(first)) * tokensPerCharacter,
    since: at,
  };
}

/** Index of the first message that goes into the text: the newest ones that fit, from the user's message before them. */
function findRecent(messages: readonly Message[], isLater: boolean): number {
  const isUsers = (message: Message): boolean => message.info.role === "user";
  let first = messages.length;
  let tokens = 0;
  for (const [index, message] of [...messages.entries()].reverse()) {
    tokens += countTexts([message]) / CHARACTERS_PER_TOKEN;
    if (first < messages.length && tokens > RECENT_TOKENS) break;
    first = index;
  }
  const from = messages.slice(0, first + 1).findLastIndex(isUsers);
  if (from > 0) return from;
  const last = messages.findLastIndex(isUsers);
  if (last > 0) return last;
  return isLater ? 0 : messages.length;
}

function countTexts(messages: readonly Message[]): number {
  let characters = countCharacters(messages);
  for (const { parts } of messages) {
    characters += LABEL_CHARACTERS * parts.length;
    for (const part of parts.filter(isToolPart))
      characters -= Math.max(0, (readResultText(part)?.length ?? 0) - RESULT_CHARACTERS);
  }
  return characters;
}
