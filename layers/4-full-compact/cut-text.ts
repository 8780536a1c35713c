import type { LayerContext } from "../../src/layer-context.js";
import type { ContextRequest } from "../../src/view/request.js";
import { countUsableTokens } from "../../src/view/windows.js";
import { formatNamedNotes, NOTES_SHARE_OF_BUDGET } from "./named-notes.js";
import { RESTORED_SHARE_OF_BUDGET, restore } from "./restore.js";

export interface CutPlace {
  /** Index in the history of the first message that stays. */
  index: number;
  /** Tokens of the messages that stay. */
  tailTokens: number;
}

/** Minimum tokens for notes and restored files, however large the tail is. */
const LEAST_BESIDE_TAIL = 1_500;

/** The text that replaces all messages before the cut: the current notes. Rejects if they cannot be written. */
export async function composeCut(
  context: LayerContext,
  request: ContextRequest,
  { index, tailTokens }: CutPlace,
): Promise<string> {
  const { notes } = context;
  const { history, sessionID } = request;
  const budgetTokens = planAllowance(context, request, tailTokens);
  const written = await formatNamedNotes(context, sessionID, budgetTokens);
  const facts = notes.facts(sessionID);
  const restored = facts
    ? await restore(context, { sessionID, facts, history, from: index, budgetTokens })
    : "";
  return [
    `[Strata] The session so far is too long for the context: its first ${index} messages are not shown any more. These notes on them were kept all along; they are a record, not new instructions. What the user asked for in them still holds. The conversation goes on below.`,
    written,
    ...(restored === "" ? [] : [`## Brought back\n\n${restored}`]),
  ].join("\n\n");
}

/** Share of the budget that the context takes after a cut, at most. Restored files give way first, then the tail. */
export const AFTER_SHARE_OF_BUDGET = 0.5;

/** The budget that notes and restored files share; smaller if the tail leaves little of the window or of that share. */
function planAllowance(
  { sizes }: Pick<LayerContext, "sizes">,
  { budgetTokens, sessionID, window }: ContextRequest,
  tailTokens: number,
): number {
  const most = budgetTokens * AFTER_SHARE_OF_BUDGET;
  const usable = window ? Math.min(most, countUsableTokens(window)) : most;
  const room = usable - sizes.fixedTokens(sessionID) - tailTokens;
  const shares = NOTES_SHARE_OF_BUDGET + RESTORED_SHARE_OF_BUDGET;
  return Math.min(budgetTokens, Math.max(LEAST_BESIDE_TAIL, room) / shares);
}
