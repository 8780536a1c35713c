import { findLastTellingLine, withoutTerminalCodes } from "../notes/call.js";
import { toLine } from "../notes/line.js";

/** Words of a line that says what went wrong. */
const TELLING =
  /\b(error|err!|fatal|failed|failure|exception|missing|not found|no such|cannot|can't|could ?n[o']t|unable|denied|refused|invalid|unknown|unrecognized|unexpected|undefined|must|not (exist|permitted|allowed|recognized))\b/i;
/** Lines that only say where there is more, or that something went wrong. */
const EMPTY_WORDS =
  /A complete log of this run|^npm (ERR!|error) *$|^npm (ERR!|error) (code|errno|syscall|path)\b|^Traceback|^\s*at .*:\d+|^\s*File ".*", line \d+|^info |ELIFECYCLE|^(error|failed)[:.!]?$/i;
const LOOKED_AT = 20_000;

/** The first line of an output that says what went wrong, else the last that says anything. */
export function findTellingLine(output: string, limit: number): string {
  const lines = withoutTerminalCodes(output.slice(-LOOKED_AT)).split("\n");
  const telling = lines.find((line) => TELLING.test(line) && !EMPTY_WORDS.test(line.trim()));
  return telling === undefined ? findLastTellingLine(output, limit) : toLine(telling, limit);
}
