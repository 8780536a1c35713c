import { DAY_MS } from "../../base/days.js";
import { foldSentence } from "../../text/text.js";
import { joinLines } from "../fields.js";
import type { Found } from "./search.js";

const LONGEST_WORDS = 160;

/** One line for people: the hit, its place and its age. */
export function formatFound(found: Found, nowMs: number): string {
  if (found.kind === "session")
    return `past session ${found.sessionID}  ${cut(found.text)}  (${formatDays(found.date, nowMs)})`;
  const { content, id, isForeign, status, title, updated } = found.memory;
  const words = joinLines(content);
  // Omit content that repeats the title.
  const more = words === "" || words === title ? "" : `: ${words}`;
  const from = isForeign ? "from the repository, " : "";
  const state = status === "active" ? from : `${from}${status}, `;
  return `${id}  ${cut(`${title}${more}`)}  (${state}${formatDays(updated, nowMs)})`;
}

/** Ids of the memories whose line has all of their words: a list uses these. */
export function listShownWhole(found: readonly Found[], lineOf: (found: Found) => string): string[] {
  return found.flatMap((one) => {
    if (one.kind !== "memory") return [];
    const { content, id } = one.memory;
    return foldSentence(lineOf(one)).includes(foldSentence(content)) ? [id] : [];
  });
}

/** How long ago this was, in whole days. */
export function formatDays(date: string, nowMs: number): string {
  const days = Math.max(0, Math.floor((nowMs - Date.parse(date)) / DAY_MS));
  if (Number.isNaN(days)) return "of unknown age";
  return days === 0 ? "today" : `${days} ${days === 1 ? "day" : "days"} ago`;
}

function cut(text: string): string {
  const letters = [...joinLines(text)];
  return letters.length <= LONGEST_WORDS
    ? letters.join("")
    : `${letters
        .slice(0, LONGEST_WORDS - 1)
        .join("")
        .trimEnd()}…`;
}
