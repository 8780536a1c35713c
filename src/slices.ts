/**
 * Long work in slices. What looks through a text that anybody may have written is a generator: at each `yield` it may be
 * left for a while, so that the host's only thread gets on with what a person waits for. The work stays pure; only
 * whoever runs it knows the time.
 */
import type { Clock } from "./seams/clock.js";

/** Work that can be left at each `yield`, and what comes of it. */
export type Sliced<T> = Generator<void, T, void>;

/** Well below what a person notices, and long enough that the pauses between cost little. */
const SLICE_MS = 10;

/**
 * By clock, the last of the works that are under way. Each slice waits for the one before: between two looks of the
 * host's at what has come in there is one slice, and not one of each work.
 */
const lines = new WeakMap<object, Promise<void>>();

/** Does the work and lets others on whenever a slice is over. Rejects with what the work throws. */
export async function inSlices<T>(clock: Pick<Clock, "now" | "pause">, work: Sliced<T>): Promise<T> {
  for (;;) {
    const before = lines.get(clock);
    let leave = (): void => {};
    const mine = new Promise<void>((resolve) => {
      leave = resolve;
    });
    lines.set(clock, mine);
    try {
      await before;
      const step = runSlice(clock, work);
      if (step.done) return step.value;
      await clock.pause(0);
    } finally {
      leave();
      if (lines.get(clock) === mine) lines.delete(clock);
    }
  }
}

function runSlice<T>(clock: Pick<Clock, "now">, work: Sliced<T>): IteratorResult<void, T> {
  for (const begunMs = clock.now(); ; ) {
    const step = work.next();
    if (step.done) return step;
    const spentMs = clock.now() - begunMs;
    // A clock that was put back tells nothing: then it is time to pause as well.
    if (spentMs < 0 || spentMs >= SLICE_MS) return step;
  }
}

/** Does the work in one go: for short texts, and where nobody else waits for the thread. */
export function atOnce<T>(work: Sliced<T>): T {
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}
