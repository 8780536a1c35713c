/**
 * Layer 2: clears old tool results, and long inputs of old calls, in one batch when that costs no prompt cache or pays
 * back. Costs no model call. Messages, reasoning, results of other tools and the newest calls stay.
 *
 *     gather → plan → write the files → write the ledger → record the decisions → show the markers
 *
 * Each marker names the file with the whole result or input. On a failure nothing is cleared.
 */

import { formatCount } from "../../src/base/format.js";
import { byAnyone, byName, enabled, flag, type Values, whole } from "../../src/config/setting.js";
import { repeatsMarker } from "../../src/context/clear-input.js";
import { findColdReason } from "../../src/context/cold.js";
import { type ContextRequest, countUsableTokens } from "../../src/context/request.js";
import { refuse } from "../../src/kernel/hooks.js";
import type { LayerContext, LayerDefinition, LayerParts } from "../../src/kernel/layer-context.js";
import { countEvents, type Proof } from "../../src/kernel/proof.js";
import { clearBatch, gatherClearable } from "./gather.js";
import { type Occasion, planClear } from "./plan.js";

const settings = {
  microCompact: {
    enabled: enabled("Layer 2: old tool results are cleared when that costs no prompt cache, or pays back."),
    idleMinutes: byAnyone(
      whole(1, 1_440),
      60,
      "Minutes without a request after which any provider's prompt cache counts as cold.",
    ),
    cacheMinutes: byAnyone(
      byName<number>({ type: "number", minimum: 0.01, maximum: 1_440 }),
      {},
      'Minutes for which a provider keeps the prompt cache, by "provider/model", where * stands for any characters, for example {"anthropic/*": 60}. Default: 5 for Anthropic\'s models, 60 for OpenAI\'s, 180 for DeepSeek\'s, idleMinutes for others.',
    ),
    keepRecent: byAnyone(
      whole(0, 100),
      undefined,
      "Number of newest results that are never cleared. Without it, the last two, and as many of the last five, or of the last three answers, as have 6,000 tokens together.",
    ),
    horizon: byAnyone(
      whole(1, 200),
      5,
      "Number of further requests within which clearing has to pay back while the cache is warm.",
    ),
    tools: byAnyone(
      byName(flag),
      {},
      'Other tools whose results are cleared once a later call repeats them or 20 answers have followed, by name or pattern, where * stands for any characters, for example {"task": true, "docs_*": true}.',
    ),
    floor: byAnyone(whole(0, 1_000_000), 6_000, "Tokens. A batch that frees less is not cleared."),
  },
};

declare module "../../src/config/schema.js" {
  interface Config extends Values<typeof settings> {}
}

const proof: Proof = {
  settings: { microCompact: { keepRecent: 0, floor: 0 } },
  acted: (seen) => countEvents(seen, "cleared", "cleared"),
};

export const microCompact: LayerDefinition = { name: "micro-compact", settings, files: [], proof, create };

function create(context: LayerContext): LayerParts {
  const policy = context.config.microCompact;

  return {
    withinMs: { context: 2_000 },
    handlers: {
      async context(request, messages, signal) {
        if (request.isCompaction || !request.isReady()) return undefined;
        const clearable = gatherClearable(request, messages, policy);
        if (clearable.length === 0) return undefined;
        const tokens = request.estimateTokens(messages);
        const { occasion, reason } = findOccasion(context, request, tokens);
        const plan = planClear(clearable, occasion, { ...policy, rates: request.rates(tokens) });
        if (!plan) return undefined;
        await clearBatch(context, request, { clearable, plan, reason }, signal);
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
}

/** Beyond this share of the window the next answer might not fit. */
const FULL_SHARE_OF_WINDOW = 0.9;

/** What a request of so many tokens is an occasion for, and why, for people. */
function findOccasion(
  { clock, config }: Pick<LayerContext, "clock" | "config">,
  { budgetTokens, history, mayCut, model, window }: ContextRequest,
  tokens: number,
): { occasion: Occasion; reason: string } {
  const cold = findColdReason(history, model, clock.now(), config.microCompact);
  if (cold !== undefined) return { occasion: { kind: "cold" }, reason: cold };
  if (tokens > budgetTokens) {
    const reason = `the context has about ${formatCount(tokens)} tokens of ${formatCount(budgetTokens)}`;
    const usableTokens = window ? countUsableTokens(window) : 0;
    const isOverflowing = usableTokens > 0 && tokens > usableTokens * FULL_SHARE_OF_WINDOW;
    const isAlone = !config.autoCompact.enabled || !mayCut;
    return { occasion: { kind: "full", tokens, budgetTokens, isAlone, isOverflowing }, reason };
  }
  return { occasion: { kind: "warm" }, reason: "it pays back" };
}
