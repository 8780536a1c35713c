/**
 * What an edit needs to have in sight, and where it is read again when it is gone: the latest call that showed it, else
 * the file itself, else what the agent itself wrote into it.
 */
import { expectedLines } from "./patch.js";
import { readText } from "./project-files.js";
import type { RecordedCall } from "./recorded-session.js";
import { textIn } from "./script.js";

/** Shorter lines, such as a brace, say nothing about what is in sight. */
const LEAST_CHARACTERS = 12;
/** Share of the lines that must be in sight. */
const ENOUGH = 0.8;
/** How many calls back the agent remembers where something stood. */
const REMEMBERED_CALLS = 400;
/** What one look shows at most. */
const LOOK_LINES = 200;
const LOOK_CHARACTERS = 25_000;
/** Lines shown above a needed one. */
const LINES_ABOVE = 60;

/** The lines that a call changes; none if it is not an edit. */
export function linesToChange({ tool, args }: RecordedCall): string[] {
  if (tool !== "edit") return [];
  const old = String(args.oldString ?? "");
  const lines = old === "" ? expectedLines(String(args.newString ?? "")) : old.split("\n");
  return lines.map((line) => line.trim()).filter((line) => line.length >= LEAST_CHARACTERS);
}

/** Whether the text still shows these lines. */
export function isInSight(lines: readonly string[], text: string): boolean {
  return lines.length === 0 || lines.filter((line) => text.includes(line)).length >= ENOUGH * lines.length;
}

/** The call that shows the lines of this edit again; `undefined` if nothing has them. */
export function planLookAgain(edit: RecordedCall, past: readonly RecordedCall[]): RecordedCall | undefined {
  const lines = linesToChange(edit);
  const remembered = past.slice(-REMEMBERED_CALLS);
  const shown = remembered.findLast(
    ({ tool, error, result }) =>
      ["read", "bash", "grep"].includes(tool) && !error && isInSight(lines, result),
  );
  if (shown) return lookAgain(shown, lines);
  const filePath = String(edit.args.filePath ?? "");
  const written = remembered.findLast(
    (call) => call.args.filePath === filePath && isInSight(lines, textIn(call.args)),
  );
  const text = [readText(filePath), written && textIn(written.args)].find(
    (one) => one !== undefined && isInSight(lines, one),
  );
  return text === undefined ? undefined : read(filePath, text, lines);
}

function lookAgain({ tool, args, result }: RecordedCall, lines: readonly string[]): RecordedCall {
  const { from, text } = cutAround(result, lines);
  const offset = Number(args.offset ?? 0) + from;
  const narrowed = tool === "read" && text !== result ? { ...args, offset, limit: LOOK_LINES } : args;
  return { tool, args: narrowed, result: text };
}

function read(filePath: string, contents: string, lines: readonly string[]): RecordedCall {
  const numbered = contents.split("\n").map((line, index) => `${String(index + 1).padStart(5)}\t${line}`);
  const { from, text } = cutAround(numbered.join("\n"), lines);
  return { tool: "read", args: { filePath, offset: from, limit: LOOK_LINES }, result: text };
}

/** The whole text if it is small, else the stretch of it that shows the most of the needed lines. */
function cutAround(text: string, lines: readonly string[]): { from: number; text: string } {
  const rows = text.split("\n");
  if (rows.length <= LOOK_LINES && text.length <= LOOK_CHARACTERS) return { from: 0, text };
  const matching = rows.flatMap((row, index) => (lines.some((line) => row.includes(line)) ? [index] : []));
  const cuts = [0, ...matching].map((row) => cutFrom(rows, Math.max(0, row - LINES_ABOVE)));
  const count = (cut: string): number => lines.filter((line) => cut.includes(line)).length;
  return cuts.reduce((best, cut) => (count(cut.text) > count(best.text) ? cut : best));
}

function cutFrom(rows: readonly string[], from: number): { from: number; text: string } {
  const text = rows
    .slice(from, from + LOOK_LINES)
    .join("\n")
    .slice(0, LOOK_CHARACTERS);
  return { from, text };
}

/** Plans what the agent has to read again before it edits. */

interface Looks {
  /** Edits so far, and those of them whose lines nothing showed any more. */
  readonly edits: number;
  readonly blindEdits: number;
  /** The calls that must come before these, given the text of the request. None after a look: it is not repeated. */
  plan(calls: readonly RecordedCall[], text: string): RecordedCall[];
  /** The agent makes these calls and remembers what they showed. */
  remember(calls: readonly RecordedCall[]): void;
}

export function createLooks(): Looks {
  const past: RecordedCall[] = [];
  const counts = { edits: 0, blindEdits: 0 };
  let hidden: RecordedCall[] = [];
  let hasLooked = false;
  return {
    get edits() {
      return counts.edits;
    },
    get blindEdits() {
      return counts.blindEdits;
    },
    plan(calls, text) {
      hidden = calls.filter((call) => !isInSight(linesToChange(call), text));
      if (hasLooked) return [];
      const looks = hidden.flatMap((edit) => planLookAgain(edit, past) ?? []);
      hasLooked = looks.length > 0;
      // Edits of one place need one look.
      return [...new Map(looks.map((look) => [look.result, look])).values()];
    },
    remember(calls) {
      counts.edits += calls.filter(({ tool }) => tool === "edit").length;
      counts.blindEdits += hidden.length;
      hasLooked = false;
      past.push(...calls);
    },
  };
}
