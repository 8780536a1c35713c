import { formatCount } from "../../src/base/format.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import type { SlashCommand } from "../../src/kernel/slash-command.js";
import { NOTES_SHARE_OF_BUDGET, planLeastTail, RESTORED_SHARE_OF_BUDGET } from "./plan-cut.js";

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
