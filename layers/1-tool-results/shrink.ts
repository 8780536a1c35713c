/**
 * Shrinks what a command or a search prints before it enters the context: what says nothing new is left out, and the
 * whole lies in a file that the first line names.
 *
 *     [Strata] Shrunk: 37 lines as in the last run of this command, 1 long line cut; whole in .opencode/tool-results/r482913057.txt
 *     $ vitest run
 *     … 37 lines as in the last run of this command …
 *     FAIL test/price.test.ts
 *     {"id":4711,"body":"… [12,300 characters] …"}
 *
 * A line that reports an error stays as it is. The text depends only on the result and the run before it. Pure.
 */
import { formatCount } from "../../src/base/format.js";
import type { Sliced } from "../../src/base/slices.js";
import { cut } from "../../src/base/text.js";
import type { ToolPart } from "../../src/io/message.js";
import { isErrorLine } from "../../src/messages/error-line.js";

/** Others answer with what was asked for: `read` with lines of a file, an MCP server with one line of JSON. */
const SHRUNK_TOOLS: ReadonlySet<string> = new Set(["bash", "grep"]);
/** The shell's ways to read a file, often by its lines. */
const READS_FILE = /^\s*(cat|nl|sed)\s/;

/** Did the call succeed, and print what may be shrunk? */
export function mayShrink({ state, tool }: ToolPart): boolean {
  return state.status === "completed" && SHRUNK_TOOLS.has(tool) && !READS_FILE.test(readCommand(state));
}

/** The command of a shell call; empty for other calls. */
export const readCommand = ({ input }: ToolPart["state"]): string => String(input?.command ?? "");

export interface Shrunk {
  /** What was left out, as the first line says it. */
  what: string;
  /** The other lines. */
  body: string;
}

/** A saving below this, in characters, is not worth the first line, a file and a record. */
const LEAST_SAVED = 500;
/** Lines looked at before yielding. */
const LINES_AT_A_TIME = 2_000;
/** A shorter run of lines is easier to read than to be told of. */
const SHORTEST_RUN = 4;

/** Why a line is left out. */
type Reason = "repeated" | "generated";

const REASONS: Readonly<Record<Reason, string>> = {
  repeated: "as in the last run of this command",
  generated: "of a generated file",
};

/** `before`: the last run of the same command, if the model has it. `undefined` if hardly anything could be left out. */
export function* planShrink(text: string, before?: string): Sliced<Shrunk | undefined> {
  const lines = text.split("\n");
  yield;
  const reasons = new Array<Reason | undefined>(lines.length);
  yield* markGenerated(lines, reasons);
  if (before !== undefined) yield* markRepeated(lines, before.split("\n"), reasons);
  const shrunk = yield* write(lines, reasons);
  return text.length - shrunk.body.length >= LEAST_SAVED ? shrunk : undefined;
}

export const formatShrunk = ({ body, what }: Shrunk, path: string): string =>
  `[Strata] Shrunk: ${what}; whole in ${path}\n${body}`;

/** Does the text leave out lines of the run before it? */
export const leavesOutRepeated = (text: string): boolean =>
  text.slice(0, text.indexOf("\n")).includes(REASONS.repeated);

/** Names a file that a tool has written, at the end of a diff's first line. */
const GENERATED =
  /\b(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|[\w-]+\.lockb?|[\w.-]+\.min\.(js|mjs|css)|[\w.-]+\.map)$/;
const DIFF = /^diff --git /;
/** With the number of lines in the old and the new text; without, it is 1. */
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/** The hunks of generated files in a diff. */
function* markGenerated(lines: readonly string[], reasons: (Reason | undefined)[]): Sliced<void> {
  let isGenerated = false;
  let [removed, added] = [0, 0];
  for (const [at, line] of lines.entries()) {
    if (at % LINES_AT_A_TIME === 0) yield;
    const sign = line.charAt(0);
    // A diff may break off in a hunk, and another command's output follow.
    if ((removed > 0 || added > 0) && " +-\\".includes(sign)) {
      if (sign !== "+" && sign !== "\\") removed--;
      if (sign !== "-" && sign !== "\\") added--;
      reasons[at] = "generated";
      continue;
    }
    if (DIFF.test(line)) isGenerated = line.length <= LONGEST_LINE && GENERATED.test(line.trimEnd());
    const hunk = isGenerated ? HUNK.exec(line) : null;
    [removed, added] = hunk ? [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)] : [0, 0];
    if (hunk) reasons[at] = "generated";
  }
}

/** How long something took, as tests say it at the end of a line. */
const DURATION = /[([]\d+(\.\d+)?\s?m?s[\])]$/;

/** Two lines are the same if they differ in that only. */
function* normalise(lines: readonly string[]): Sliced<string[]> {
  const all: string[] = [];
  for (const [at, line] of lines.entries()) {
    if (at % LINES_AT_A_TIME === 0) yield;
    all.push(line.length > LONGEST_LINE ? line : line.trimEnd().replace(DURATION, ""));
  }
  return all;
}

/** Runs of lines that the run before has in the same order, each looked for behind the last one and at its first line. */
function* markRepeated(
  given: readonly string[],
  givenBefore: readonly string[],
  reasons: (Reason | undefined)[],
): Sliced<void> {
  const lines = yield* normalise(given);
  const before = yield* normalise(givenBefore);
  const places = new Map<string, number>();
  for (const [at, line] of before.entries()) {
    if (at % LINES_AT_A_TIME === 0) yield;
    if (!places.has(line)) places.set(line, at);
  }
  const countAlike = (at: number, place = before.length): number => {
    let count = 0;
    while (
      at + count < lines.length &&
      place + count < before.length &&
      lines[at + count] === before[place + count]
    )
      count++;
    return count;
  };
  let behind = 0;
  for (let at = 0, looked = 0; at < lines.length; looked++) {
    if (looked % LINES_AT_A_TIME === 0) yield;
    const place = places.get(lines[at] ?? "");
    const [next, first] = [countAlike(at, behind), countAlike(at, place)];
    const count = Math.max(next, first);
    if (count < SHORTEST_RUN) {
      at++;
      continue;
    }
    behind = (next >= first ? behind : (place ?? 0)) + count;
    reasons.fill("repeated", at, at + count);
    at += count;
  }
}

function* write(lines: readonly string[], reasons: readonly (Reason | undefined)[]): Sliced<Shrunk> {
  const body: string[] = [];
  const left = { repeated: 0, generated: 0 };
  let long = 0;
  let overwritten = 0;
  for (let at = 0, written = 0; at < lines.length; written++) {
    if (written % LINES_AT_A_TIME === 0) yield;
    const run = findRun(lines, reasons, at);
    if (run) {
      left[run.reason] += run.count;
      body.push(formatRun(run));
      at += run.count;
      continue;
    }
    const line = lines[at++] ?? "";
    const shown = yield* dropOverwritten(line);
    const short = cutLong(shown);
    if (shown !== line) overwritten++;
    if (short !== shown) long++;
    body.push(short);
  }
  const what = [
    ...(Object.keys(REASONS) as Reason[]).flatMap((reason) =>
      left[reason] > 0 ? `${formatCount(left[reason])} lines ${REASONS[reason]}` : [],
    ),
    ...(long > 0 ? [`${formatCount(long)} long line${long === 1 ? "" : "s"} cut`] : []),
    ...(overwritten > 0 ? ["progress that was overwritten"] : []),
  ];
  return { body: body.join("\n"), what: what.join(", ") };
}

interface Run {
  reason: Reason;
  count: number;
}

const formatRun = ({ count, reason }: Run): string => `… ${formatCount(count)} lines ${REASONS[reason]} …`;

/** The lines from here on that are left out for one reason, if that is shorter than to show them. */
function findRun(
  lines: readonly string[],
  reasons: readonly (Reason | undefined)[],
  at: number,
): Run | undefined {
  const reason = reasons[at];
  if (reason === undefined) return undefined;
  let characters = 0;
  let end = at;
  for (; reasons[end] === reason && !isErrorLine(lines[end] ?? ""); end++)
    characters += (lines[end]?.length ?? 0) + 1;
  const run = { reason, count: end - at };
  return run.count >= SHORTEST_RUN && characters > formatRun(run).length ? run : undefined;
}

/** Characters. */
const LONGEST_LINE = 1_000;
const STAYS = { head: 500, tail: 200 };

function cutLong(line: string): string {
  if (line.length <= LONGEST_LINE || isErrorLine(line)) return line;
  const head = cut(line, STAYS.head);
  // Half of a pair would be lost on the disk.
  const tail = line.slice(-STAYS.tail).replace(/^\p{Surrogate}/u, "");
  return `${head}… [${formatCount(line.length - head.length - tail.length)} characters] …${tail}`;
}

/** What a terminal shows of a line in the end, and the errors that it showed before. */
function* dropOverwritten(line: string): Sliced<string> {
  const shown = line.replace(/(?<!\r)\r+$/, "").split("\r");
  if (shown.length === 1) return line;
  const staying: string[] = [];
  for (const [at, one] of shown.entries()) {
    if (at % LINES_AT_A_TIME === LINES_AT_A_TIME - 1) yield;
    if (at === shown.length - 1 || isErrorLine(one)) staying.push(one);
  }
  return staying.join("\n");
}
