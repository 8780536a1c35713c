import { VERSION } from "../base/version.js";
import type { ConfigReading } from "../config/config.js";
import type { Clock } from "../io/clock.js";
import type { Log } from "../io/log.js";
import { SCREEN_OPENS_MS, type Toasts } from "../io/toasts.js";

interface Announcement {
  log: Log;
  toasts: Toasts;
  clock: Clock;
  instance: string;
  layers: string[];
}

/** Logs version, instance and layers, then one line for each wrong setting. One toast covers all wrong settings. */
export function announce(
  { problems }: ConfigReading,
  { log, toasts, clock, instance, layers }: Announcement,
): void {
  log.info(
    "strata",
    `opencode-strata ${VERSION}, instance ${instance}, layers: ${layers.join(", ") || "none"}`,
  );
  for (const problem of problems) log.warn("config", problem);
  const [first] = problems;
  if (first === undefined) return;
  const more = problems.length > 1 ? ` (${problems.length - 1} more in .opencode/strata/strata.log)` : "";
  clock.after(SCREEN_OPENS_MS, () => toasts.show(`${first}${more}`, "warning"));
}
