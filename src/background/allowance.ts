import type { GenerateRequest, UsedTokens } from "../seams/host.js";
import { sumTokens } from "./budget-lines.js";
import { countMostAnswerTokens, countMostTokens } from "./cost.js";
import type { GenerationRequest } from "./generation-request.js";

/**
 * Budget of a model call with tools while it runs. Each answer reads the whole conversation again, so the call may take
 * many times its bound, which counts cached tokens for little; the budget counts them in full. Each answer reserves the
 * next one: that will read what this one read and wrote, and write at most its bound.
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
