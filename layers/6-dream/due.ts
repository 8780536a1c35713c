/** Collects the facts for the gates: is a dream due, and are all sessions idle? */
import type { Config } from "../../src/config/schema.js";
import type { Instances } from "../../src/instances/instances.js";
import type { Memories } from "../../src/memory/store.js";
import type { DreamState } from "../../src/record/dream-state.js";
import type { Clock } from "../../src/seams/clock.js";
import { findObstacle, type GateFacts } from "./gates.js";

export interface Due {
  /** A turn of this session has begun, or ended. */
  note(sessionID: string, is: "busy" | "idle"): void;
  /** Why there should be no dream now, as a clause. Reads the memories only if the cheaper gates are open. */
  findObstacle(state: DreamState): Promise<string | undefined>;
  /** The same from what is in memory: does not read the disk or ask whether sessions are busy. */
  findKnownObstacle(state: DreamState): string | undefined;
}

export interface DueOptions {
  clock: Clock;
  config: Pick<Config, "dream">;
  instances: Pick<Instances, "living" | "ownID">;
  memories: Pick<Memories, "known" | "list">;
}

export function createDue({ clock, config, instances, memories }: DueOptions): Due {
  const busy = new Set<string>();

  return {
    note(sessionID, is) {
      if (is === "busy") busy.add(sessionID);
      else busy.delete(sessionID);
    },

    async findObstacle(state) {
      const early = findObstacle({ ...readFacts(state), changed: Number.POSITIVE_INFINITY });
      if (early !== undefined) return early;
      await memories.list();
      return findObstacle({ ...readFacts(state), isBusy: await isBusy() });
    },

    findKnownObstacle: (state) => findObstacle(readFacts(state)),
  };

  function readFacts({ failures, lastFailureMs, lastSuccessMs }: DreamState): GateFacts {
    const nowMs = clock.now();
    // A time in the future comes from a wrong clock or a manual edit, and is ignored.
    const sinceMs = lastSuccessMs === undefined || lastSuccessMs > nowMs ? 0 : lastSuccessMs;
    const isFresh = (updatedMs: number): boolean => updatedMs > sinceMs && updatedMs <= nowMs;
    const changed = memories
      .known()
      .filter(({ isForeign, updated }) => !isForeign && isFresh(Date.parse(updated))).length;
    const { interval: intervalMs } = config.dream;
    return { nowMs, intervalMs, lastSuccessMs, lastFailureMs, failures, changed, isBusy: false };
  }

  async function isBusy(): Promise<boolean> {
    if (busy.size > 0) return true;
    const living = await instances.living();
    return living.some(
      ({ id, sessions }) => id !== instances.ownID && sessions.some(({ state }) => state === "busy"),
    );
  }
}
