/** Whether it is time for a dream. The gates in the order of what they cost; the lock, the dearest, comes after them. */
export interface GateFacts {
  nowMs: number;
  intervalMs: number;
  /** When the last dream has succeeded. */
  lastSuccessMs: number | undefined;
  /** When the last one has failed, and how many did in a row. */
  lastFailureMs: number | undefined;
  failures: number;
  /** Memories that were made or changed since the last success. */
  changed: number;
  /** Is a turn under way, here or in another instance? */
  isBusy: boolean;
}

/** With fewer there is nothing that a dream could find. */
const LEAST_CHANGED = 5;
const FIRST_BACKOFF_MS = 10 * 60_000;
const LONGEST_BACKOFF_MS = 24 * 3_600_000;

/** Why there is no dream now; `undefined` when nothing stands against it. A clock that was set back does not hold it up for ever. */
export function findObstacle(facts: GateFacts): string | undefined {
  const { changed, failures, intervalMs, isBusy, lastFailureMs, lastSuccessMs, nowMs } = facts;
  if (isWithin(lastSuccessMs, intervalMs, nowMs)) return "the last one was not long ago";
  if (failures > 0 && isWithin(lastFailureMs, planBackoff(failures), nowMs))
    return "the last one has failed not long ago";
  if (changed < LEAST_CHANGED) return `only ${changed} memories have changed since the last one`;
  return isBusy ? "somebody is at work" : undefined;
}

/** Ten minutes, twice as long after each further failure, a day at most. */
export function planBackoff(failures: number): number {
  return Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(20, failures - 1));
}

/** A time that is still to come was written by a clock that went wrong. */
function isWithin(timeMs: number | undefined, spanMs: number, nowMs: number): boolean {
  return timeMs !== undefined && timeMs <= nowMs && nowMs - timeMs < spanMs;
}
