/** Time as the machine sees it. Tests turn it by hand; only `systemClock` touches the real one. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs `action` once after `delayMs`; the returned function cancels it. Never keeps the process alive. */
  after(delayMs: number, action: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
