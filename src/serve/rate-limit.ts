/** Limits requests per client, in one-minute windows that begin with the client's first request. */
import type { Clock } from "../io/clock.js";

export interface Allowance {
  isAllowed: boolean;
  limit: number;
  /** Requests left in the client's window. */
  remaining: number;
  /** Seconds until the client's next window. */
  resetSeconds: number;
}

export interface RateLimit {
  /** Counts a request of this client. */
  count(client: string): Allowance;
}

const WINDOW_MS = 60_000;
/** Bounds memory: one more client replaces the one whose window began first. */
const MOST_CLIENTS = 10_000;

export function createRateLimit(clock: Pick<Clock, "now">, limit: number): RateLimit {
  const windows = new Map<string, { endsMs: number; used: number }>();
  return {
    count(client) {
      const nowMs = clock.now();
      const window = findWindow(client, nowMs);
      window.used = Math.min(window.used + 1, limit + 1);
      return {
        isAllowed: window.used <= limit,
        limit,
        remaining: Math.max(0, limit - window.used),
        resetSeconds: Math.max(1, Math.ceil((window.endsMs - nowMs) / 1000)),
      };
    },
  };

  function findWindow(client: string, nowMs: number): { endsMs: number; used: number } {
    const known = windows.get(client);
    // If the end is more than a window ahead, the clock was set back.
    if (known && nowMs < known.endsMs && known.endsMs <= nowMs + WINDOW_MS) return known;
    windows.delete(client);
    const [oldest] = windows.keys();
    if (windows.size >= MOST_CLIENTS && oldest !== undefined) windows.delete(oldest);
    const started = { endsMs: nowMs + WINDOW_MS, used: 0 };
    windows.set(client, started);
    return started;
  }
}
