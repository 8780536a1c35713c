/** Refuses model calls, and says why: in the log, and once a day to the person. */
import { formatDay } from "../days.js";
import type { Log } from "../record/log.js";
import type { Clock } from "../seams/clock.js";
import type { Toasts } from "../toasts.js";
import type { GenerationResult } from "./generation-request.js";

export interface Refusals {
  /** Logged once for the same reason in a row: at a limit layers go on asking. */
  refuse(purpose: string, why: string): GenerationResult;
  /** The budget of the day is used up. Shown once a day, since it explains why notes are plainer. */
  showUsedUp(why: string): void;
}

export interface RefusalsOptions {
  clock: Clock;
  log: Log;
  toasts: Pick<Toasts, "show">;
}

export function createRefusals({ clock, log, toasts }: RefusalsOptions): Refusals {
  let lastRefusal = "";
  let usedUpOn = "";

  return {
    refuse(purpose, why) {
      log[why === lastRefusal ? "debug" : "info"]("background", `${purpose}: no model call, ${why}`);
      lastRefusal = why;
      return { kind: "refused", why };
    },

    showUsedUp(why) {
      const today = formatDay(clock.now());
      if (usedUpOn === today) return;
      usedUpOn = today;
      toasts.show(
        `no more model calls in the background today: ${why}. Everything goes on without them.`,
        "info",
      );
    },
  };
}
