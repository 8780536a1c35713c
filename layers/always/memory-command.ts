import { waitAtMost } from "../../src/io/clock.js";
import type { Deferred } from "../../src/io/deferred.js";
import type { Layer } from "../../src/kernel/layer.js";
import type { MemoryPageOptions } from "./memory-page.js";

/** How long the page waits for what the last request has left to write. */
const SETTLE_WITHIN_MS = 1_000;

/** `/memory`: the status of this session and of the project. Handles no hook. */
export function createMemoryCommand(options: MemoryPageOptions & { deferred: Deferred }): Layer {
  return {
    name: "status",
    phase: "before",
    handlers: {},
    commands: [
      {
        name: "memory",
        description: "Strata: context, savings and settings; no model call",
        async execute({ sessionID }) {
          const { clock, deferred } = options;
          const { formatMemoryPage } = await import("./memory-page.js");
          await waitAtMost(clock, SETTLE_WITHIN_MS, deferred.settle);
          return formatMemoryPage(options, sessionID);
        },
      },
    ],
  };
}
