/**
 * Applies all recorded decisions to the history. Called before the other layers, and waits for the records longer than any
 * of them may: without the records the raw history would be sent, which costs the prompt cache and may exceed the window.
 */

import { formatError } from "../../src/base/error.js";
import type { ContextRequest } from "../../src/context/request.js";
import { waitAtMost } from "../../src/io/clock.js";
import type { Layer } from "../../src/kernel/layer.js";
import type { KernelContext } from "../../src/kernel/layer-context.js";

const LAYER = "replay";
/** A disk that takes longer is considered broken. */
const READ_WITHIN_MS = 20_000;
/** Limit for records that are loaded but may have grown, and while an earlier read hangs. */
const LOOK_WITHIN_MS = 1_000;

export function createReplay({ clock, decisions, log }: KernelContext): Layer {
  let hanging = 0;

  return {
    name: LAYER,
    phase: "before",
    isIndispensable: true,
    withinMs: { context: READ_WITHIN_MS + LOOK_WITHIN_MS, compacted: READ_WITHIN_MS + LOOK_WITHIN_MS },
    servesForks: ["context", "compacted"],
    handlers: {
      async context(request) {
        await read(request);
        return request.show();
      },
      async compacted(request) {
        await read(request);
        return undefined;
      },
    },
  };

  async function read(request: ContextRequest): Promise<void> {
    const { days, messages } = request.history;
    // Instances do not alternate within a turn, and each read costs milliseconds in a busy host.
    const again = messages.at(-1)?.info.role === "user";
    const withinMs = hanging > 0 || request.isReady() ? LOOK_WITHIN_MS : READ_WITHIN_MS;
    const waited = await waitAtMost(
      clock,
      withinMs,
      () => decisions.load(days, { again }),
      () => hanging--,
    );
    if (waited.kind === "done") return;
    if (waited.kind === "overran") hanging++;
    const why = waited.kind === "failed" ? formatError(waited.thrown) : `it took more than ${withinMs} ms`;
    log.error(LAYER, `cannot read earlier decisions: ${why}`);
  }
}
