/**
 * Short messages on the screen, for the few moments that a person should know of. The host shows one at a time and a
 * later one takes the place of an earlier, so they wait for each other:
 *
 *     show → nothing waits, and the last one has been seen → the host
 *          → else it waits for its turn; the same words once a minute at most; of too many the oldest is dropped
 *
 * They are never waited for, are in the log as well, and do nothing without a screen.
 */
import { toPrintable } from "./printable.js";
import type { Clock } from "./seams/clock.js";
import type { Host, ToastVariant } from "./seams/host.js";

export interface Toasts {
  /** Shows it when those before it have been seen. Returns at once and never throws. */
  show(message: string, variant: ToastVariant): void;
  /** Forgets those that wait. */
  dispose(): void;
}

export interface ToastsOptions {
  clock: Clock;
  host: Pick<Host, "toast">;
}

/** A screen that has just been opened needs a moment before it shows messages. */
export const SCREEN_OPENS_MS = 3_000;
/** How long OpenCode shows one, and a moment. */
const SHOWN_MS = 5_500;
const SAME_AGAIN_MS = 60_000;
const MOST_WAITING = 4;
const NAME = "Strata: ";

export function createToasts({ clock, host }: ToastsOptions): Toasts {
  const waiting: { text: string; variant: ToastVariant }[] = [];
  const shownMs = new Map<string, number>();
  /** There while one is on the screen. */
  let cancel: (() => void) | undefined;

  return {
    show(message, variant) {
      const text = NAME + toPrintable(message);
      const isKnown = waiting.some((one) => one.text === text);
      const isRecent = clock.now() - (shownMs.get(text) ?? Number.NEGATIVE_INFINITY) < SAME_AGAIN_MS;
      if (isKnown || isRecent) return;
      waiting.push({ text, variant });
      if (waiting.length > MOST_WAITING) waiting.shift();
      advance();
    },

    dispose() {
      waiting.length = 0;
      cancel?.();
      cancel = undefined;
    },
  };

  function advance(): void {
    if (cancel) return;
    const next = waiting.shift();
    if (!next) return;
    for (const [text, atMs] of shownMs) if (clock.now() - atMs >= SAME_AGAIN_MS) shownMs.delete(text);
    shownMs.set(next.text, clock.now());
    cancel = clock.after(SHOWN_MS, () => {
      cancel = undefined;
      advance();
    });
    host.toast(next.text, next.variant);
  }
}
