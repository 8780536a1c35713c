import type { GenerateRequest, UsedTokens } from "../seams/host.js";
import { sumTokens } from "./budget-lines.js";
import { countMostAnswerTokens, countMostTokens } from "./cost.js";
import type { GenerationRequest } from "./generation-request.js";

/**
 * What a call that works with tools may still take of the budget. It reads all that was said again with each answer, so
 * that it may come to many times its bound, in which what a cache has counts little; in the budget it counts in full.
 * With each answer the next one is reserved: it reads what this one has read and written, and writes at most its bound.
 */
export function createAllowance(
  request: GenerationRequest,
  extend: (tokens: number) => Promise<string | undefined>,
): NonNullable<GenerateRequest["mayGoOn"]> {
  const taken = new Map<string, number>();
  let reserved = countMostTokens(request);
  let asking: Promise<string | undefined> = Promise.resolve(undefined);
  return (answerID: string, tokens: UsedTokens) => {
    asking = asking.then((why) => why ?? ask(answerID, sumTokens(tokens)));
    return asking;
  };

  async function ask(answerID: string, last: number): Promise<string | undefined> {
    taken.set(answerID, last);
    const sum = [...taken.values()].reduce((total, one) => total + one, 0);
    const needed = sum + last + countMostAnswerTokens(request);
    if (needed <= reserved) return undefined;
    const why = await extend(needed - reserved);
    if (why === undefined) reserved = needed;
    return why;
  }
}
