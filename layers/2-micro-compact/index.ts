/**
 * Layer 2: clears old tool results, and long inputs of old calls, in one batch when that costs no prompt cache or pays
 * back. Costs no model call. Messages, reasoning, results of other tools and the newest calls stay.
 *
 *     gather → plan → write the files → write the ledger → record the decisions → show the markers
 *
 * Each marker names the file with the whole result or input. On a failure nothing is cleared.
 */
import PQueue from "p-queue";
import { refuse } from "../../src/dispatcher/hooks.js";
import { formatCount } from "../../src/format.js";
import type { LayerContext } from "../../src/layer-context.js";
import type { LayerDefinition, LayerParts } from "../../src/layer-definition.js";
import { recordBefore } from "../../src/record/record-before.js";
import type { ContextRequest } from "../../src/view/request.js";
import { repeatsMarker } from "./clear-input.js";
import { defaults } from "./defaults.js";
import { type Clearable, gatherClearable } from "./gather.js";
import { createOccasions } from "./occasions.js";
import { type ClearPlan, planClear } from "./plan.js";
import { createStore } from "./store.js";

const LAYER = "micro-compact";
const WRITTEN_AT_A_TIME = 8;

export const microCompact: LayerDefinition = {
  name: LAYER,
  cost: 2,
  settings: { defaults, loadSchemas: async () => (await import("./settings.js")).schemas },
  files: [],
  loadProof: () => import("./proof.js"),
  create,
};

function create(context: LayerContext): LayerParts {
  const { config, decisions, log, savings } = context;
  const policy = config.microCompact;
  const occasions = createOccasions(context);

  return {
    withinMs: { context: 2_000 },
    handlers: {
      async context(request, messages, signal) {
        if (request.isCompaction || !request.isReady()) return undefined;
        const clearable = gatherClearable(request, messages, policy.keepRecent);
        if (clearable.length === 0) return undefined;
        const tokens = request.estimateTokens(messages);
        const rates = request.rates(tokens);
        const { occasion, reason } = occasions.find(request, tokens);
        const plan = planClear(clearable, occasion, { ...policy, rates });
        occasions.note(request.sessionID, occasion, plan);
        if (!plan) return undefined;
        await clear(request, { clearable, plan, reason }, signal);
        return request.show();
      },

      toolArguments({ tool }, args) {
        if (!repeatsMarker(tool, args)) return undefined;
        return refuse(
          "[Strata] Expected the whole text, got the note that stands for an earlier one. Read the file that the note " +
            "names and call again with the text itself.",
        );
      },
    },
  };

  interface Batch {
    clearable: readonly Clearable[];
    plan: ClearPlan;
    reason: string;
  }

  async function clear(
    { history, sessionID }: ContextRequest,
    { clearable, plan, reason }: Batch,
    signal: AbortSignal,
  ): Promise<void> {
    const store = createStore(context, history.messages);
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
  }
}
