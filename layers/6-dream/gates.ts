/** Decides whether a dream is due; the lock comes after these gates. */
import { DAY_MS } from "../../src/base/days.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import type { DreamState } from "../../src/project/dream-state.js";

export interface GateFacts {
  nowMs: number;
  intervalMs: number;
  changed: number;
  /** Is a turn running, here or in another instance? */
  isBusy: boolean;
}

/** With fewer changed memories a dream is not worth its cost, but for the one a day that upkeep takes. */
const LEAST_CHANGED = 5;
const FIRST_BACKOFF_MS = 10 * 60_000;
const LONGEST_BACKOFF_MS = 24 * 3_600_000;

/** Why no dream is due; `undefined` if one is. Times in the future are ignored, so a clock set back does not block dreams. */
export function findObstacle(
  {
    failures,
    lastFailureMs,
    lastSuccessMs,
  }: Pick<DreamState, "failures" | "lastFailureMs" | "lastSuccessMs">,
  { changed, intervalMs, isBusy, nowMs }: GateFacts,
): string | undefined {
  if (isWithin(lastSuccessMs, intervalMs, nowMs)) return "the last dream was not long ago";
  if (failures > 0 && isWithin(lastFailureMs, planBackoff(failures), nowMs))
    return "the last dream failed not long ago";
  if (changed < LEAST_CHANGED && isWithin(lastSuccessMs, DAY_MS, nowMs))
    return `only ${changed} memories have changed since the last dream`;
  return isBusy ? "a session is busy" : undefined;
}

/** In milliseconds: ten minutes, doubled for each further failure, at most a day. */
export function planBackoff(failures: number): number {
  return Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(20, failures - 1));
}

/** False for a time in the future, which a wrong clock has written. */
export function isWithin(timeMs: number | undefined, spanMs: number, nowMs: number): boolean {
  return timeMs !== undefined && timeMs <= nowMs && nowMs - timeMs < spanMs;
}

/** What is known without reading the disk; memories count as they were last read. */
export function readFacts(
  { clock, config, memories }: Pick<LayerContext, "clock" | "config" | "memories">,
  { lastSuccessMs = 0 }: DreamState,
): Omit<GateFacts, "isBusy"> {
  const nowMs = clock.now();
  const sinceMs = lastSuccessMs > nowMs ? 0 : lastSuccessMs;
  const isFresh = (updatedMs: number): boolean => updatedMs > sinceMs && updatedMs <= nowMs;
  const own = memories.known().filter(({ isForeign }) => !isForeign);
  const changed = own.filter(({ updated }) => isFresh(Date.parse(updated))).length;
  return { nowMs, intervalMs: config.dream.interval, changed };
}
