/**
 * When to leave a provider in peace. After a failure that may pass (429, 5xx, no answer, anything unexplained) the
 * next call waits 30 seconds, after each further one twice as long, up to 30 minutes; an answer ends that. After a
 * refusal that will not pass by itself (every other 4xx: no key, no such model, no money) it is an hour.
 *
 * Kept in memory: after a restart one call is enough to find out again.
 */
import type { Clock } from "../seams/clock.js";

export interface Backoff {
  /** What stands against a call now, for people; `undefined` when nothing does. */
  why(): string | undefined;
  noteAnswer(): void;
  /** Returns how long there will be no call. */
  noteFailure(failure: Failure): number;
}

export interface Failure {
  reason: string;
  /** HTTP status, where there was one. */
  status?: number;
}

const FIRST_MS = 30_000;
const LONGEST_MS = 30 * 60_000;
const AFTER_REFUSAL_MS = 60 * 60_000;
/** 4xx that say "not now" rather than "no". */
const PASSING = new Set([408, 409, 425, 429]);

/** `failures`: in a row, this one among them. */
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
