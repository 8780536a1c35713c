/** Decides whether a dream is due; the lock comes after these gates. */
import { DAY_MS } from "../../src/base/days.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import type { DreamState } from "../../src/project/dream-state.js";

/** With fewer changed memories a dream is not worth its cost, but for the one a day that upkeep takes. */
const LEAST_CHANGED = 5;
const FIRST_BACKOFF_MS = 10 * 60_000;
const LONGEST_BACKOFF_MS = 24 * 3_600_000;

/**
 * Why no dream is due; `undefined` if one is. Times in the future are ignored, so a clock set back does not block dreams.
 * Memories count as they were last read. `isBusy`: a turn is running, here or in another instance.
 */
export function findObstacle(
  { clock, config, memories }: Pick<LayerContext, "clock" | "config" | "memories">,
  { failures, lastFailureMs, lastSuccessMs }: DreamState,
  isBusy: boolean,
): string | undefined {
  const nowMs = clock.now();
  if (isWithin(lastSuccessMs, config.dream.interval, nowMs)) return "the last dream was not long ago";
  if (failures > 0 && isWithin(lastFailureMs, planBackoff(failures), nowMs))
    return "the last dream failed not long ago";
  const sinceMs = lastSuccessMs === undefined || lastSuccessMs > nowMs ? 0 : lastSuccessMs;
  const changed = memories.known().filter(({ isForeign, updated }) => {
    const updatedMs = Date.parse(updated);
    return !isForeign && updatedMs > sinceMs && updatedMs <= nowMs;
  }).length;
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
