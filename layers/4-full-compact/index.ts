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
import type { ContextRequest } from "../../src/context/request.js";
import { waitAtMost } from "../../src/io/clock.js";
import type { SlashCommand } from "../../src/kernel/layer.js";
import type { LayerContext, LayerDefinition, LayerParts } from "../../src/kernel/layer-context.js";
import { isSummary } from "../../src/messages/history.js";
import { createBreakers } from "./breakers.js";
import type { CutHistory } from "./cut-history.js";
import { defaults } from "./defaults.js";
import { NOTES_SHARE_OF_BUDGET, planLeastTail, RESTORED_SHARE_OF_BUDGET } from "./plan-cut.js";
import type { RepairSummary, ReviseHistory, ShortenHistory } from "./repair-summary.js";
import { createCompactionWatch } from "./watch.js";

const LAYER = "full-compact";
/** How long a compaction waits for the notes to catch up with the host's messages. */
const FOLLOW_WITHIN_MS = 1_000;

export const fullCompact: LayerDefinition = {
  name: LAYER,
  settings: { defaults, loadSchemas: async () => (await import("./settings.js")).schemas },
  files: [{ path: ".opencode/strata/state/breakers/<id>.json" }],
  loadProof: () => import("./proof.js"),
  create,
};

function create(context: LayerContext): LayerParts {
  const { background, clock, log, notes, prompts, toasts } = context;
  const breakers = createBreakers(context);
  let cutHistory: CutHistory | undefined;
  let repairSummary: RepairSummary | undefined;
  let reviseHistory: ReviseHistory | undefined;
  let shortenHistory: ShortenHistory | undefined;
  const watch = createCompactionWatch({ ...context, breakers });

  return {
    isLastResort: true,
    withinMs: { context: 2_000, summary: 2_000, compacted: 2_000, takenBack: 2_000 },
    passedOver: { context: reportUncut },
    handlers: {
      async context(request, messages, signal) {
        if (request.isCompaction) {
          shortenHistory ??= (await import("./repair-summary.js")).createShortenHistory(context);
          return shortenHistory(request, messages);
        }
        if (!request.isReady()) return undefined;
        cutHistory ??= (await import("./cut-history.js")).createCutHistory({ ...context, breakers });
        if (await cutHistory(request, messages, signal)) return request.show();
        reportUncut(request, "it would have freed too little");
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
        const { createNotesSummary } = await import("./restore.js");
        return createNotesSummary(context)(sessionID, messages);
      },

      async compacted(request, _nothing, signal) {
        repairSummary ??= (await import("./repair-summary.js")).createRepairSummary({ ...context, breakers });
        await repairSummary(request, signal);
        return undefined;
      },

      async takenBack(request, withdrawal) {
        const { history, shownFrom } = request;
        const isReplaced = shownFrom() > 0 || history.messages.some(isSummary);
        if (!withdrawal || !isReplaced) return undefined;
        reviseHistory ??= (await import("./repair-summary.js")).createReviseHistory(context);
        return reviseHistory(request, withdrawal);
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
        const heard = watch
          .hear(event)
          .catch((thrown) => log.error(LAYER, `event ${event.type}: ${formatError(thrown)}`));
        void background.add(() => heard);
        return undefined;
      },
    },

    commands: [createCompactNotes(context)],

    async dispose() {
      watch.end();
    },
  };

  function reportUncut({ isCutWanted }: ContextRequest, why = "it failed or timed out"): void {
    if (isCutWanted) toasts.show(`/compact-notes changed nothing: ${why}.`, "info");
  }
}

const planNotesTokens = (budgetTokens: number): number =>
  Math.round(budgetTokens * (NOTES_SHARE_OF_BUDGET + RESTORED_SHARE_OF_BUDGET));

/** `/compact-notes`: replaces history with notes at the next message, however small the context is. */
export function createCompactNotes({
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
      const leastTail = planLeastTail(config.autoCompact.threshold);
      const total = sizes.lastTotal(sessionID);
      const messages = total === undefined ? undefined : total - sizes.fixedTokens(sessionID);
      if (messages !== undefined && messages <= leastTail) {
        return `Nothing to gain: this session's messages have ${formatCount(messages)} tokens, and the last ${formatCount(leastTail)} always stay word for word.`;
      }
      const notesTokens = planNotesTokens(config.autoCompact.threshold);
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
