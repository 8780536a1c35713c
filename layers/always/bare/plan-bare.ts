/**
 * What the host would have sent without the plugin, request by request. Pure.
 *
 *     first request      what was sent, less what Strata added
 *     next request       grows by what the session grew by, with the originals of what was taken out
 *     a look             an answer that only looks at what Strata took out: without Strata it would not have been
 *     window full        the host summarises, pays for that, and goes on with the summary and the newest messages
 *     cache cold         everything is written again, as in the request that was sent
 */

/** Tokens of a request and its answer. */
export interface Usage {
  sent: number;
  /** Part of `sent` that was read from the cache. */
  cached: number;
  answered: number;
}

export interface BareRequest extends Usage {
  /** Start of the answer, in milliseconds since 1970. */
  at: number;
  /** Start of the first message that the host would still have word for word; 0 for all of them. */
  since: number;
}

/** A request that was sent, and what the session had grown by. */
export interface BareStep {
  at: number;
  /** As counted by the provider. */
  counted: Usage;
  /** The cache had nothing, or had lost it for reasons outside Strata. */
  isCold: boolean;
  /** Tokens of system prompt and tools, without Strata's. */
  fixedTokens: number;
  /** Tokens of the request if nothing had been taken out or added. Only for a request that `before` says nothing about. */
  wholeTokens: number;
  /** Tokens of the messages since the request before, without looks. */
  grownTokens: number;
  /** The answer before was only a look. */
  isLook: boolean;
  /** The host has pruned results since: their tokens, and those of the request before the first of them. */
  pruned?: { tokens: number; prefixTokens: number } | undefined;
  /** Tokens of prompt and answer at which the host summarises; `undefined` if it never does. */
  usableTokens: number | undefined;
  /** The summary that the host would make of the messages since then. */
  summarize(since: number): BareSummary;
}

export interface BareSummary {
  usage: Usage;
  /** Tokens of the messages that follow the system prompt afterwards: the summary, and what stays. */
  keptTokens: number;
  since: number;
}

export interface BarePlan {
  request: BareRequest;
  /** The host's call for a summary, before the request. */
  summary?: Usage;
  /** A request that was counted as the host's, and would not have been. */
  retracted?: BareRequest;
}

export function planBare(before: BareRequest | undefined, step: BareStep): BarePlan {
  const { at, counted, fixedTokens, grownTokens, isCold, isLook, pruned, usableTokens } = step;
  const { answered } = counted;
  const limit = (cached: number, sent: number): number => Math.round(Math.min(cached, sent));
  const coldOr = (cached: number, sent: number): number => limit(isCold ? counted.cached : cached, sent);
  if (!before) {
    const sent = Math.max(0, Math.round(step.wholeTokens));
    return { request: { at, since: 0, sent, cached: limit(counted.cached, sent), answered } };
  }
  const { since } = before;
  const isFull = usableTokens !== undefined && before.sent + before.answered >= usableTokens;
  if (isFull && !isLook) {
    const { keptTokens, usage, ...after } = step.summarize(since);
    const sent = Math.round(fixedTokens + keptTokens);
    const cached = coldOr(fixedTokens, sent);
    return { request: { at, since: after.since, sent, cached, answered }, summary: usage };
  }
  const sent = Math.max(0, Math.round(before.sent + grownTokens - (pruned?.tokens ?? 0)));
  const kept = isLook ? before.cached : before.sent;
  const cached = coldOr(Math.min(kept, pruned?.prefixTokens ?? kept), sent);
  return { request: { at, since, sent, cached, answered }, ...(isLook && { retracted: before }) };
}
