import type { Clock } from "../seams/clock.js";

/** What is left of the time for which the host may be kept waiting, over all layers and all hooks of one call of it. */
export interface TimeLimit {
  readonly totalMs: number;
  /** Milliseconds, never below 0. */
  leftMs(): number;
  /** Time that does not count. */
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
