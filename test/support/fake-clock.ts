import type { Clock } from "../../src/io/clock.js";

/** A clock that only advances by hand. */
export interface FakeClock extends Clock {
  /** Advances the time and runs the timers due on the way. */
  advance(ms: number): void;
}

/** 2026-11-21, 09:00 UTC. */
export const MORNING = Date.UTC(2026, 10, 21, 9);

export function createFakeClock(startMs = MORNING): FakeClock {
  let now = startMs;
  let waiting: { due: number; action: () => void }[] = [];
  return {
    now: () => now,
    after(delayMs, action) {
      const entry = { due: now + delayMs, action };
      waiting.push(entry);
      return () => {
        waiting = waiting.filter((other) => other !== entry);
      };
    },
    // Time does not pass; other tasks get to run.
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    advance(ms) {
      now += ms;
      const due = waiting.filter((entry) => entry.due <= now).sort((a, b) => a.due - b.due);
      waiting = waiting.filter((entry) => entry.due > now);
      for (const { action } of due) action();
    },
  };
}

/** Advances the clock in small steps until the promise settles. Returns the fake milliseconds that took. */
export async function measure<T>(
  clock: FakeClock,
  asked: Promise<T>,
): Promise<{ answer: T; tookMs: number }> {
  const beganMs = clock.now();
  let isDone = false;
  const done = (): void => {
    isDone = true;
  };
  void asked.then(done, done);
  for (;;) {
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    if (isDone) return { answer: await asked, tookMs: clock.now() - beganMs };
    clock.advance(50);
  }
}
