/** Texts cut, put on one line, quoted, folded and shortened. Pure. */
import { isAbsolute, relative, resolve, sep } from "node:path";

/** The first `limit` UTF-16 units, without splitting a surrogate pair. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? limit - 1 : limit);
}

/** The text on one line, without control characters; if longer than `limit` it is cut and ends in "…". */
export function toLine(text: string, limit: number): string {
  // Cut roughly first, so that megabytes need not be cleaned.
  const line = cleanLine(cut(text, 4 * limit + 400).replace(/\s+/g, " ")).trim();
  return line.length > limit ? `${cut(line, limit)}…` : line;
}

/** One line as written, without control characters, lone surrogates and trailing space, which files or editors lose. */
export function cleanLine(text: string): string {
  return text
    .replace(/(?!\t)[\p{Cc}\u2028\u2029]/gu, " ")
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .trimEnd();
}

/** Text from a tool as data: one line, in quotes. */
export function quote(text: string, limit: number): string {
  return JSON.stringify(toLine(text, limit));
}

/** A path as one word of a command. */
export const quoteForShell = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

/** Text as inline code; backticks in it are safe. */
export function toCode(text: string, limit: number): string {
  const line = toLine(text, limit);
  if (!line.includes("`")) return `\`${line}\``;
  const longest = Math.max(...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence} ${line} ${fence}`;
}

/** Only letters and digits, in lower case: what stays the same when punctuation, space and Markdown change. */
export const foldLetters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

/** Normalises whitespace, case and final punctuation, so that sentences that differ in nothing else are equal. */
export function foldSentence(text: string): string {
  return text
    .normalize("NFC")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/(?<![\s.!。！])[\s.!。！]+$/u, "")
    .toLowerCase();
}

/** Has it a script without blanks between words? A few characters say much, and commas end what others end with a stop. */
export const isDense = (text: string): boolean =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text);

/** Text from elsewhere cannot pass for the plugin's own, which begins with `[Strata]`. */
export const withoutMark = (text: string): string => text.replace(/\[Strata\]/gi, "(Strata)");

/** Relative to the project for a file inside it, so that a project may move; otherwise absolute. With `/`. */
export function shortenPath(path: string, project: string): string {
  const absolute = resolve(project, toLine(path, 1_000));
  const inside = relative(project, absolute);
  const isInside = inside !== "" && !/^\.\.([\\/]|$)/.test(inside) && !isAbsolute(inside);
  return (isInside ? inside : absolute).replaceAll(sep, "/");
}

/** Characters indexed per field: a longer one is a file, and files have their own tools. */
export const MOST_OF_A_FIELD = 20_000;
