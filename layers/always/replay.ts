/**
 * Shows the history as everything decided so far wants it. It is asked before all others, and waits for the records
 * longer than any layer may: without them the raw history would go out, which costs the prompt cache and may not fit
 * into the window.
 */
import type { Layer } from "../../src/dispatcher/layer.js";
import { formatError } from "../../src/error.js";
import type { KernelContext } from "../../src/layer-context.js";
import { waitAtMost } from "../../src/seams/clock.js";
import type { ContextRequest } from "../../src/view/request.js";

const LAYER = "replay";
/** A disk that takes longer counts as broken. */
const READ_WITHIN_MS = 20_000;
/** For records that are known but may have grown, and while an earlier read hangs. */
const LOOK_WITHIN_MS = 1_000;

export function createReplay({ clock, decisions, log }: KernelContext): Layer {
  let hanging = 0;

  return {
    name: LAYER,
    cost: 0.05,
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
    // Two instances do not take turns in the middle of a turn; each look at the disk costs milliseconds in a busy host.
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
    log.error(LAYER, `cannot read what was decided earlier: ${why}`);
  }
}
