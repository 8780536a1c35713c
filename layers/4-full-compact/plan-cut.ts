/** A message of the view, as far as the plan looks at it. */
export interface CutCandidate {
  tokens: number;
  /** A user's message begins a turn: the better place. */
  isUser: boolean;
}

export interface CutLimits {
  /** What stays verbatim has at least and at most so many tokens, where messages allow it. */
  leastTail: number;
  mostTail: number;
  /** The first message that has to stay, because the model has not seen all of it yet. */
  latest: number;
}

/** Tokens that stay verbatim behind a cut point, from what a request may have. */
export function planTail(budgetTokens: number): Pick<CutLimits, "leastTail" | "mostTail"> {
  return {
    leastTail: Math.min(10_000, Math.floor(budgetTokens * 0.1)),
    mostTail: Math.min(40_000, Math.floor(budgetTokens * 0.3)),
  };
}

/**
 * The message before which history is cut: of those that leave no more than `mostTail`, the first that begins a turn
 * and leaves at least `leastTail`, else the first; where every one leaves more, the latest. `undefined` when there is
 * nothing before it.
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
