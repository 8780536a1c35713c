/**
 * Long work in slices. What looks through a text that anybody may have written is a generator: at each `yield` it may be
 * left for a while, so that the host's only thread gets on with what a person waits for. The work stays pure; only
 * whoever runs it knows the time.
 */

/** The part of a clock that slices need. */
export interface SliceClock {
  now(): number;
  pause(delayMs: number): Promise<void>;
}

/** Work that can be left at each `yield`, and what comes of it. */
export type Sliced<T> = Generator<void, T, void>;

/** Well below what a person notices, and long enough that the pauses between cost little. */
const SLICE_MS = 10;

/** Does the work and lets others on whenever a slice is over. Rejects with what the work throws. */
export async function inSlices<T>(clock: SliceClock, work: Sliced<T>): Promise<T> {
  for (let begunMs = clock.now(); ; ) {
    const step = work.next();
    if (step.done) return step.value;
    const spentMs = clock.now() - begunMs;
    // A clock that was put back tells nothing: then it is time to pause as well.
    if (spentMs >= 0 && spentMs < SLICE_MS) continue;
    await clock.pause(0);
    begunMs = clock.now();
  }
}

/** Does the work in one go: for short texts, or if nothing else needs the thread. */
export function atOnce<T>(work: Sliced<T>): T {
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}
