/** Runs dreams for the layer. Loaded with the first dream, to keep the start cheap. */

import type { LayerContext } from "../../src/layer-context.js";
import { findSecretIn } from "../../src/memory/secret-gate.js";
import type { DreamState } from "../../src/record/dream-state.js";
import { createAskModel } from "./ask-model.js";
import type { Change } from "./change.js";
import { createDreams, type DreamOutcome, type RunOptions } from "./dream.js";
import { formatCounts } from "./dreams-page.js";
import { planBackoff } from "./gates.js";
import { renewFacts } from "./renew-facts.js";
import { formatUndone, takeBack } from "./take-back.js";

export interface Dreamer {
  /** Reads the state from disk. */
  state(): Promise<DreamState>;
  /** Tidies now, with a model if one may be asked. Never rejects. */
  dream(sessionID: string, options: Partial<RunOptions>): Promise<DreamOutcome>;
  /** Renews facts taken from files, regardless of the gates. Rejects with the system's error. */
  renewFacts(): Promise<unknown>;
  /** Undoes the last change of memory and returns a text for people. */
  undo(session: string): Promise<string>;
  /** Formats the outcome for people. */
  format(outcome: DreamOutcome): string;
  formatChanges(changes: readonly Change[]): string;
}

/** Share of the dream's time; the rest suffices for the rules if the model never answers. */
const MODELS_SHARE = 0.8;

/** `end` aborts a running dream. */
export function createDreamer(context: LayerContext, end: AbortSignal): Dreamer {
  const { checkpoints, clock, config, folders } = context;
  const dreams = createDreams({
    ...context,
    check: { findFault: findSecretIn },
    retention: config.retention,
  });

  return {
    state: dreams.state,

    async dream(sessionID, options) {
      const { maxRuntime, maxTokens } = config.dream;
      const deadlineMs = Math.floor(maxRuntime * MODELS_SHARE);
      const askModel = createAskModel({ ...context, sessionID, maxTokens, deadlineMs });
      await checkpoints.keep(sessionID, "dream");
      const state = await dreams.state();
      return dreams.run({
        maxRuntimeMs: maxRuntime,
        signal: end,
        ...(mayAskModel(state, clock.now()) && { askModel }),
        ...options,
      });
    },

    renewFacts: () => renewFacts(context),
    undo: async (session) => formatUndone(await takeBack(context, { session })),
    format: (outcome) => formatOutcome(outcome, folders.memory),
    formatChanges: formatCounts,
  };
}

/** After a failure the model is not asked for a while; the rules still apply. */
function mayAskModel({ lastModelFailureMs, modelFailures }: DreamState, nowMs: number): boolean {
  if (modelFailures === 0 || lastModelFailureMs === undefined || lastModelFailureMs > nowMs) return true;
  return nowMs - lastModelFailureMs >= planBackoff(modelFailures);
}

function formatOutcome(outcome: DreamOutcome, folder: string): string {
  if (outcome.kind === "refused" || outcome.kind === "failed") return `No dream: ${outcome.why}.`;
  const { changes, findings } = outcome.report;
  const look = findings.length > 0 ? [`${findings.length} to review`] : [];
  const more =
    changes.length + findings.length > 0 ? [`details in ${folder}/DREAMS.md; /memory-undo undoes it`] : [];
  return [formatCounts(changes), ...look, ...more].join("\n");
}
