/** Which lines of an output matter: the one that notes and errors.log quote, and those that a preview shows. */
import { stripVTControlCharacters } from "node:util";
import { redactLines } from "../secrets/secrets.js";
import { cut, toLine } from "../text.js";

/** Words of a line that says what went wrong. */
const FAILURE =
  /\b(error|err!|fatal|failed|failure|exception|missing|not found|no such|cannot|can't|could ?n[o']t|unable|denied|refused|invalid|unknown|unrecognized|unexpected|undefined|must|not (exist|permitted|allowed|recognized))\b/i;
/** Lines that only say where there is more, or that something went wrong. */
const EMPTY_WORDS =
  /A complete log of this run|^npm (ERR!|error) *$|^npm (ERR!|error) (code|errno|syscall|path)\b|^Traceback|^\s*at .*:\d+|^\s*File ".*", line \d+|^info |ELIFECYCLE|^(error|failed)[:.!]?$/i;
/** A mere rule, a count of dots, or a tag says nothing. */
const SAYS_SOMETHING = /^(?!\s*<\/?\w+>\s*$)[\s\S]*?[\p{L}\p{N}]/u;
const LOOKED_AT = 20_000;
/** What the host itself adds behind the output of a command. */
const REMARKS = /<bash_metadata>[\s\S]*?(<\/bash_metadata>|$)/g;

export interface TellingLineOptions {
  /** Characters. */
  limit: number;
  /** The last line that says anything, also where another one says what went wrong. */
  isLast?: boolean;
}

/** The first line of an output that says what went wrong, else the last that says anything; without secrets. */
export function findTellingLine(output: string, { isLast = false, limit }: TellingLineOptions): string {
  const lines = stripVTControlCharacters(output.slice(-LOOKED_AT).replace(REMARKS, "")).split("\n");
  const failed = isLast
    ? -1
    : lines.findIndex((line) => FAILURE.test(line) && !EMPTY_WORDS.test(line.trim()));
  const index = failed === -1 ? lines.findLastIndex((line) => SAYS_SOMETHING.test(line)) : failed;
  // What it is may stand on the line before.
  const shown = [lines[index - 1] ?? "", lines[index] ?? ""].map((line) => cut(line, 4 * limit + 400));
  return toLine(redactLines(shown)[1] ?? "", limit);
}

/** What one looks for first in a long output, the most telling kind first. */
const KINDS: readonly RegExp[] = [
  // An error that is reported, not one that is only spoken of: "error: …", "TypeError: …", "error TS2304: …".
  /(^|[\s\])])(\w*(error|exception)|fatal|panic)( ?\[?[A-Z]+\d+\]?)?:\s|^error\[\w+\]:|^\s*(Traceback|FAIL(ED)?\b|not ok\b|npm ERR!)|panicked at|Segmentation fault|\*\*\* .*\bError \d/i,
  /\bexit (code|status):? \d|\b(\d+ (passed|failed|failing|passing|errors?|warnings?|problems?|skipped|vulnerabilit(y|ies)))\b|^\s*(total|found|summary)\b.*\d/i,
  // Where one is in a history or a diff.
  /^commit [0-9a-f]{7,40}\b/,
  /^diff --git /,
  /\b(failed|failure|denied|refused|not found|unable to|timed? ?out|killed)\b/i,
  /(^|\s)(warn|warning)\b.*:/i,
];
/** Whether any of the kinds fits, in one go: most lines are of none and need not be looked at more closely. */
const ANY_KIND = new RegExp(KINDS.map(({ source }) => source).join("|"), "i");
/** Comments, data and changes to files speak of errors and report none. */
const QUOTED = /^\s*(\/\/|\/?\*|["'`#])|^[+-]\S|^[+-]\s{2}/;
/** Source code does so too, in words that the weaker kinds look for. */
const CODE = /[{};,[(]\s*$|=>|^\s*[}\])]|^[+-]|\b(const|let|function|return|import|class)\b/;
/** Read puts the line's own number in front, which is the one to use. */
export const NUMBER_OF_READ = /^\d+: /;
/** Characters of a line. */
const LOOKED_AT_OF_A_LINE = 400;
/** "FAIL" is the shortest that says anything. */
const SHORTEST_LINE = 4;

/** How soon a line is looked for, 0 first; `undefined` for one that says nothing, or only speaks of it. */
export function rankLine(line: string): number | undefined {
  if (line.length < SHORTEST_LINE) return undefined;
  const start = line.slice(0, LOOKED_AT_OF_A_LINE);
  if (!ANY_KIND.test(start)) return undefined;
  const kind = KINDS.findIndex((pattern) => pattern.test(start));
  const plain = start.replace(NUMBER_OF_READ, "");
  return kind === -1 || QUOTED.test(plain) || (kind > 0 && CODE.test(plain)) ? undefined : kind;
}
