import type { ConfigReading } from "../../src/config/config.js";
import type { Layer } from "../../src/dispatcher/layer.js";
import type { Toasts } from "../../src/toasts.js";

/**
 * Wrong settings once more, with the first turn: a screen that takes its time to open shows nothing of what was said
 * before.
 */
export function createReminder({ problems }: ConfigReading, toasts: Toasts): Layer[] {
  const [first] = problems;
  if (first === undefined) return [];
  let isTold = false;
  return [
    {
      name: "announce",
      cost: 0.7,
      handlers: {
        turn() {
          if (!isTold) {
            const count =
              problems.length === 1 ? "One setting is wrong" : `${problems.length} settings are wrong`;
            toasts.show(`${count} (strata doctor): ${first}`, "warning");
          }
          isTold = true;
          return undefined;
        },
      },
    },
  ];
}
