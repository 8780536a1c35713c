/**
 * Texts that OpenCode makes from the template of a slash command. Stored sessions do not mark them (measured with
 * OpenCode 1.18.33): such a text is recognised by its template.
 */
import { join } from "node:path";
import { isRecord, type PlainRecord } from "../../base/records.js";
import { type Files, readText } from "../../io/files.js";

/** How the templates of OpenCode's own commands /init and /review begin. */
const BUILT_IN = [
  "Create or update `AGENTS.md` for this repository.",
  "You are a code reviewer. Your job is to review code changes and provide actionable feedback.",
];
const FOLDERS = ["command", "commands"];
/** Deeper folders hold other things. */
const DEEPEST = 3;

/** Placeholders for arguments, and commands whose output OpenCode puts in. */
const PLACEHOLDER = /\$ARGUMENTS|\$\d+|!`[^`]+`/;
/** Fewer characters may be the user's own words by chance. */
const LEAST_FIXED = 12;

/** A check whether a text comes from one of these templates. Pure. */
export function createTemplateCheck(templates: readonly string[]): (text: string) => boolean {
  const all = [...BUILT_IN, ...templates]
    .map((template) => template.split(PLACEHOLDER).map((piece) => piece.trim()))
    .filter((pieces) => pieces.join("").length >= LEAST_FIXED);
  return (text) => all.some((pieces) => hasPieces(text.trim(), pieces));
}

/** Begins with the first piece, and has the others in order. */
function hasPieces(text: string, [first = "", ...others]: readonly string[]): boolean {
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const piece of others) {
    const at = text.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return true;
}

/** Templates in configuration files and in the command folders of these `.opencode` and global folders. Never rejects. */
export async function readTemplates(
  files: Files,
  { configs, folders }: { configs: readonly PlainRecord[]; folders: readonly string[] },
): Promise<string[]> {
  const configured = configs.flatMap(({ command }) =>
    isRecord(command) ? Object.values(command).flatMap(readTemplate) : [],
  );
  const places = folders.flatMap((folder) => FOLDERS.map((name) => join(folder, name)));
  const written = await Promise.all(places.map((place) => readFolder(files, place, DEEPEST)));
  return [...configured, ...written.flat()];
}

/** The template of a command as OpenCode's configuration or its server has it. */
export function readTemplate(command: unknown): string[] {
  return isRecord(command) && typeof command.template === "string" ? [command.template] : [];
}

async function readFolder(files: Files, folder: string, depth: number): Promise<string[]> {
  const names = depth === 0 ? [] : await files.list(folder).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      if (!name.endsWith(".md")) return readFolder(files, path, depth - 1);
      const text = await readText(files, path).catch(() => undefined);
      return text === undefined ? [] : [text.replace(/^---\r?\n[\s\S]*?\n---\r?\n/, "")];
    }),
  );
  return found.flat();
}
