/**
 * Layer 2: clears old tool results, and long inputs of old calls, in one batch when that costs no prompt cache or pays
 * back. Costs no model call. Messages, reasoning, results of other tools and the newest calls stay.
 *
 *     gather → plan → write the files → write the ledger → record the decisions → show the markers
 *
 * Each marker names the file with the whole result or input. On a failure nothing is cleared.
 */
import { repeatsMarker } from "../../src/clearing/clear-input.js";
import { refuse } from "../../src/dispatcher/hooks.js";
import type { LayerContext } from "../../src/layer-context.js";
import type { LayerDefinition, LayerParts } from "../../src/layer-definition.js";
import type { ContextRequest } from "../../src/view/request.js";
import type { ClearBatch } from "./clear-batch.js";
import { defaults } from "./defaults.js";
import { type Gathering, gatherClearable } from "./gather.js";
import { countMistakes } from "./mistakes.js";
import { createOccasions } from "./occasions.js";
import { LEARNED, type Patience } from "./patience.js";
import { planClear } from "./plan.js";
import { createSessionLengths, SESSION_LENGTHS } from "./session-lengths.js";
import { createUses } from "./uses.js";

const LAYER = "micro-compact";

export const microCompact = defineMicroCompact(LEARNED);

/** The layer with other numbers than the learned ones, for benchmarks. */
export function defineMicroCompact(patience: Patience): LayerDefinition {
  return {
    name: LAYER,
    settings: { defaults, loadSchemas: async () => (await import("./settings.js")).schemas },
    files: [{ path: SESSION_LENGTHS }],
    loadProof: () => import("./proof.js"),
    create: (context) => create(context, patience),
  };
}

function create(context: LayerContext, patience: Patience): LayerParts {
  const policy = context.config.microCompact;
  let clear: ClearBatch | undefined;
  const occasions = createOccasions(context);
  const uses = createUses();
  const lengths = createSessionLengths(context);

  return {
    withinMs: { context: 2_000 },
    onIdle: () => lengths.onIdle(),
    handlers: {
      async context(request, messages, signal) {
        if (request.isCompaction || !request.isReady()) return undefined;
        void lengths.load();
        const gathering = gather(request);
        const clearable = gatherClearable(request, messages, gathering);
        if (clearable.length === 0) return undefined;
        const tokens = request.estimateTokens(messages);
        const rates = request.rates(tokens);
        const { occasion, reason } = occasions.find(request, tokens);
        const plan = planClear(clearable, occasion, { ...policy, rates });
        occasions.note(request.sessionID, occasion, plan);
        if (!plan) return undefined;
        clear ??= (await import("./clear-batch.js")).createClearBatch(context);
        await clear(request, { clearable, mistakes: gathering.mistakes, plan, reason }, signal);
        return request.show();
      },

      event({ type, properties: { sessionID } }) {
        if (type !== "session.idle" || typeof sessionID !== "string") return undefined;
        lengths.note(sessionID, uses.answers(sessionID));
        return undefined;
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

  function gather(request: ContextRequest): Gathering {
    const read = uses.read(request.sessionID, request.history);
    const remaining = lengths.expectMore(read.answers);
    return { ...policy, patience, uses: read, mistakes: countMistakes(request, read), remaining };
  }
}
