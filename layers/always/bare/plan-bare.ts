/**
 * What the host would have sent without Strata, request by request. Pure.
 *
 *     first request     what was sent, without what Strata added and with what it kept out
 *     next request      grows by what the session grew by, with the originals of what was taken out
 *     a look            an answer that only looked at what Strata had taken out: it would not have been given
 *     a full window     the host summarises, pays for that, and goes on with the summary and the newest messages
 *     a cold cache      everything is written again, as for the request that was sent
 */

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
