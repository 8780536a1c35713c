/**
 * Backoff after failed calls. After a temporary failure (429, 5xx, no answer, unknown) the next call waits 30 seconds,
 * then twice as long after each further failure, up to 30 minutes; a success resets it. After a permanent refusal (any
 * other 4xx: no key, unknown model, no credit) the wait is an hour.
 *
 * Kept in memory: after a restart one call finds out again.
 */
import type { Clock } from "../io/clock.js";

export interface Backoff {
  /** Why no call may be made now, for people; `undefined` if one may. */
  why(): string | undefined;
  noteAnswer(): void;
  /** Returns the pause in milliseconds. */
  noteFailure(failure: Failure): number;
}

export interface Failure {
  reason: string;
  /** HTTP status, if any. */
  status?: number;
}

const FIRST_MS = 30_000;
const LONGEST_MS = 30 * 60_000;
const AFTER_REFUSAL_MS = 60 * 60_000;
/** 4xx codes of temporary failures. */
const PASSING = new Set([408, 409, 425, 429]);

/** `failures`: consecutive, this one included. */
function planPause(status: number | undefined, failures: number): number {
  const isFinal = status !== undefined && status >= 400 && status < 500 && !PASSING.has(status);
  return isFinal ? AFTER_REFUSAL_MS : Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
}

export function createBackoff(clock: Clock): Backoff {
  let failures = 0;
  let untilMs = 0;
  let last = "";

  return {
    why() {
      if (clock.now() >= untilMs) return undefined;
      return `the last call failed (${last}); none before ${new Date(untilMs).toISOString()}`;
    },
    noteAnswer() {
      failures = 0;
      untilMs = 0;
    },
    noteFailure({ reason, status }) {
      failures++;
      last = reason;
      const pauseMs = planPause(status, failures);
      untilMs = clock.now() + pauseMs;
      return pauseMs;
    },
  };
}
