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
  byAnyone,
  byUser,
  byUserOrLower,
  either,
  enabled,
  only,
  type Values,
  whole,
} from "../../src/config/setting.js";
import type { ContextRequest } from "../../src/context/request.js";
import { waitAtMost } from "../../src/io/clock.js";
import { isSummary } from "../../src/io/message.js";
import type { SlashCommand } from "../../src/kernel/layer.js";
import type { LayerContext, LayerDefinition, LayerParts } from "../../src/kernel/layer-context.js";
import { countEvents, type Proof } from "../../src/kernel/proof.js";
import { createBreakers, createCompactionWatch } from "./breakers.js";

const LAYER = "full-compact";
/** How long a compaction waits for the notes to catch up with the host's messages. */
const FOLLOW_WITHIN_MS = 1_000;

const thresholdTokens = whole(10_000, 10_000_000);

const settings = {
  autoCompact: {
    enabled: enabled("Layer 4: history is compacted automatically."),
    threshold: byAnyone(
      thresholdTokens,
      80_000,
      "Tokens. Compaction starts at this size, or earlier if the model's window is smaller.",
    ),
    coldThreshold: byAnyone(
      either(only(false), thresholdTokens),
      false,
      "Tokens from which notes replace history at the first request after an hour or longer, if the prompt cache is cold. false: only `threshold` counts then, too.",
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
        if (!request.isReady()) return undefined;
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
        await repairSummary(request, signal);
        return undefined;
      },

      async takenBack(request, withdrawal) {
        const { history, shownFrom } = request;
        const isReplaced = shownFrom() > 0 || history.messages.some(isSummary);
        if (!withdrawal || !isReplaced) return undefined;
        const { reviseHistory } = await import("./summary.js");
        return reviseHistory(context, request, withdrawal);
      },

      async turn({ sessionID }) {
        await breakers.apply(sessionID);
        return undefined;
      },

      modelWindow({ sessionID, window }) {
        watch.noteWindow(sessionID, window);
        return undefined;
      },

      event(event) {
        // Called at once, before the next turn begins; only waiting for it happens in the background.
        const observed = watch
          .observe(event)
          .catch((thrown) => log.error(LAYER, `event ${event.type}: ${formatError(thrown)}`));
        void background.add(() => observed);
        return undefined;
      },
    },

    commands: [createCompactNotes(context)],

    async dispose() {
      watch.end();
    },
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
function createCompactNotes({
  config,
  folders,
  requests,
  sizes,
}: Pick<LayerContext, "config" | "folders" | "requests" | "sizes">): SlashCommand {
  return {
    name: "compact-notes",
    description: "Strata: replace history with the notes at your next message, without a model call",
    async execute({ sessionID, words }) {
      if (words.trim().toLowerCase() === "undo")
        return requests.unwantCut(sessionID)
          ? "Cancelled: your next message is sent with the whole history."
          : "Nothing to cancel: no /compact-notes is pending. History that was already replaced stays replaced.";
      const { NOTES_SHARE, planLeastTail, RESTORED_SHARE } = await import("./cut.js");
      const leastTail = planLeastTail(config.autoCompact.threshold);
      const total = sizes.lastTotal(sessionID);
      const messages = total === undefined ? undefined : total - sizes.fixedTokens(sessionID);
      if (messages !== undefined && messages <= leastTail) {
        return `Nothing to gain: this session's messages have ${formatCount(messages)} tokens, and the last ${formatCount(leastTail)} always stay word for word.`;
      }
      const notesTokens = Math.round(config.autoCompact.threshold * (NOTES_SHARE + RESTORED_SHARE));
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
