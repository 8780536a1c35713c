import type { Clock } from "../io/clock.js";

/**
 * Caches the result of `read` for `forMs` and never runs it twice at a time, so that many clients cost as much as one. A
 * rejection is not cached.
 */
export function createRecent<T>(
  clock: Pick<Clock, "now">,
  forMs: number,
  read: () => Promise<T>,
): () => Promise<T> {
  let held: { value: Promise<T>; endsMs?: number } | undefined;
  return () => {
    if (held && isFresh(held.endsMs)) return held.value;
    const mine: NonNullable<typeof held> = { value: read() };
    held = mine;
    mine.value.then(
      () => {
        mine.endsMs = clock.now() + forMs;
      },
      () => {
        if (held === mine) held = undefined;
      },
    );
    return mine.value;
  };

  /** A running read counts as fresh; `forMs` starts when it ends. If the end is too far ahead, the clock was set back. */
  function isFresh(endsMs: number | undefined): boolean {
    const nowMs = clock.now();
    return endsMs === undefined || (nowMs < endsMs && endsMs <= nowMs + forMs);
  }
}
