/** The clock seam. Tests advance it by hand; only `systemClock` uses the real clock. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs `action` once after `delayMs`; the returned function cancels it. Never keeps the process alive. */
  after(delayMs: number, action: () => void): () => void;
  /** Resolves after `delayMs`; keeps the process alive. */
  pause(delayMs: number): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
  pause: (delayMs) => new Promise((resolve) => setTimeout(resolve, delayMs)),
};

/** When this process started; unaffected by clock changes. Only for comparison. */
export const processStart = String(Math.round(performance.timeOrigin));

/** The outcome of a bounded wait. */
export type Waited<T> =
  | { kind: "done"; value: T }
  | { kind: "failed"; thrown: unknown }
  | { kind: "overran" };

/**
 * Starts `run` and waits for it at most `deadlineMs`; never throws or rejects, and gives at once what `run` returns at
 * once. `run` gets a signal that is aborted at the deadline. A later result is dropped; `onLateEnd` is called when it
 * arrives.
 */
export function waitAtMost<T>(
  clock: Clock,
  deadlineMs: number,
  run: (signal: AbortSignal) => T | Promise<T>,
  onLateEnd: () => void = () => {},
): Waited<T> | Promise<Waited<T>> {
  const abort = new AbortController();
  let started: T | Promise<T>;
  try {
    started = run(abort.signal);
  } catch (thrown) {
    return { kind: "failed", thrown };
  }
  // Most calls, such as those about the host's many events, need no timer.
  if (!isPromise(started)) return { kind: "done", value: started };
  let cancel = (): void => {};
  const deadline = new Promise<Waited<T>>((resolve) => {
    cancel = clock.after(deadlineMs, () => {
      abort.abort();
      resolve({ kind: "overran" });
    });
  });
  const call = started
    .then(
      (value): Waited<T> => ({ kind: "done", value }),
      (thrown: unknown): Waited<T> => ({ kind: "failed", thrown }),
    )
    .finally(() => abort.signal.aborted && onLateEnd());
  return Promise.race([call, deadline]).finally(cancel);
}

export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
