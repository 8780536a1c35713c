/**
 * Long work in slices. Code that searches text from outside is a generator: the runner may pause it at each `yield`, so
 * that the host's only thread can serve the person in between. The work itself stays pure; only the runner uses a clock.
 */

/** The parts of `Clock` that slices need. */
export interface SliceClock {
  now(): number;
  pause(delayMs: number): Promise<void>;
}

/** Work that can be paused at each `yield`, and its result. */
export type Sliced<T> = Generator<void, T, void>;

/** Too short for a person to notice, long enough that the pauses cost little. */
const SLICE_MS = 10;

/** Runs the work and pauses after each slice. Rejects with what the work throws. */
export async function inSlices<T>(clock: SliceClock, work: Sliced<T>): Promise<T> {
  for (let begunMs = clock.now(); ; ) {
    const step = work.next();
    if (step.done) return step.value;
    const spentMs = clock.now() - begunMs;
    // A negative time means that the clock was set back: pause then, too.
    if (spentMs >= 0 && spentMs < SLICE_MS) continue;
    await clock.pause(0);
    begunMs = clock.now();
  }
}
