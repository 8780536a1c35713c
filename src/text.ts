/** Text made fit for one line of the notes: nothing in it can begin a heading, break the line or be no UTF-8. */
import { redactSecrets } from "./secrets/secrets.js";

/** The first `limit` UTF-16 units, never half a character. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? limit - 1 : limit);
}

/** The text on one line, without control characters; what is longer than `limit` is cut and ends in "…". */
export function toLine(text: string, limit: number): string {
  // What cannot matter is cut first: a text of megabytes is not cleaned as a whole.
  const line = cleanLine(cut(text, 4 * limit + 400).replace(/\s+/g, " ")).trim();
  return line.length > limit ? `${cut(line, limit)}…` : line;
}

/** The same of a text in which a secret may stand, which is taken out before anything is cut: half a key looks like none. */
export function toSafeLine(text: string, limit: number): string {
  return toLine(redactSecrets(cut(text, 4 * limit + 400)).text, limit);
}

/** One line as it was written, without what no file can hold and an editor would take away. */
export function cleanLine(text: string): string {
  return text
    .replace(/(?!\t)[\p{Cc}\u2028\u2029]/gu, " ")
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .trimEnd();
}

/** Text from a tool, as data: on one line, in quotes. */
export function quote(text: string, limit: number): string {
  return JSON.stringify(toLine(text, limit));
}

/** Text as inline code, even if it contains backticks. */
export function toCode(text: string, limit: number): string {
  const line = toLine(text, limit);
  if (!line.includes("`")) return `\`${line}\``;
  const longest = Math.max(...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence} ${line} ${fence}`;
}

/** Whitespace, capitals and the marks at its end are free; anything else makes another sentence. */
export function foldSentence(text: string): string {
  return text
    .normalize("NFC")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\s.!。！]+$/u, "")
    .toLowerCase();
}
