/** Clears a planned batch: writes the files, the ledger and the decisions, in this order. */
import PQueue from "p-queue";
import { formatCount } from "../../src/base/format.js";
import { createStore } from "../../src/context/clear-input.js";
import type { ContextRequest } from "../../src/context/request.js";
import { recordBefore } from "../../src/costs/savings.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import type { Clearable } from "./gather.js";
import type { ClearPlan } from "./plan.js";

export interface Batch {
  clearable: readonly Clearable[];
  plan: ClearPlan;
  reason: string;
}

/** Rejects if a file or the decisions cannot be written, or the signal is aborted first; then nothing is cleared. */
export type ClearBatch = (request: ContextRequest, batch: Batch, signal: AbortSignal) => Promise<void>;

const LAYER = "micro-compact";
const WRITTEN_AT_A_TIME = 8;

export function createClearBatch(context: LayerContext): ClearBatch {
  const { decisions, log, savings } = context;
  return async ({ sessionID }, { clearable, plan, reason }, signal) => {
    const store = createStore(context);
    const lanes = new PQueue({ concurrency: WRITTEN_AT_A_TIME });
    const going = plan.chosen.map((index) => clearable[index]).filter((one) => one !== undefined);
    const stored = await Promise.all(going.map((one) => lanes.add(() => store(one))));
    const cleared = stored.filter((one) => one !== undefined);
    signal.throwIfAborted();
    const [first] = cleared;
    if (!first) return;
    const { cacheLost, tokensFreed } = plan;
    const inputs = going.filter(({ kind }, index) => kind === "input" && stored[index] !== undefined).length;
    const results = cleared.length - inputs;
    const saved = {
      session: sessionID,
      layer: LAYER,
      event: "cleared",
      reason,
      key: `${sessionID} ${first.key}`,
      results,
      ...(inputs > 0 && { inputs }),
      tokensFreed,
      cacheLost,
    };
    await recordBefore(savings, saved, () => decisions.record(sessionID, LAYER, cleared, signal));
    log.info(
      LAYER,
      `cleared ${results} results and ${inputs} call inputs (${reason}): about ${formatCount(tokensFreed)} tokens free, ` +
        `${formatCount(cacheLost)} cached tokens to be written again`,
    );
  };
}
