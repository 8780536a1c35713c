import type { SlashCommand } from "../../src/dispatcher/slash-command.js";
import { formatCount } from "../../src/format.js";
import type { LayerContext } from "../../src/layer-context.js";
import { NOTES_SHARE_OF_BUDGET } from "./named-notes.js";
import { planTail } from "./plan-cut.js";
import { RESTORED_SHARE_OF_BUDGET } from "./restore.js";

const planBeside = (budgetTokens: number): number =>
  Math.round(budgetTokens * (NOTES_SHARE_OF_BUDGET + RESTORED_SHARE_OF_BUDGET));

/** `/compact-notes`: notes take the place of history with the next message, however small the context is. */
export function createCompactNotes({
  config,
  folders,
  requests,
  sizes,
}: Pick<LayerContext, "config" | "folders" | "requests" | "sizes">): SlashCommand {
  return {
    name: "compact-notes",
    description: "Strata: notes take the place of history with your next message, without a model call",
    async execute({ sessionID, words }) {
      if (words.trim().toLowerCase() === "undo")
        return requests.unwantCut(sessionID)
          ? "Taken back: your next message goes on with the whole history."
          : "Nothing to take back: no /compact-notes waits for a message. What has been replaced stays replaced.";
      const { leastTail } = planTail(config.autoCompact.threshold);
      const total = sizes.lastTotal(sessionID);
      const messages = total === undefined ? undefined : total - sizes.fixedTokens(sessionID);
      if (messages !== undefined && messages <= leastTail) {
        return `Nothing to gain: the messages of this session have ${formatCount(messages)} tokens, and the last ${formatCount(leastTail)} stay word for word anyway.`;
      }
      const beside = planBeside(config.autoCompact.threshold);
      requests.wantCut(sessionID);
      return [
        "With your next message the notes on this session take the place of its history; no model is asked.",
        `About the last ${formatCount(leastTail)} tokens stay word for word; notes and brought-back files come to ${formatCount(beside)} at most.`,
        "/compact-notes undo takes it back until then.",
        `The notes: ${folders.sessionMemory}/${sessionID}.md`,
      ].join("\n");
    },
  };
}
