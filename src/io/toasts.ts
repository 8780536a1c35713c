/**
 * Short messages on the screen, for the few events that a person should know about. The host shows one at a time, and a
 * new one replaces the one shown, so they queue:
 *
 *     show → queue empty and the last toast over → the host
 *          → else it queues; the same text at most once a minute; a full queue drops its oldest
 *
 * The caller never waits. Every message is in the log as well. Without a screen nothing happens.
 */
import { toPrintable } from "../base/printable.js";
import type { Clock } from "./clock.js";
import type { Host, ToastVariant } from "./host.js";

export type Toasts = ReturnType<typeof createToasts>;

/** A screen that has just opened shows no messages for a moment. */
export const SCREEN_OPENS_MS = 3_000;
/** How long OpenCode shows a toast (5 s), and a margin. */
const SHOWN_MS = 5_500;
const SAME_AGAIN_MS = 60_000;
const MOST_WAITING = 4;
const RECENT_MS = 600_000;
const NAME = "Strata: ";

export function createToasts({ clock, host }: { clock: Clock; host: Pick<Host, "toast"> }) {
  const waiting: { text: string; variant: ToastVariant }[] = [];
  const shownMs = new Map<string, number>();
  const warnedMs = new Map<string, number>();
  /** Set while a toast is on the screen. */
  let cancel: (() => void) | undefined;

  return {
    /** Shows the message after those before it. Returns at once and never throws. */
    show(message: string, variant: ToastVariant): void {
      const printable = toPrintable(message);
      const text = NAME + printable;
      if (variant === "warning" || variant === "error") warnedMs.set(printable, clock.now());
      const isKnown = waiting.some((one) => one.text === text);
      const isRecent = clock.now() - (shownMs.get(text) ?? Number.NEGATIVE_INFINITY) < SAME_AGAIN_MS;
      if (isKnown || isRecent) return;
      waiting.push({ text, variant });
      if (waiting.length > MOST_WAITING) waiting.shift();
      advance();
    },

    /** Warnings and errors of the last ten minutes, oldest first. */
    recentWarnings(): string[] {
      for (const [text, atMs] of warnedMs) if (clock.now() - atMs > RECENT_MS) warnedMs.delete(text);
      return [...warnedMs.keys()];
    },

    /** Empties the queue. */
    dispose(): void {
      waiting.length = 0;
      cancel?.();
      cancel = undefined;
    },
  };

  function advance(): void {
    if (cancel) return;
    const next = waiting.shift();
    if (!next) return;
    shownMs.set(next.text, clock.now());
    cancel = clock.after(SHOWN_MS, () => {
      cancel = undefined;
      advance();
    });
    host.toast(next.text, next.variant);
  }
}
