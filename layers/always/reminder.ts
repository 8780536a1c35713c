import type { ConfigReading } from "../../src/config/config.js";
import type { Toasts } from "../../src/io/toasts.js";
import type { Layer } from "../../src/kernel/layer.js";

/**
 * Repeats the warning about wrong settings with the first turn, because a screen that opens slowly misses the toast at
 * start-up.
 */
export function createReminder({ problems }: ConfigReading, toasts: Toasts): Layer[] {
  const [first] = problems;
  if (first === undefined) return [];
  let isShown = false;
  return [
    {
      name: "announce",
      phase: "before",
      handlers: {
        turn() {
          if (!isShown) {
            const count =
              problems.length === 1 ? "One setting is wrong" : `${problems.length} settings are wrong`;
            toasts.show(`${count} (strata doctor): ${first}`, "warning");
          }
          isShown = true;
          return undefined;
        },
      },
    },
  ];
}
