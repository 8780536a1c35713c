/** Text about findings after the newest results: findings whose source has come up, and one reminder. */

import type { ContextRequest } from "../../../src/context/request.js";
import { isFinding } from "../../../src/memory/finding.js";
import type { Memory } from "../../../src/memory/memory.js";
import { readInput } from "../../../src/messages/call.js";
import type { Result } from "../../../src/messages/history.js";
import { cut } from "../../../src/text/text.js";
import { findOwnText } from "../injection/shown.js";
import { readSource } from "./source.js";

/** First line of a reminder, which identifies it. */
export const REMINDER_HEAD = "[Strata] What was just read leaves the context later. A reminder, no request:";
const REMINDER = `${REMINDER_HEAD} say in a sentence what you take from it and where it says so; quotes that answer the request are kept privately by themselves, and memory_remember keeps a fact for later sessions.`;

/** Characters of a call's input and result list that are searched for sources. */
const LOOKED_AT = 20_000;
/** Shorter names are parts of other words. */
const SHORTEST_NAME = 6;

/** Findings whose source a call names or a search lists. Pure. */
export function findMentioned(
  memories: readonly Memory[],
  fresh: readonly Result[],
  project: string,
): Memory[] {
  const findings = memories.filter((memory) => isFinding(memory) && !memory.isForeign);
  if (findings.length === 0) return [];
  const subjects = fresh.map((result) => {
    const listed = readSource(result, project)?.isSearch ? result.text : "";
    return cut(`${formatValues(result)}\n${listed}`, LOOKED_AT);
  });
  return findings.filter(({ entities: [name] }) => {
    const bare = name?.replace(/^https?:\/\//, "");
    return bare !== undefined && bare.length >= SHORTEST_NAME && subjects.some((text) => names(text, bare));
  });
}

/** The reminder, if the newest results read a source and the context has no reminder; else `undefined`. */
export function planReminder(
  { find, history, shownFrom }: ContextRequest,
  fresh: readonly Result[],
  project: string,
): string | undefined {
  if (!fresh.some((result) => readSource(result, project) !== undefined)) return undefined;
  const isShown = history
    .results(shownFrom())
    .some(({ key }) => findOwnText(find(key))?.includes(REMINDER_HEAD));
  return isShown ? undefined : REMINDER;
}

const formatValues = ({ part }: Result): string =>
  Object.values(readInput(part))
    .filter((value) => typeof value === "string")
    .join("\n");

/** Does the text contain the name, other than as part of a longer one? */
function names(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const after = text.slice(at + name.length, at + name.length + 2);
    if (!/[\w.-]/.test(text[at - 1] ?? "") && !/^(\/?[\w-]|\?)/.test(after)) return true;
  }
  return false;
}
