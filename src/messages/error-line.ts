/** Finds the lines of an output that matter: the one for notes and errors.log, and those for previews. */
import { stripVTControlCharacters } from "node:util";
import { cut, toLine } from "../base/text.js";
import { redactLines } from "../text/secrets/secrets.js";

/** Words of a line that says what went wrong. */
const FAILURE =
  /\b(error|err!|fatal|failed|failure|exception|missing|not found|no such|cannot|can't|could ?n[o']t|unable|denied|refused|invalid|unknown|unrecognized|unexpected|undefined|must|not (exist|permitted|allowed|recognized))\b/i;
/** A place in a file, and what is wrong there. */
const LOCATED = /^\s*[^\s:(]+\.\w+[:(]\d+[:,]?\d*\)?: \S/;
/** The name of a test that failed; what is written of a place before it may be no failure. */
const FAILED_TEST = /^\s*(--- FAIL: |not ok |✗ |✕ |× )/;
/** Lines that only point elsewhere, or only say that something went wrong. */
const EMPTY_WORDS =
  /A complete log of this run|^npm (ERR!|error) *$|^npm (ERR!|error) (code|errno|syscall|path)\b|^Traceback|^\s*at .*:\d+|^\s*File ".*", line \d+|^info |ELIFECYCLE|^(error|failed)[:.!]?$/i;
/** A line with a letter or digit that is not a lone tag. */
const SAYS_SOMETHING = /^(?!\s*<\/?\w+>\s*$)[\s\S]*?[\p{L}\p{N}]/u;
const LOOKED_AT = 20_000;
/** Remarks that the host appends to a command's output. */
const REMARKS = /<bash_metadata>[\s\S]*?(<\/bash_metadata>|$)/g;

interface TellingLineOptions {
  /** Characters. */
  limit: number;
  /** Take the last line that says anything, even if another says what went wrong. */
  isLast?: boolean;
}

/** The first line of an output that says what went wrong or where, else the last that says anything; without secrets. */
export function findErrorLine(output: string, { isLast = false, limit }: TellingLineOptions): string {
  const lines = stripVTControlCharacters(output.slice(-LOOKED_AT).replace(REMARKS, "")).split("\n");
  const failed = isLast
    ? -1
    : lines.findIndex((line) => FAILURE.test(line) && !EMPTY_WORDS.test(line.trim()));
  const located = isLast || failed !== -1 ? failed : findLocated(lines);
  const index = located === -1 ? lines.findLastIndex((line) => SAYS_SOMETHING.test(line)) : located;
  // A secret may be announced on the line before.
  const shown = [lines[index - 1] ?? "", lines[index] ?? ""].map((line) => cut(line, 4 * limit + 400));
  return toLine(redactLines(shown)[1] ?? "", limit);
}

function findLocated(lines: readonly string[]): number {
  const test = lines.findIndex((line) => FAILED_TEST.test(line));
  const place = (line: string): boolean => LOCATED.test(line);
  const index = test === -1 ? lines.findIndex(place) : lines.findLastIndex(place);
  return index === -1 ? test : index;
}

/** Kinds of lines that matter in a long output, most telling first. */
const KINDS: readonly RegExp[] = [
  // A reported error, not a mentioned one: "error: …", "TypeError: …", "error TS2304: …".
  /(^|[\s\])])(\w*(error|exception)|fatal|panic)( ?\[?[A-Z]+\d+\]?)?:\s|^error\[\w+\]:|^\s*(Traceback|FAIL(ED)?\b|not ok\b|npm ERR!)|panicked at|Segmentation fault|\*\*\* .*\bError \d/i,
  /\bexit (code|status):? \d|\b(\d+ (passed|failed|failing|passing|errors?|warnings?|problems?|skipped|vulnerabilit(y|ies)))\b|^\s*(total|found|summary)\b.*\d/i,
  // Position in a history or a diff.
  /^commit [0-9a-f]{7,40}\b/,
  /^diff --git /,
  /\b(failed|failure|denied|refused|not found|unable to|timed? ?out|killed)\b/i,
  /(^|\s)(warn|warning)\b.*:/i,
];
/** Matches any kind in one test: most lines match none. */
const ANY_KIND = new RegExp(KINDS.map(({ source }) => source).join("|"), "i");
/** Comments, data and diffs mention errors without reporting one. */
const QUOTED = /^\s*(\/\/|\/?\*|["'`#])|^[+-]\S|^[+-]\s{2}/;
/** So does source code, in words that the weaker kinds match. */
const CODE = /[{};,[(]\s*$|=>|^\s*[}\])]|^[+-]|\b(const|let|function|return|import|class)\b/;
/** The read tool puts the file's line number in front, which is the one to use. */
export const NUMBER_OF_READ = /^\d+: /;
/** Characters examined per line. */
const LOOKED_AT_OF_A_LINE = 400;
/** Length of "FAIL", the shortest line that says anything. */
const SHORTEST_LINE = 4;

/** Rank of a line, 0 most telling; `undefined` if it says nothing, or only mentions an error. */
export function rankLine(line: string): number | undefined {
  if (line.length < SHORTEST_LINE) return undefined;
  const start = line.slice(0, LOOKED_AT_OF_A_LINE);
  if (!ANY_KIND.test(start)) return undefined;
  const kind = KINDS.findIndex((pattern) => pattern.test(start));
  const plain = start.replace(NUMBER_OF_READ, "");
  return kind === -1 || QUOTED.test(plain) || (kind > 0 && CODE.test(plain)) ? undefined : kind;
}

/** Does the line say what went wrong, or how it ended, rather than mention it in code, data or a diff? */
export function isErrorLine(line: string): boolean {
  if (rankLine(line) !== undefined) return true;
  // A longer one is data, which has any word.
  if (line.length > LOOKED_AT_OF_A_LINE) return false;
  const plain = line.replace(NUMBER_OF_READ, "");
  return FAILURE.test(plain) && !QUOTED.test(plain) && !CODE.test(plain);
}
