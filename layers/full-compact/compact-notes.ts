import { formatCount } from "../../src/format.js";
import type { LayerContext } from "../../src/layer-context.js";
import type { SlashCommand } from "../../src/slash-command.js";
import { planTail } from "./plan-cut.js";

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
    async execute({ sessionID }) {
      const { leastTail } = planTail(config.autoCompact.threshold);
      const total = sizes.lastTotal(sessionID);
      const messages = total === undefined ? undefined : total - sizes.fixedTokens(sessionID);
      if (messages !== undefined && messages <= leastTail) {
        return `Nothing to gain: the messages of this session have ${formatCount(messages)} tokens, and the last ${formatCount(leastTail)} stay word for word anyway.`;
      }
      requests.wantCut(sessionID);
      return [
        "With your next message the notes on this session take the place of its history; no model is asked.",
        `About the last ${formatCount(leastTail)} tokens stay word for word. The notes: ${folders.sessionMemory}/${sessionID}.md`,
      ].join("\n");
    },
  };
}
