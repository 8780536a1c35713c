/**
 * What the host would have sent without Strata, request by request. Pure.
 *
 *     first request     what was sent, without what Strata added and with what it kept out
 *     next request      grows by what the session grew by, with the originals of what was taken out
 *     a look            an answer that only looked at what Strata had taken out: it would not have been given
 *     a full window     the host summarises, pays for that, and goes on with the summary and the newest messages
 *     a cold cache      everything is written again, as for the request that was sent
 */
import { CHARACTERS_PER_TOKEN, countCharacters } from "../../../src/context/context-size.js";
import { isToolPart, type Message, readResultText } from "../../../src/io/message.js";
import type { Usage } from "./usage.js";

export interface BareRequest extends Usage {
  /** Start of the answer, in milliseconds since 1970. */
  at: number;
  /** Start of the first message that the host would still have word for word; 0 if it has all of them. */
  since: number;
}

/** A request that was sent, and what the session had grown by until then. */
export interface BareStep {
  at: number;
  /** As counted by the provider. */
  counted: Usage;
  /** The provider had no cache of the session's prefix, for a reason outside Strata. */
  isCold: boolean;
  /** Tokens of system prompt and tools, without Strata's. */
  fixedTokens: number;
  /** Tokens of the request with the whole history and without Strata's additions; used if no request came before. */
  wholeTokens: number;
  /** Tokens of the messages since the request before, without looks. */
  grownTokens: number;
  /** The answer before was only a look. */
  isLook: boolean;
  pruned?: Pruned | undefined;
  /** Tokens of the model's window; `undefined` if they are unknown. */
  windowTokens: number | undefined;
  /** Tokens of prompt and answer at which the host summarises; `undefined` if it never does. */
  usableTokens: number | undefined;
  /** Tokens that the host then adds to the request before: those of its answer, in OpenCode 2 also what came since. */
  followingTokens: number;
  /** The summary that the host would make behind that request. */
  summarize(before: BareRequest): BareSummary;
}

/** Results that the host itself has cleared since the request before (`compaction.prune`). */
export interface Pruned {
  tokens: number;
  /** Tokens of the request before the first of them. */
  prefixTokens: number;
}

export interface BareSummary {
  usage: Usage;
  /** Tokens that follow the system prompt afterwards: the summary and the messages that stay. */
  keptTokens: number;
  since: number;
}

export interface BarePlan {
  request: BareRequest;
  /** The host's call for a summary before the request. */
  summary?: Usage;
  /** A request that was counted before, and would not have been sent. */
  retracted?: Usage;
}

export function planBare(before: BareRequest | undefined, step: BareStep): BarePlan {
  if (!before)
    return { request: toRequest(step, { since: 0, sent: step.wholeTokens, cached: step.counted.cached }) };
  const { counted, fixedTokens, followingTokens, grownTokens, isCold, isLook, pruned, usableTokens } = step;
  const cachedOr = (warm: number): number => (isCold ? counted.cached : warm);
  const isFull = usableTokens !== undefined && before.sent + followingTokens >= usableTokens;
  if (isFull && !isLook) {
    const { keptTokens, since, usage } = step.summarize(before);
    const request = toRequest(step, { since, sent: fixedTokens + keptTokens, cached: cachedOr(fixedTokens) });
    return { request, summary: usage };
  }
  const { since } = before;
  const sent = before.sent + grownTokens - (pruned?.tokens ?? 0);
  const prefix = isLook ? before.cached : before.sent;
  const request = toRequest(step, {
    since,
    sent,
    cached: cachedOr(Math.min(prefix, pruned?.prefixTokens ?? prefix)),
  });
  return isLook ? { request, retracted: before } : { request };
}

function toRequest(
  { at, counted: { answered }, windowTokens = Number.POSITIVE_INFINITY }: BareStep,
  { cached, sent, since }: Pick<BareRequest, "cached" | "sent" | "since">,
): BareRequest {
  const size = Math.max(0, Math.round(Math.min(sent, windowTokens)));
  return { at, since, sent: size, cached: Math.max(0, Math.round(Math.min(cached, size))), answered };
}

/*
 * The host's own summary, as OpenCode 1.18.33 makes it (measured): when an answer fills the window, it sends the history
 * as one text, with results cut, and goes on with the summary and the newest messages. Pure.
 */

/** Characters of a result in the text to summarise. */
const RESULT_CHARACTERS = 2_000;
/** The newest messages that stay (`compaction.preserve_recent_tokens`): a quarter of the usable window, within bounds. */
const TAIL_TOKENS = { share: 0.25, least: 2_000, most: 15_000 };
/** Characters of the instruction, and of the system prompt of the agent that summarises. */
const INSTRUCTION_CHARACTERS = 2_330;
/** Characters before each text, call and result, such as "[Assistant tool call]: ". */
const LABEL_CHARACTERS = 20;
/** The instruction asks for a page of short lines under set headings; a summary of little text is shorter. */
export const SUMMARY_TOKENS = 1_000;
export const SUMMARY_SHARE = 0.1;
/** "What did we do so far?" before the summary, and the host's request to continue after the messages. */
export const AROUND_TOKENS = 50;

export interface SummaryOptions {
  usableTokens: number;
  tokensPerCharacter: number;
  /** Messages after the answer that filled the window. */
  later: readonly Message[];
  /** Start of the answer that follows. */
  at: number;
  /** The host has summarised before: that summary is sent along. */
  isLater: boolean;
}

/** `messages` are those that the host has word for word, up to the answer that filled the window. */
export function planSummary(
  messages: readonly Message[],
  { at, isLater, later, tokensPerCharacter, usableTokens }: SummaryOptions,
): BareSummary {
  const first = findTail(messages, usableTokens);
  const head = messages.slice(0, first);
  const kept = [...messages.slice(first), ...later];
  const characters = head.reduce((sum, message) => sum + countText(message), INSTRUCTION_CHARACTERS);
  const sent = Math.round(characters * tokensPerCharacter) + (isLater ? SUMMARY_TOKENS : 0);
  const answered = Math.round(Math.min(SUMMARY_TOKENS, sent * SUMMARY_SHARE));
  return {
    usage: { sent, cached: 0, answered },
    keptTokens: answered + AROUND_TOKENS + countCharacters(kept) * tokensPerCharacter,
    since: kept[0]?.info.time?.created ?? at,
  };
}

/** Index of the first message that stays: whole turns from the end, and the end of the turn that does not fit. */
function findTail(messages: readonly Message[], usableTokens: number): number {
  const share = Math.floor(usableTokens * TAIL_TOKENS.share);
  const room = Math.min(TAIL_TOKENS.most, Math.max(TAIL_TOKENS.least, share));
  let first = messages.length;
  let tokens = 0;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (!message) break;
    tokens += countJson(message) / CHARACTERS_PER_TOKEN;
    if (tokens > room) break;
    // A turn is split before an answer, never after its user's message.
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

/** Characters of a message in a text with results cut. */
export function countText(message: Message): number {
  const results = message.parts.map((part) => (isToolPart(part) ? (readResultText(part)?.length ?? 0) : 0));
  const cut = results.reduce((sum, length) => sum + Math.max(0, length - RESULT_CHARACTERS), 0);
  return countCharacters([message]) - cut + LABEL_CHARACTERS * message.parts.length;
}
