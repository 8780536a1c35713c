/**
 * For how many further requests a result will be carried for nothing, if it stays: the longer nothing has used it, the
 * longer it will be so. That makes clearing a matter of renting or buying: it pays once carrying has cost about as much.
 */
import type { SessionUses } from "./uses.js";

/**
 * Learned on nine recorded sessions of four repositories (docs/sessions.md), for the lowest price with all look-ups paid.
 * Choosing on three of the repositories and measuring on the fourth gave the same price within .02.
 */
const LEARNED = {
  /** Requests to expect for each answer that did not use the result. */
  perUnusedAnswer: 0.75,
  /** How much an answer counts that belongs to the turn that made the call: the agent is still at the same work. */
  withinTurn: 0.3,
  /** Answers that do not count, since a result is used most right after the call. */
  grace: 3,
  /** Each result that was looked up again soon after it was cleared makes all of them stay longer by this share. */
  perMistake: 0.15,
} as const;

export interface Expectation {
  uses: SessionUses;
  /** Results that were cleared and looked up again soon. */
  mistakes: number;
  /** Further requests to expect of the session. */
  remaining: number;
}

/** Further requests that would carry the result of this call for nothing. Pure. */
export function expectRequests({ mistakes, remaining, uses }: Expectation, callID: string): number {
  const { answers } = uses;
  const last = uses.lastUse(callID);
  if (last === undefined) return 0;
  const turnEnd = Math.max(last, Math.min(uses.turnEnd(callID), answers));
  const unused = (turnEnd - last) * LEARNED.withinTurn + (answers - turnEnd);
  const expected = Math.max(0, unused - LEARNED.grace) * LEARNED.perUnusedAnswer;
  return Math.min(remaining, expected / (1 + LEARNED.perMistake * mistakes));
}
