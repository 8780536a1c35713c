/**
 * What asking the agent what to remember adds to the price of a request, in tokens at input price: the questions and the
 * calls by which it answers, carried in each later request; and a whole request where an answer did nothing else. Pure.
 */

import { countCall } from "../../src/context/context-size.js";
import type { ContextRequest } from "../../src/context/request.js";
import { priceUsage } from "../../src/costs/savings.js";
import { findQuestion, isOnlyKeeping, KEEP_TOOL } from "../../src/memory/candidates/question.js";
import { countUsage } from "./bare/usage.js";

type Priced = Pick<ContextRequest, "find" | "history" | "rates" | "shownFrom">;

export function priceJudging(
  request: Priced,
  { sent, tokensPerCharacter }: { sent: number; tokensPerCharacter: number },
): number {
  const { history } = request;
  const last = history.messages.length - 1;
  const newest = history.messages[last];
  const rates = request.rates(sent);
  const { answered, cached, written } = rates;
  let price = 0;
  for (const { characters, index, isCall } of findJudging(request)) {
    const isNew = index === last;
    price += characters * tokensPerCharacter * (isNew ? written + (isCall ? answered : 0) : cached);
  }
  if (!newest || !isOnlyKeeping(newest)) return price;
  const usage = countUsage(newest.info);
  // What it wrote to the cache the next request would have written without it.
  return price + priceUsage({ ...usage, cached: usage.sent }, rates);
}

interface Judging {
  index: number;
  characters: number;
  isCall: boolean;
}

/** The questions and answers that a request shows. */
function findJudging({ find, history, shownFrom }: Priced): Judging[] {
  const from = shownFrom();
  const found: Judging[] = [];
  const addQuestion = (index: number, key: string | undefined): void => {
    for (const { text = "" } of (key === undefined ? undefined : find(key)?.extended) ?? []) {
      const question = findQuestion(text);
      if (question !== undefined) found.push({ index, characters: question.length, isCall: false });
    }
  };
  for (let index = from; index < history.messages.length; index++)
    addQuestion(index, history.keyOf(index)?.key);
  for (const { index, key, part, text } of history.results(from)) {
    addQuestion(index, key);
    if (part.tool === KEEP_TOOL)
      found.push({ index, characters: countCall(part) + text.length, isCall: true });
  }
  return found;
}
