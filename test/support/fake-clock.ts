import type { Clock } from "../../src/seams/clock.js";

/** A clock that stands still until it is turned by hand. */
export interface FakeClock extends Clock {
  /** Moves on and runs what is due on the way. */
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
    // Time stands still, and the others get on with what is waited for.
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    advance(ms) {
      now += ms;
      const due = waiting.filter((entry) => entry.due <= now).sort((a, b) => a.due - b.due);
      waiting = waiting.filter((entry) => entry.due > now);
      for (const { action } of due) action();
    },
  };
}

/** Turns the clock on in small steps until the answer is there; what that took on it, in milliseconds. */
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
