/** What is known of the last request of the sessions used last. */

import { countUsableTokens, type ModelWindow, planBudget } from "../../../src/context/windows.js";
import { findCacheShare } from "../../../src/costs/sums.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import type { ContextFigures } from "../../../src/status/session-screen.js";
import { measureContext, type SeenRequest } from "./measure-context.js";

export interface LastRequest {
  /** ISO 8601, UTC. */
  time: string;
  context: ContextFigures;
  /** Part of the prompt that came from the cache; `undefined` before the first answer. */
  cache?: number;
}

export interface LastRequests {
  note(sessionID: string, seen: SeenRequest): void;
  find(sessionID: string): LastRequest | undefined;
  forget(sessionID: string): void;
  /** Sessions, least recently used first. */
  sessions(): readonly string[];
}

const MOST_SESSIONS = 5;

export function createLastRequests({
  clock,
  config,
  sizes,
}: Pick<KernelContext, "clock" | "config" | "sizes">): LastRequests {
  const known = new Map<string, LastRequest>();

  return {
    note(sessionID, seen) {
      // Once the provider has counted, an estimate would be a step back.
      if (seen.usage === undefined && known.has(sessionID)) return;
      const thresholdTokens = planThreshold(config.autoCompact, seen.request.window);
      const cache = seen.usage && findCacheShare(seen.usage);
      known.delete(sessionID);
      known.set(sessionID, {
        time: new Date(clock.now()).toISOString(),
        context: measureContext(seen, { sizes, thresholdTokens }),
        ...(cache !== undefined && { cache }),
      });
      const [oldest] = known.keys();
      if (known.size > MOST_SESSIONS && oldest !== undefined) known.delete(oldest);
    },

    find: (sessionID) => known.get(sessionID),
    forget: (sessionID) => void known.delete(sessionID),
    sessions: () => [...known.keys()],
  };
}

/** Tokens at which history is cut, by Strata or, if that is switched off, by the host. */
function planThreshold(
  { enabled, threshold }: KernelContext["config"]["autoCompact"],
  window: ModelWindow | undefined,
): number {
  if (enabled || !window || window.contextTokens <= 0) return planBudget(threshold, window);
  return Math.max(0, countUsableTokens(window));
}
