/** Where history is cut. Pure. */

/** What the plan needs to know about a message of the view. */
export interface CutCandidate {
  tokens: number;
  /** A user message begins a turn, which makes it a better place to cut. */
  isUser: boolean;
}

export interface CutLimits {
  /** Minimum and maximum tokens that stay verbatim, as far as message borders allow. */
  leastTail: number;
  mostTail: number;
  /** Index of the latest possible cut: the model has not seen everything from this message on. */
  latest: number;
}

/** Share of the request's budget for the notes, which every later request includes, and for restored files. */
export const NOTES_SHARE = 0.15;
export const RESTORED_SHARE = 0.18;
/** Tokens that are kept free for notes beside the tail. */
export const NOTES_TOKENS = 2_500;

/** Minimum tokens that stay verbatim after a cut, given the request's budget. */
export const planLeastTail = (budgetTokens: number): number =>
  Math.min(10_000, Math.floor(budgetTokens * 0.1));

/**
 * Tokens that stay verbatim after a cut. With the system prompt, tools and notes they are to take at most `share` of the
 * budget.
 */
export function planTail(
  budgetTokens: number,
  { fixedTokens, share }: { fixedTokens: number; share: number },
): Pick<CutLimits, "leastTail" | "mostTail"> {
  const leastTail = planLeastTail(budgetTokens);
  const room = Math.floor(budgetTokens * share) - fixedTokens - NOTES_TOKENS;
  const mostTail = Math.min(40_000, Math.floor(budgetTokens * 0.3), room);
  return { leastTail, mostTail: Math.max(leastTail, mostTail) };
}

/**
 * Index of the message before which to cut: among those that leave at most `mostTail`, the first that begins a turn and
 * leaves at least `leastTail`, else simply the first; `latest` if all leave more. `undefined` if nothing would be cut.
 */
export function planCut(
  messages: readonly CutCandidate[],
  { leastTail, mostTail, latest }: CutLimits,
): number | undefined {
  let tail = 0;
  let turn: number | undefined;
  let any: number | undefined;
  for (let index = messages.length - 1; index > 0; index--) {
    const message = messages[index];
    if (!message) continue;
    tail += message.tokens;
    if (index > latest) continue;
    if (tail > mostTail) break;
    any = index;
    if (message.isUser && tail >= leastTail) turn = index;
  }
  return turn ?? any ?? (latest > 0 && latest < messages.length ? latest : undefined);
}
