/** Decides whether a dream is due. The gates are ordered by cost; the lock, the most expensive, comes after them. */
import type { LayerContext } from "../../src/kernel/layer-context.js";
import type { DreamState } from "../../src/project/dream-state.js";

export interface GateFacts {
  nowMs: number;
  intervalMs: number;
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
  if (changed < LEAST_CHANGED) return `only ${changed} memories have changed since the last dream`;
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

export function createGates({
  clock,
  config,
  instances,
  memories,
}: Pick<LayerContext, "clock" | "config" | "instances" | "memories">) {
  const busy = new Set<string>();

  return {
    /** A turn of this session has begun, or ended. */
    note(sessionID: string, is: "busy" | "idle"): void {
      if (is === "busy") busy.add(sessionID);
      else busy.delete(sessionID);
    },

    /** Why there should be no dream now, as a clause. Reads the memories only if the cheaper gates are open. */
    async findObstacle(state: DreamState): Promise<string | undefined> {
      const early = findObstacle(state, { ...readFacts(state), changed: Number.POSITIVE_INFINITY });
      if (early !== undefined) return early;
      await memories.list();
      return findObstacle(state, { ...readFacts(state), isBusy: await isBusy() });
    },

    /** The same from what is in memory: does not read the disk or ask whether sessions are busy. */
    findKnownObstacle: (state: DreamState): string | undefined => findObstacle(state, readFacts(state)),
  };

  function readFacts({ lastSuccessMs = 0 }: DreamState): GateFacts {
    const nowMs = clock.now();
    const sinceMs = lastSuccessMs > nowMs ? 0 : lastSuccessMs;
    const isFresh = (updatedMs: number): boolean => updatedMs > sinceMs && updatedMs <= nowMs;
    const changed = memories
      .known()
      .filter(({ isForeign, updated }) => !isForeign && isFresh(Date.parse(updated))).length;
    return { nowMs, intervalMs: config.dream.interval, changed, isBusy: false };
  }

  async function isBusy(): Promise<boolean> {
    if (busy.size > 0) return true;
    const living = await instances.living();
    return living.some(
      ({ id, sessions }) => id !== instances.ownID && sessions.some(({ state }) => state === "busy"),
    );
  }
}
