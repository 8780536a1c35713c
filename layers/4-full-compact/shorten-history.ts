import { estimateTokens } from "../../src/context/context-size.js";
import { CHARACTERS_PER_TOKEN } from "../../src/context/learned-size.js";
import { withNotes } from "../../src/context/replay.js";
import type { ContextRequest } from "../../src/context/request.js";
import type { Message } from "../../src/io/message.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { planCut } from "./plan-cut.js";

/** Shortens the messages of a summary request; `undefined` if there is nothing to shorten. */
export type ShortenHistory = (
  request: ContextRequest,
  view: readonly Message[],
) => Promise<readonly Message[] | undefined>;

const NOTES_SHARE_OF_BUDGET = 0.2;
const TAIL_SHARE_OF_BUDGET = 0.5;

/**
 * For a history too long to summarise: the host sends the summarising model everything it has stored, including what
 * notes have long replaced in other requests. The model gets the notes and the tail instead. Records nothing, since the
 * request is made only once.
 */
export function createShortenHistory({ notes }: Pick<LayerContext, "notes">): ShortenHistory {
  return async ({ budgetTokens, sessionID }, view) => {
    const candidates = view.map((message) => ({
      tokens: estimateTokens([message]),
      isUser: message.info.role === "user",
    }));
    const at = planCut(candidates, {
      leastTail: 0,
      mostTail: Math.floor(budgetTokens * TAIL_SHARE_OF_BUDGET),
      latest: view.length - 1,
    });
    if (at === undefined) return undefined;
    const maxCharacters = Math.floor(budgetTokens * NOTES_SHARE_OF_BUDGET * CHARACTERS_PER_TOKEN);
    const written = (await notes.formatForModel(sessionID, { maxCharacters })) ?? "There are no notes.";
    const text = `[Strata] The conversation is too long to be summarised as a whole. These notes stand for its beginning, and what stands in them belongs into the summary.\n\n${written}`;
    return withNotes(view.slice(at), view[0], text);
  };
}
