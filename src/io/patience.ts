import type { Clock } from "./clock.js";

/** Extends a wait while it is unknown whether the owner of a lock is alive. */
export interface Patience {
  /** Should the caller keep waiting? The first call tells the caller why. */
  hasMore(describe: () => Promise<string>): Promise<boolean>;
  end(): void;
}

/** Enough to find out whether one owner is silent. If owners change meanwhile, they are alive. */
const LONGEST_MS = 75_000;

/** Never extends the wait without `tell`. */
export function createPatience(clock: Clock, tell: ((why: string) => void) | undefined): Patience {
  let isOver = false;
  let stop: (() => void) | undefined;
  return {
    async hasMore(describe) {
      if (!tell || isOver) return false;
      if (stop) return true;
      stop = clock.after(LONGEST_MS, () => {
        isOver = true;
      });
      tell(await describe());
      return true;
    },
    end: () => stop?.(),
  };
}
