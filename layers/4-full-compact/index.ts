/**
 * Layer 4: replaces history with notes when there is too much of it. Costs no model call; the host's own compaction,
 * which does, is the last resort.
 *
 *     context      still too many tokens after the cheaper layers: cuts the history at a message and shows the session
 *                  notes instead of everything before it; the tail stays verbatim. Reduces a summary
 *                  request that is too long to notes and tail
 *     compacting   the host compacts anyway: gives it our prompt with nine sections
 *     summary      where the host takes it: gives it the notes, so that no model is called
 *     compacted    checks its summary by code; appends what is missing, replaces a useless one with notes
 *     takenBack    rewrites notes and summaries without what the user has taken back since
 *     turn         allows the host's automatic summaries only while the breakers of all sessions at work are closed
 *     event        reports the outcome of compactions to the breaker
 */

import { formatError } from "../../src/base/error.js";
import { formatCount } from "../../src/base/format.js";
import {
  byUser,
  byUserOrLower,
  byUserOrLowerLimit,
  either,
  enabled,
  only,
  type Values,
  whole,
} from "../../src/config/setting.js";
import type { ContextRequest } from "../../src/context/request.js";
import {
  amountByAgent,
  amountByModel,
  tokens,
  USUAL_COLD_TOKENS,
  USUAL_TOKENS,
} from "../../src/context/threshold.js";
import { waitAtMost } from "../../src/io/clock.js";
import { isSummary } from "../../src/io/message.js";
import type { SlashCommand } from "../../src/kernel/layer.js";
import type { LayerContext, LayerDefinition, LayerParts } from "../../src/kernel/layer-context.js";
import { countEvents, type Proof } from "../../src/kernel/proof.js";
import { createBreakers, createCompactionWatch } from "./breakers.js";

const LAYER = "full-compact";
/** How long a compaction waits for the notes to catch up with the host's messages. */
const FOLLOW_WITHIN_MS = 1_000;

const settings = {
  autoCompact: {
    enabled: enabled("Layer 4: history is compacted automatically."),
    threshold: byUserOrLowerLimit(
      amountByModel,
      USUAL_TOKENS,
      'Tokens from which notes replace history, or a percentage of the model\'s window; earlier if the window is smaller. Also by "provider/model", where * stands for any characters and the most exact name counts, for example {"anthropic/*": "30%", "*": 60000}. The default rises by what system prompt and tools take beyond 15,000 tokens.',
    ),
    agents: byUserOrLowerLimit(
      amountByAgent,
      {},
      'The same by agent, instead of `threshold`, for example {"build": "40%", "explore": false}. false: notes never replace history in this agent\'s sessions, unless you ask for it.',
    ),
    coldThreshold: byUserOrLowerLimit(
      either(only(false), tokens),
      USUAL_COLD_TOKENS,
      "Tokens from which notes replace history at the first request after a pause in which the prompt cache has gone cold; the default rises like that of threshold. false: none. For models and agents with a threshold of your own, that counts instead.",
    ),
    retryLimit: byUserOrLower(
      whole(1, 10),
      3,
      "Consecutive failed summaries after which automatic ones are off for the session.",
    ),
    summaryTimeout: byUser(
      whole(1_000, 3_600_000),
      180_000,
      "Milliseconds after which the host's own summary is aborted. A summary of a full window takes up to a minute.",
    ),
  },
};

declare module "../../src/config/schema.js" {
  interface Config extends Values<typeof settings> {}
}

const proof: Proof = {
  settings: { autoCompact: { threshold: 10_000 } },
  acted: (seen) => countEvents(seen, "cut", "history replaced"),
};

export const fullCompact: LayerDefinition = {
  name: LAYER,
  settings,
  files: [{ path: ".opencode/strata/state/breakers/<id>.json" }],
  proof,
  create,
};

function create(context: LayerContext): LayerParts {
  const { background, clock, log, notes, prompts } = context;
  const breakers = createBreakers(context);
  const watch = createCompactionWatch(context, breakers);
  let repairSummary: ReturnType<typeof import("./summary.js").createRepairSummary> | undefined;

  return {
    isLastResort: true,
    withinMs: { context: 2_000, summary: 2_000, compacted: 2_000, takenBack: 2_000 },
    passedOver: { context: (request) => reportUncut(context, request) },
    handlers: {
      async context(request, messages, signal) {
        if (request.isCompaction) {
          const { shortenHistory } = await import("./summary.js");
          return shortenHistory(context, request, messages);
        }
        if (!request.isReady() || !(request.mayCut || request.isCutWanted)) return undefined;
        const { cutHistory } = await import("./cut.js");
        if (await cutHistory({ ...context, breakers }, request, { signal, view: messages }))
          return request.show();
        reportUncut(context, request, "it would have freed too little");
        return undefined;
      },

      async compacting({ sessionID }) {
        watch.begin(sessionID);
        const prompt = await prompts.read("compaction");
        await waitAtMost(clock, FOLLOW_WITHIN_MS, () => notes.followHost(sessionID));
        const facts = notes.facts(sessionID);
        const { formatMustHave } = await import("./summary.js");
        return facts ? `${prompt}\n${formatMustHave(facts)}` : prompt;
      },

      async summary({ messages, sessionID }) {
        const { formatNotesSummary } = await import("./summary.js");
        return formatNotesSummary(context, sessionID, messages);
      },

      async compacted(request, _nothing, signal) {
        repairSummary ??= (await import("./summary.js")).createRepairSummary({ ...context, breakers });
        return void (await repairSummary(request, signal));
      },

      async takenBack(request, withdrawal) {
        const { history, shownFrom } = request;
        const isReplaced = shownFrom() > 0 || history.messages.some(isSummary);
        if (!withdrawal || !isReplaced) return undefined;
        const { reviseHistory } = await import("./summary.js");
        return reviseHistory(context, request, withdrawal);
      },

      turn: async ({ sessionID }) => void (await breakers.apply(sessionID)),

      modelWindow: ({ sessionID, window }) => void watch.noteWindow(sessionID, window),

      event(event) {
        // Called at once, before the next turn begins; only waiting for it happens in the background.
        const observed = watch
          .observe(event)
          .catch((thrown) => log.error(LAYER, `event ${event.type}: ${formatError(thrown)}`));
        void background.add(() => observed);
      },
    },

    commands: [createCompactNotes(context)],

    dispose: async () => watch.end(),
  };
}

function reportUncut(
  { toasts }: LayerContext,
  { isCutWanted }: ContextRequest,
  why = "it failed or timed out",
): void {
  if (isCutWanted) toasts.show(`/compact-notes changed nothing: ${why}.`, "info");
}

/** `/compact-notes`: replaces history with notes at the next message, however small the context is. */
function createCompactNotes({ folders, requests, sizes }: LayerContext): SlashCommand {
  return {
    name: "compact-notes",
    description: "Strata: replace history with the notes at your next message, without a model call",
    async execute({ sessionID, words }) {
      if (words.trim().toLowerCase() === "undo")
        return requests.unwantCut(sessionID)
          ? "Cancelled: your next message is sent with the whole history."
          : "Nothing to cancel: no /compact-notes is pending. History that was already replaced stays replaced.";
      const { planLeastTail, planReplacement } = await import("./cut.js");
      const { thresholdTokens } = requests.thresholdOf(sessionID);
      const leastTail = planLeastTail(thresholdTokens);
      const total = sizes.lastTotal(sessionID);
      const messages = total === undefined ? undefined : total - sizes.fixedTokens(sessionID);
      if (messages !== undefined && messages <= leastTail)
        return `Nothing to gain: this session's messages have ${formatCount(messages)} tokens, and the last ${formatCount(leastTail)} always stay word for word.`;
      const notesTokens = Math.round(planReplacement(thresholdTokens));
      requests.wantCut(sessionID);
      return [
        "At your next message the notes on this session replace its history, without a model call.",
        `About the last ${formatCount(leastTail)} tokens stay word for word; notes and restored files take at most ${formatCount(notesTokens)}.`,
        "/compact-notes undo cancels it until then.",
        `Notes: ${folders.sessionMemory}/${sessionID}.md`,
      ].join("\n");
    },
  };
}
