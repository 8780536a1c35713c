/** How the running agent is asked about candidates: known to the layer that asks, and to the ledger, which tells its price. */
import { isToolPart, type Message } from "../../io/message.js";

/** The tool by which the agent answers. */
export const KEEP_TOOL = "memory_keep";
/** Begins the line of a question. */
export const QUESTION_HEAD = "[Strata] Worth knowing in later sessions?";

/** Does an answer do nothing else than answer a question? Then its request was one more. */
export function isOnlyKeeping({ info, parts }: Message): boolean {
  const calls = info.role === "assistant" ? parts.filter(isToolPart) : [];
  return calls.length > 0 && calls.every(({ tool }) => tool === KEEP_TOOL);
}

/** The question in a text that was added to a message or result, if it holds one. */
export function findQuestion(text: string): string | undefined {
  if (!text.includes(QUESTION_HEAD)) return undefined;
  return text.split("\n").findLast((line) => line.startsWith(QUESTION_HEAD));
}
