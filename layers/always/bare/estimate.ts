/**
 * Estimates from a history what the host would have sent for its last answer: in a fork, and where the ledger says nothing.
 * Sizes are from characters, and looks are not known. Pure.
 */

import { countCharacters } from "../../../src/context/context-size.js";
import { CHARACTERS_PER_TOKEN } from "../../../src/context/learned-size.js";
import type { Message } from "../../../src/io/message.js";
import { isEndedAnswer } from "../../../src/messages/history.js";
import { type BareRequest, planBare } from "./plan-bare.js";
import { planHostSummary } from "./summary-in-session.js";
import { countUsage } from "./usage.js";

export interface EstimateOptions {
  fixedTokens: number;
  /** Tokens of Strata's tool definitions. */
  toolTokens: number;
  tokensPerCharacter: number;
  windowTokens: number | undefined;
  usableTokens: number | undefined;
  isInSession: boolean;
}

export function estimateBare(
  messages: readonly Message[],
  options: EstimateOptions,
): BareRequest | undefined {
  const { fixedTokens, isInSession, tokensPerCharacter, toolTokens, usableTokens, windowTokens } = options;
  let before: BareRequest | undefined;
  let from = 0;
  for (const [index, message] of messages.entries()) {
    if (!isEndedAnswer(message)) continue;
    const { created: at = 0 } = message.info.time ?? {};
    const grown = countCharacters(messages.slice(from, index));
    const counted = countUsage(message.info);
    const leastTokens = counted.sent - toolTokens;
    const [seen, last] = [messages.slice(0, index), from];
    const { request } = planBare(before, {
      at,
      ...{ counted, fixedTokens, usableTokens, windowTokens },
      grownTokens: grown * tokensPerCharacter,
      followingTokens: isInSession ? grown / CHARACTERS_PER_TOKEN : (before?.answered ?? 0),
      isCold: false,
      isLook: false,
      wholeTokens: leastTokens,
      summarize: (full) =>
        planHostSummary(
          seen.slice(0, last + 1).filter(({ info: { time } }) => (time?.created ?? 0) >= full.since),
          { ...options, at, before: full, later: seen.slice(last + 1) },
        ),
    });
    // Until the host would have summarised, Strata can only have made a request smaller.
    before = request.since === 0 ? { ...request, sent: Math.max(request.sent, leastTokens) } : request;
    from = index;
  }
  return before;
}
