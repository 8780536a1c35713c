/** Tells the user about memories that are not theirs, in one line. */
import { countMemories } from "../format.js";
import type { Log } from "../record/log.js";
import type { Clock } from "../seams/clock.js";
import type { Toasts } from "../toasts.js";

/** Origin of memories that are not the user's. */
export type ForeignCause = "repository" | "agent";

export interface TrustTeller {
  tellForeign(cause: ForeignCause, count: number): void;
  tellAccepted(count: number): void;
}

/** Folders are checked one after the other; findings within this time are reported together. */
const TOGETHER_MS = 500;

export function createTrustTeller(options: { clock: Clock; log: Log; toasts: Toasts }): TrustTeller {
  const { clock, log, toasts } = options;
  const counts = new Map<ForeignCause, number>();

  return {
    tellForeign(cause, count) {
      if (counts.size === 0) clock.after(TOGETHER_MS, flush);
      counts.set(cause, (counts.get(cause) ?? 0) + count);
    },

    tellAccepted(count) {
      const what = `${countMemories(count)} that an earlier version kept here count as yours; /memory-trust undo takes that back`;
      log.info("trust", what);
      toasts.show(what, "info");
    },
  };

  function flush(): void {
    for (const [cause, count] of counts) {
      const what = formatForeign(cause, count);
      // Each time anew: the log tells the same warning once a day.
      log.info("trust", what);
      toasts.show(what, "warning");
    }
    counts.clear();
  }
}

function formatForeign(cause: ForeignCause, count: number): string {
  const come =
    cause === "repository"
      ? `${countMemories(count)} came with this repository`
      : `${countMemories(count)} changed on disk while the agent worked`;
  return `${come} and ${count === 1 ? "is" : "are"} not shown as your words; /memory-trust shows and accepts them`;
}
