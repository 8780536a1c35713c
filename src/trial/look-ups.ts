/**
 * What an agent has to read again: lines that it is about to edit must be in sight. If the request no longer has them, it
 * reads them again first, from the latest call that showed them, else from the file, else from what it wrote itself.
 * What calls did to files is done again, so that the file is there.
 */
import { dirname } from "node:path";
import { type Files, pathBelow, readText } from "../io/files.js";
import type { ToolPart } from "../io/message.js";

/** A finished tool call, with the names of OpenCode 1. */
export interface PlayedCall {
  tool: string;
  args: Record<string, unknown>;
  result: string;
  error?: boolean | undefined;
}

export function toCall({ state, tool }: ToolPart): PlayedCall {
  const isError = state.status === "error";
  const result = String((isError ? state.error : state.output) ?? "");
  return { tool, args: state.input ?? {}, result, ...(isError && { error: true }) };
}

export function toPart({ args, result, tool }: PlayedCall, callID: string): ToolPart {
  const metadata = tool === "bash" ? { exit: 0, output: "" } : {};
  const state = { status: "completed", input: args, output: result, metadata };
  return { type: "tool", tool, callID, state };
}

/** Shorter lines, such as a brace, say nothing about what is in sight. */
const LEAST_CHARACTERS = 12;
const ENOUGH = 0.8;
/** How many calls back the agent remembers where something stood. */
const REMEMBERED_CALLS = 400;
/** What one look shows at most. */
const LOOK_LINES = 200;
const LOOK_CHARACTERS = 25_000;
/** Lines shown above a needed one. */
const LINES_ABOVE = 60;

export type LookUps = ReturnType<typeof createLookUps>;

export function createLookUps(files: Files) {
  const past: PlayedCall[] = [];
  const counts = { edits: 0, blindEdits: 0 };
  let hidden: PlayedCall[] = [];
  let hasLooked = false;
  return {
    /** Edits so far, and those of them whose lines nothing showed any more. */
    counts: counts as Readonly<typeof counts>,

    /** The calls that must come before these, given the text of the request. None after a look: it is not repeated. */
    async plan(calls: readonly PlayedCall[], readRequest: () => string): Promise<PlayedCall[]> {
      const edits = calls.filter((call) => linesToChange(call).length > 0);
      const text = edits.length > 0 ? readRequest() : "";
      hidden = edits.filter((call) => !isInSight(linesToChange(call), text));
      if (hasLooked) return [];
      const looks: PlayedCall[] = [];
      for (const edit of hidden) looks.push(...(await planLookAgain(files, edit, past)));
      hasLooked = looks.length > 0;
      // Edits of one place need one look.
      return [...new Map(looks.map((look) => [look.result, look])).values()];
    },
    /** The agent makes these calls and remembers what they showed. */
    remember(calls: readonly PlayedCall[]): void {
      counts.edits += calls.filter(isEdit).length;
      counts.blindEdits += hidden.length;
      hidden = [];
      hasLooked = false;
      past.push(...calls);
    },
  };
}

const isEdit = ({ tool }: PlayedCall): boolean => tool === "edit" || tool === "apply_patch";

/** The lines that a call changes; none if it is not an edit. */
export function linesToChange(call: PlayedCall): string[] {
  if (!isEdit(call)) return [];
  const old = String(call.args.oldString ?? "");
  const lines = old === "" ? expectedLines(readPatchText(call.args)) : old.split("\n");
  return lines.map((line) => line.trim()).filter((line) => line.length >= LEAST_CHARACTERS);
}

const isInSight = (lines: readonly string[], text: string): boolean =>
  lines.length === 0 || lines.filter((line) => text.includes(line)).length >= ENOUGH * lines.length;

/** The call that shows the lines of this edit again; none if nothing has them. */
async function planLookAgain(
  files: Files,
  edit: PlayedCall,
  past: readonly PlayedCall[],
): Promise<PlayedCall[]> {
  const lines = linesToChange(edit);
  const remembered = past.slice(-REMEMBERED_CALLS);
  const shown = remembered.findLast(
    ({ tool, error, result }) =>
      ["read", "bash", "grep"].includes(tool) && !error && isInSight(lines, result),
  );
  if (shown) return [lookAgain(shown, lines)];
  for (const { path } of listChanges(edit)) {
    const written = remembered.findLast(
      (call) =>
        listChanges(call).some((change) => change.path === path) && isInSight(lines, textIn(call.args)),
    );
    const texts = [await readFile(files, path), written && textIn(written.args)];
    const text = texts.find((one) => one !== undefined && isInSight(lines, one));
    if (text !== undefined) return [read(path, text, lines)];
  }
  return [];
}

function lookAgain({ tool, args, result }: PlayedCall, lines: readonly string[]): PlayedCall {
  const { from, text } = cutAround(result, lines);
  const offset = Number(args.offset ?? 0) + from;
  const narrowed = tool === "read" && text !== result ? { ...args, offset, limit: LOOK_LINES } : args;
  return { tool, args: narrowed, result: text };
}

function read(filePath: string, contents: string, lines: readonly string[]): PlayedCall {
  const numbered = contents.split("\n").map((line, index) => `${String(index + 1).padStart(5)}\t${line}`);
  const { from, text } = cutAround(numbered.join("\n"), lines);
  return { tool: "read", args: { filePath, offset: from, limit: LOOK_LINES }, result: text };
}

/** The whole text if it is small, else the stretch of it that shows the most of the needed lines. */
function cutAround(text: string, lines: readonly string[]): { from: number; text: string } {
  const rows = text.split("\n");
  if (rows.length <= LOOK_LINES && text.length <= LOOK_CHARACTERS) return { from: 0, text };
  const matching = rows.flatMap((row, index) => (lines.some((line) => row.includes(line)) ? [index] : []));
  const cuts = [0, ...matching].map((row) => {
    const from = Math.max(0, row - LINES_ABOVE);
    const shown = rows.slice(from, from + LOOK_LINES).join("\n");
    return { from, text: shown.slice(0, LOOK_CHARACTERS) };
  });
  const count = (cut: string): number => lines.filter((line) => cut.includes(line)).length;
  return cuts.reduce((best, cut) => (count(cut.text) > count(best.text) ? cut : best));
}

/** Every string in a value, joined by line breaks. */
export function textIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return Object.values(value).map(textIn).join("\n");
}

/* What calls do to files, so that a look, and a plugin that looks at a file, finds what the agent saw. */

/** Files that would steer the host or the plugin. */
const STEERING = /(^|\/)(AGENTS|CLAUDE|CONTEXT)\.md$|(^|\/)\.(opencode|claude|git)(\/|$)|opencode\.jsonc?$/;

/** A file that a call reads, writes or changes. */
interface Change {
  path: string;
  /** The file after the call; `undefined` if it stays as it is, or cannot be told. */
  after(before: string | undefined): string | undefined;
}

/** Applies a call to the files under `folder`. Ignores failed calls, folders, and paths outside. */
export async function applyCall(files: Files, call: PlayedCall, folder: string): Promise<void> {
  if (call.error) return;
  for (const { after, path } of listChanges(call)) {
    const inside = pathBelow(folder, path);
    if (inside === undefined || STEERING.test(inside)) continue;
    if ((await findKind(files, path)) === "folder" || (await findKind(files, dirname(path))) === "file")
      continue;
    const text = after(await readFile(files, path));
    if (text !== undefined) await files.writeWhole(path, text);
  }
}

function listChanges({ args, result, tool }: PlayedCall): Change[] {
  if (tool === "apply_patch") return listPatched(readPatchText(args));
  const path = String(args.filePath ?? "");
  if (path === "") return [];
  if (tool === "write") return [{ path, after: () => String(args.content ?? "") }];
  if (tool === "edit") return [{ path, after: (before) => planEdit(before, args) }];
  const isWhole = args.offset === undefined && args.limit === undefined;
  if (tool !== "read" || !isWhole) return [];
  return [{ path, after: (before) => (before === undefined ? readNumbered(result) : undefined) }];
}

function planEdit(before: string | undefined, args: Record<string, unknown>): string | undefined {
  const { oldString = "", newString = "", replaceAll = false } = args;
  const [from, to] = [String(oldString), String(newString)];
  if (from === "") return to.startsWith("*** Begin Patch") ? applyPatch(before, to) : (before ?? to);
  if (!before?.includes(from)) return undefined;
  return replaceAll === true ? before.replaceAll(from, () => to) : before.replace(from, () => to);
}

/** A line of a read result: its number, a separator, its text. */
const NUMBERED = /^\s*\d+(?:→|\t|: |\| )(.*)$/;

function readNumbered(result: string): string | undefined {
  const lines = result.split("\n").flatMap((line) => NUMBERED.exec(line)?.[1] ?? []);
  return lines.length < 2 ? undefined : `${lines.join("\n")}\n`;
}

const findKind = async (files: Files, path: string): Promise<string | undefined> =>
  (await files.stat(path))?.kind;

/** The text of a file; `undefined` if there is none, or a folder. */
const readFile = async (files: Files, path: string): Promise<string | undefined> =>
  (await findKind(files, path)) === "file" ? readText(files, path) : undefined;

/*
 * Patches:
 *
 *     *** Begin Patch
 *     *** Update File: src/a.ts      or *** Add File: …
 *     @@
 *      a line that stays
 *     -a line that goes
 *     +a line that comes
 *     *** End Patch
 */

const readPatchText = ({ newString, patchText }: Record<string, unknown>): string =>
  String(patchText ?? newString ?? "");

/** The lines a patch expects in the file: those that stay and those that go. */
const expectedLines = (patch: string): string[] =>
  patch
    .split("\n")
    .filter((line) => /^[ -]/.test(line))
    .map((line) => line.slice(1));

function listPatched(patch: string): Change[] {
  return patch.split(/^(?=\*\*\* (?:Update|Add) File: )/m).flatMap((section) => {
    const [, path] = /^\*\*\* (?:Update|Add) File: (.+)/.exec(section) ?? [];
    return path === undefined ? [] : [{ path, after: (before) => applyPatch(before, section) }];
  });
}

/** The file after the patch of it; `undefined` if a hunk does not fit. `text` is `undefined` if the file does not exist. */
export function applyPatch(text: string | undefined, patch: string): string | undefined {
  const lines = patch.split("\n").filter((line) => !/^\*\*\* (Begin|End|Update|Move)/.test(line));
  if (lines.some((line) => line.startsWith("*** Add File"))) {
    const added = lines.filter((line) => line.startsWith("+")).map((line) => line.slice(1));
    return `${added.join("\n")}\n`;
  }
  const hunks: string[][] = [];
  for (const line of lines) {
    if (line.startsWith("@@")) hunks.push([]);
    else if (/^[ +-]/.test(line) || line === "") hunks.at(-1)?.push(line);
  }
  return hunks.reduce<string | undefined>(
    (patched, hunk) => (patched === undefined ? undefined : applyHunk(patched, hunk)),
    text,
  );
}

function applyHunk(text: string, hunk: readonly string[]): string | undefined {
  const side = (without: string): string =>
    hunk
      .filter((line) => line !== "" && !line.startsWith(without))
      .map((line) => line.slice(1))
      .join("\n");
  const before = side("+");
  return before !== "" && text.includes(before) ? text.replace(before, () => side("-")) : undefined;
}
