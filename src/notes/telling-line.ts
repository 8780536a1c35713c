/** The line of a failed call's output that the notes and errors.log quote alike. */

import { findLastTellingLine, withoutTerminalCodes } from "../conversation/call.js";
import { redactLines } from "../secrets/secrets.js";
import { cut, toLine } from "../text.js";

/** Words of a line that says what went wrong. */
const TELLING =
  /\b(error|err!|fatal|failed|failure|exception|missing|not found|no such|cannot|can't|could ?n[o']t|unable|denied|refused|invalid|unknown|unrecognized|unexpected|undefined|must|not (exist|permitted|allowed|recognized))\b/i;
/** Lines that only say where there is more, or that something went wrong. */
const EMPTY_WORDS =
  /A complete log of this run|^npm (ERR!|error) *$|^npm (ERR!|error) (code|errno|syscall|path)\b|^Traceback|^\s*at .*:\d+|^\s*File ".*", line \d+|^info |ELIFECYCLE|^(error|failed)[:.!]?$/i;
const LOOKED_AT = 20_000;

/** What the host itself adds behind the output of a command. */
const REMARKS = /<bash_metadata>[\s\S]*?(<\/bash_metadata>|$)/g;

/** The first line of an output that says what went wrong, else the last that says anything; without secrets. */
export function findTellingLine(output: string, limit: number): string {
  const lines = withoutTerminalCodes(output.slice(-LOOKED_AT).replace(REMARKS, "")).split("\n");
  const index = lines.findIndex((line) => TELLING.test(line) && !EMPTY_WORDS.test(line.trim()));
  if (index === -1) return findLastTellingLine(output, limit);
  // What it is may stand on the line before.
  const shown = [lines[index - 1] ?? "", lines[index] ?? ""].map((line) => cut(line, 4 * limit + 400));
  return toLine(redactLines(shown)[1] ?? "", limit);
}
