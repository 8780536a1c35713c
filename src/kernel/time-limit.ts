import type { Clock } from "../io/clock.js";

/** Remaining time that one call of the host may take, over all its hooks and layers. */
export interface TimeLimit {
  readonly totalMs: number;
  /** Milliseconds, never below 0. */
  leftMs(): number;
  /** Adds time that does not count. */
  add(ms: number): void;
}

export function createTimeLimit(clock: Clock, totalMs: number): TimeLimit {
  let endMs = clock.now() + totalMs;
  return {
    totalMs,
    leftMs: () => Math.max(0, endMs - clock.now()),
    add(ms) {
      endMs += ms;
    },
  };
}
