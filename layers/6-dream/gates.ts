/** Decides whether a dream is due. The gates are ordered by cost; the lock, the most expensive, comes after them. */
export interface GateFacts {
  nowMs: number;
  intervalMs: number;
  /** Time of the last successful dream. */
  lastSuccessMs: number | undefined;
  /** Time of the last failed dream. */
  lastFailureMs: number | undefined;
  /** Number of failures in a row. */
  failures: number;
  /** Number of memories created or changed since the last success. */
  changed: number;
  /** Is a turn running, here or in another instance? */
  isBusy: boolean;
}

/** With fewer changed memories a dream is not worth its cost. */
const LEAST_CHANGED = 5;
const FIRST_BACKOFF_MS = 10 * 60_000;
const LONGEST_BACKOFF_MS = 24 * 3_600_000;

/** Why no dream is due; `undefined` if one is. Times in the future are ignored, so a clock set back does not block dreams. */
export function findObstacle(facts: GateFacts): string | undefined {
  const { changed, failures, intervalMs, isBusy, lastFailureMs, lastSuccessMs, nowMs } = facts;
  if (isWithin(lastSuccessMs, intervalMs, nowMs)) return "the last dream was not long ago";
  if (failures > 0 && isWithin(lastFailureMs, planBackoff(failures), nowMs))
    return "the last dream failed not long ago";
  if (changed < LEAST_CHANGED) return `only ${changed} memories have changed since the last dream`;
  return isBusy ? "a session is busy" : undefined;
}

/** In milliseconds: ten minutes, doubled for each further failure, at most a day. */
export function planBackoff(failures: number): number {
  return Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(20, failures - 1));
}

/** False for a time in the future, which a wrong clock has written. */
function isWithin(timeMs: number | undefined, spanMs: number, nowMs: number): boolean {
  return timeMs !== undefined && timeMs <= nowMs && nowMs - timeMs < spanMs;
}
