/**
 * For how many further requests a result will be carried for nothing, if it stays: the longer nothing has used it, the
 * longer it will be so. That makes clearing a matter of renting or buying: it pays once carrying has cost about as much.
 */
import type { SessionUses } from "./uses.js";

export interface Patience {
  /** Requests to expect for each answer that did not use the result. */
  perUnusedAnswer: number;
  /** How much an answer counts that belongs to the turn that made the call: the agent is still at the same work. */
  withinTurn: number;
  /** Answers that do not count, since a result is used most right after the call. */
  grace: number;
  /** Each result that was looked up again soon after it was cleared makes all of them stay longer by this share. */
  perMistake: number;
}

/**
 * Learned on nine recorded sessions of four repositories, for a low price with all look-ups paid. `npm run
 * bench:policies` tries others, and what is learned on three of the repositories on the fourth.
 */
export const LEARNED: Patience = { perUnusedAnswer: 1.5, withinTurn: 0.15, grace: 2, perMistake: 0.15 };

export interface Expectation {
  patience: Patience;
  uses: SessionUses;
  /** Results that were cleared and looked up again soon. */
  mistakes: number;
  /** Further requests to expect of the session. */
  remaining: number;
}

/** Further requests that would carry the result of this call for nothing. Pure. */
export function expectRequests({ mistakes, patience, remaining, uses }: Expectation, callID: string): number {
  const { answers } = uses;
  const last = uses.lastUse(callID);
  if (last === undefined) return 0;
  const turnEnd = Math.max(last, Math.min(uses.turnEnd(callID), answers));
  const unused = (turnEnd - last) * patience.withinTurn + (answers - turnEnd);
  const expected = Math.max(0, unused - patience.grace) * patience.perUnusedAnswer;
  return Math.min(remaining, expected / (1 + patience.perMistake * mistakes));
}
