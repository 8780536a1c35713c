/**
 * What a person said in a message, sentence by sentence, with what each needs to be understood. Pure, in slices.
 *
 *     "Never do this:\n- push to main"     the item has its heading: "Never do this: push to main"
 *     agent "2. Which port?"  "2. 8080"    the answer has its question
 *     "Which of these?\n- a rewrite"       the item is part of a question
 */
import type { Sliced } from "../../../src/base/slices.js";
import { type Group, readGroups, type UsersMessage } from "./own-words.js";

export interface Statement {
  /** Verbatim, on one line. */
  text: string;
  /** The line that announces it, or the agent's question that it answers. */
  heading?: string;
  isItem: boolean;
  isQuestion: boolean;
}

const ASKS = /[?？؟]["”'」)\]\s]*[:：]?\s*$/;
const NUMBERED = /^\s*(\d{1,2})[.):、]\s*(\S.*)$/;

/** Of one message; empty where nothing in it was typed to the agent. */
export function* readStatements(message: UsersMessage): Sliced<Statement[]> {
  const groups = yield* readGroups([message]);
  const asked = readNumbered(message.asked);
  const answers = readNumbered(message.text);
  const statements: Statement[] = [];
  for (const group of groups)
    statements.push(...readGroup(group, statements.at(-1), (text) => findQuestion(text, asked, answers)));
  return statements;
}

/** `before`: a list may stand a line below what asks about it. */
function readGroup(
  { header, items, sentences }: Group,
  before: Statement | undefined,
  questionOf: (text: string) => string | undefined,
): Statement[] {
  let isItem = false;
  let isAsked = header === undefined ? before?.isQuestion === true && items.has(0) : ASKS.test(header);
  return sentences.map((text, index) => {
    isItem ||= items.has(index);
    const asks = ASKS.test(text);
    const heading = questionOf(text) ?? header;
    const isQuestion = asks || (isItem && isAsked);
    if (!isItem) isAsked = asks;
    return { text, isItem, isQuestion, ...(heading !== undefined && { heading }) };
  });
}

/** Lines that begin with a number, by it. */
function readNumbered(text = ""): ReadonlyMap<string, string> {
  const lines = text.split("\n").flatMap((line) => {
    const [, number, rest] = NUMBERED.exec(line) ?? [];
    return number !== undefined && rest !== undefined ? [[number, rest.trim()] as const] : [];
  });
  return new Map(lines);
}

/** The agent's question with the number that this answer has. */
function findQuestion(
  text: string,
  asked: ReadonlyMap<string, string>,
  answers: ReadonlyMap<string, string>,
): string | undefined {
  for (const [number, answer] of answers) if (answer.startsWith(text)) return asked.get(number);
  return undefined;
}

/** As it is shown and kept: what announces it, and its words. */
export const formatStatement = ({ heading, text }: { heading?: string | undefined; text: string }): string =>
  heading === undefined ? text : `${heading} ${text}`;
