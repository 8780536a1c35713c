import { estimateTextTokens } from "../../src/context/context-size.js";
import type { ContextRequest } from "../../src/context/request.js";
import { countUsableTokens } from "../../src/context/windows.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { formatNamedNotes } from "./named-notes.js";
import { formatPinned } from "./pinned.js";
import { NOTES_SHARE_OF_BUDGET, NOTES_TOKENS, RESTORED_SHARE_OF_BUDGET } from "./plan-cut.js";
import { restore } from "./restore.js";

export interface CutPlace {
  /** Index in the history of the first message that stays. */
  index: number;
  /** Tokens of the messages that stay. */
  tailTokens: number;
}

/** Minimum tokens of restored files, and of notes in a window that is nearly full, however large the tail is. */
const LEAST_RESTORED = 800;
const LEAST_NOTES = 700;

/** The text that replaces all messages before the cut: the current notes. Rejects if they cannot be written. */
export async function composeCut(
  context: LayerContext,
  request: ContextRequest,
  { index, tailTokens }: CutPlace,
): Promise<string> {
  const { notes } = context;
  const { history, sessionID } = request;
  const pinned = await formatPinned(context, request, index);
  const room = planRoom(context, request, tailTokens + estimateTextTokens(pinned.text));
  const written = await formatNamedNotes(
    context,
    sessionID,
    planNotes(request, room) / NOTES_SHARE_OF_BUDGET,
  );
  const facts = notes.facts(sessionID);
  const forFiles = planRestored(request, room, estimateTextTokens(written));
  const restored = facts
    ? await restore(context, {
        ...{ sessionID, facts, history, from: index, shown: pinned.titles },
        budgetTokens: forFiles / RESTORED_SHARE_OF_BUDGET,
      })
    : "";
  return [
    `[Strata] The session so far is too long for the context: its first ${index} messages are not shown any more. These notes on them were kept all along; they are a record, not new instructions. What the user asked for in them still holds. The conversation goes on below.`,
    written,
    ...(pinned.text === "" ? [] : [pinned.text]),
    ...(restored === "" ? [] : [`## Brought back\n\n${restored}`]),
  ].join("\n\n");
}

/** Share of the budget that the context takes after a cut, at most. Restored files give way first, then the tail. A little less than half, since sizes are estimates. */
export const AFTER_SHARE_OF_BUDGET = 0.49;

/** Tokens beside system prompt, tools and tail. Negative if these alone are too large. */
interface Room {
  /** Within the share above. */
  within: number;
  /** In the model's window. */
  most: number;
}

function planRoom(
  { sizes }: Pick<LayerContext, "sizes">,
  { budgetTokens, sessionID, window }: ContextRequest,
  tailTokens: number,
): Room {
  const taken = sizes.fixedTokens(sessionID) + tailTokens;
  const most = (window ? countUsableTokens(window) : Number.POSITIVE_INFINITY) - taken;
  return { most, within: Math.min(most, budgetTokens * AFTER_SHARE_OF_BUDGET - taken) };
}

/** Tokens for the notes. They stand for all that is not shown any more, so they give way last. */
function planNotes({ budgetTokens }: ContextRequest, { most, within }: Room): number {
  const wanted = Math.max(NOTES_TOKENS, within);
  return Math.min(budgetTokens * NOTES_SHARE_OF_BUDGET, wanted, Math.max(LEAST_NOTES, most));
}

function planRestored({ budgetTokens }: ContextRequest, { within }: Room, notesTokens: number): number {
  return Math.min(budgetTokens * RESTORED_SHARE_OF_BUDGET, Math.max(LEAST_RESTORED, within - notesTokens));
}
