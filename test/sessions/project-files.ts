/**
 * Does to the project's files what a recorded call did to them, so that a plugin that looks at a file finds what the
 * agent saw: a file read whole exists, a written one has its contents, an edited one its change.
 */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { applyPatch } from "./patch.js";
import type { RecordedCall } from "./recorded-session.js";

/** Files that would steer the host or the plugin. */
const STEERING = /(^|\/)(AGENTS|CLAUDE|CONTEXT)\.md$|(^|\/)\.(opencode|claude|git)(\/|$)|opencode\.jsonc?$/;

/** Applies a call to the files under `folder`. Ignores failed calls, folders, and paths outside. */
export function applyCall({ tool, args, result, error }: RecordedCall, folder: string): void {
  const path = args.filePath;
  if (error || typeof path !== "string" || !path.startsWith(`${folder}/`)) return;
  if (STEERING.test(relative(folder, path)) || isFolder(path)) return;
  const text = planText(readText(path), { tool, args, result });
  if (text === undefined) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** The file after the call; `undefined` if the call does not change it. */
function planText(
  before: string | undefined,
  { tool, args, result }: Pick<RecordedCall, "tool" | "args" | "result">,
): string | undefined {
  if (tool === "write") return String(args.content ?? "");
  if (tool === "edit") return planEdit(before, args);
  const isWhole = args.offset === undefined && args.limit === undefined;
  return tool === "read" && isWhole && before === undefined ? readNumbered(result) : undefined;
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

/** The text of a file; `undefined` if there is none, or a folder. */
export function readText(path: string): string | undefined {
  return existsSync(path) && !isFolder(path) ? readFileSync(path, "utf8") : undefined;
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
