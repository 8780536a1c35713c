/**
 * Work behind the turn that waits a moment, so that it is done once for several requests: notes, counts and whatever is
 * written whole each time. Work that must be on disk before it is used does not belong here.
 */
import { formatError } from "../base/error.js";
import type { Clock } from "./clock.js";
import type { Log } from "./log.js";

export type Deferred = ReturnType<typeof createDeferred>;

/** No longer than most models take for an answer, so that at most one request's work is lost when the host is killed. */
const DELAY_MS = 1_000;
/** For what is only looked at, or is made again with the next request: costly to make, and nothing when lost. */
export const DERIVED_MS = 5_000;

interface Waiting {
  work(): Promise<unknown>;
  cancel(): void;
}

export function createDeferred({ clock, log }: { clock: Pick<Clock, "after">; log: Pick<Log, "error"> }) {
  const waiting = new Map<string, Waiting>();
  const running = new Set<Promise<void>>();

  return {
    /** Runs the work after a moment. Further calls with this name until then replace it and do not prolong the wait. */
    add(name: string, work: () => Promise<unknown>, delayMs = DELAY_MS): void {
      const known = waiting.get(name);
      const cancel = known?.cancel ?? clock.after(delayMs, () => start(name));
      waiting.set(name, { work, cancel });
    },

    /** Runs at once what waits; resolves when all of it has ended. Never rejects. */
    async settle(): Promise<void> {
      while (waiting.size > 0 || running.size > 0) {
        for (const name of [...waiting.keys()]) start(name);
        await Promise.all(running);
      }
    },
  };

  function start(name: string): void {
    const one = waiting.get(name);
    if (!one) return;
    waiting.delete(name);
    one.cancel();
    const run = Promise.resolve()
      .then(one.work)
      .catch((thrown) => log.error("deferred", `${name}: ${formatError(thrown)}`))
      .then(() => void running.delete(run));
    running.add(run);
  }
}
