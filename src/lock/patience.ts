import type { Clock } from "../seams/clock.js";

/** Looks on beyond the wait that was asked for, while it is not known whether the owner of a lock lives. */
export interface Patience {
  /** Whether to look on. The first time, whoever waits is told why. */
  hasMore(describe: () => Promise<string>): Promise<boolean>;
  end(): void;
}

/** By then it is known of one owner whether they are silent; where one follows on another they live. */
const LONGEST_MS = 75_000;

/** None where there is nobody to tell. */
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
