/** Rules for other agents: one memory per file, with the file's text, unless OpenCode sends the file itself. */
import { basename, dirname, isAbsolute, join, sep } from "node:path";
import { compileGlob } from "../../base/glob.js";
import type { PlainRecord } from "../../base/shape.js";
import { toLine } from "../../base/text.js";
import type { Files } from "../../io/files.js";
import { readPage } from "../../memory/memory-file.js";
import { listFolders } from "../../project/folders.js";
import { type Reader, toValues } from "./taken.js";

/** The gate refuses longer texts; see `findRefusal`. */
const MOST_RULE_CHARACTERS = 31_000;
/** Escape sequences and other characters that a terminal would obey. */
const CONTROL = /(?![\n\t])\p{Cc}/gu;

export const readRules: Reader = (text, path) => {
  const { body, front } = readPage(text) ?? { front: {}, body: text };
  const content = body.replace(/\r\n/g, "\n").replace(CONTROL, "").trim();
  if (content === "") return [];
  if (content.length > MOST_RULE_CHARACTERS)
    throw new RangeError(
      `it has ${content.length} characters, a memory at most ${MOST_RULE_CHARACTERS}; split it, or name it under instructions in opencode.json`,
    );
  return [
    {
      ...{ key: "rules", type: "directive", importance: 0.7, content },
      title: toLine(`Rules from ${path}`, 100),
      aliases: toValues(front.description).map((text) => toLine(text, 200)),
      when: findGlobs(front),
    },
  ];
};

/** A rule with more globs applies to all files. */
const MOST_GLOBS = 50;

/**
 * The paths that a rule applies to, as in Cursor, Windsurf (`globs`), Copilot (`applyTo`) and Claude (`paths`); empty
 * for all files. Triggers have no braces, so each alternative becomes a separate glob.
 */
function findGlobs({ applyTo, globs, paths }: PlainRecord): string[] {
  const given = [globs, applyTo, paths].flatMap(toValues).join(",");
  let all = given.slice(0, 4_000).split(/,(?![^{]*\})/);
  for (let some = 0; all.length !== some && all.length <= MOST_GLOBS; ) {
    some = all.length;
    all = all.flatMap((glob) => {
      const [, head = "", list, tail = ""] = /^([^{}]*)\{([^{}]*)\}(.*)$/s.exec(glob) ?? [];
      return list === undefined ? [glob] : list.split(",").map((part) => `${head}${part.trim()}${tail}`);
    });
  }
  const named = [...new Set(all.map((glob) => glob.trim()).filter(Boolean))];
  return named.length > MOST_GLOBS || named.some((glob) => /^[*/]+$/.test(glob)) ? [] : named;
}

export interface InstructionsInput {
  files: Pick<Files, "statItself">;
  isSecond: boolean;
  project: string;
  /** Where the session works. */
  directory: string;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Contents of the configuration files. */
  configs: readonly PlainRecord[];
}

/**
 * Tells of a path in the project whether OpenCode sends that file itself as instructions. OpenCode 1.18.33 (from its
 * source, and seen in requests) sends:
 *
 *     of AGENTS.md, CLAUDE.md and CONTEXT.md the first name that any folder from the working directory up to the
 *         project's root has, from all of these folders
 *     the files that `instructions` in the configuration names, as globs from the same folders
 *     beside a file that the agent reads, the first of the same three names that the file's folder has
 *
 * OPENCODE_DISABLE_CLAUDE_CODE and OPENCODE_DISABLE_CLAUDE_CODE_PROMPT leave out CLAUDE.md,
 * OPENCODE_DISABLE_PROJECT_CONFIG everything from the project.
 *
 * OpenCode 2.0.15 sends AGENTS.md of these folders and no other file, whatever `instructions` says (seen in requests).
 */
export async function openInstructions(
  input: InstructionsInput,
): Promise<(path: string) => Promise<boolean>> {
  const { configs, directory, env, files, home, isSecond, project } = input;
  const isOn = (name: string): boolean => /^(1|true)$/i.test(env[name] ?? "");
  if (isOn("OPENCODE_DISABLE_PROJECT_CONFIG")) return async () => false;
  const hasClaude = !isOn("OPENCODE_DISABLE_CLAUDE_CODE") && !isOn("OPENCODE_DISABLE_CLAUDE_CODE_PROMPT");
  const names = isSecond ? ["AGENTS.md"] : ["AGENTS.md", ...(hasClaude ? ["CLAUDE.md"] : []), "CONTEXT.md"];
  const above = listFolders(project, directory);
  const sent = await findFirst(above);
  const given = isSecond ? [] : configs.flatMap(({ instructions }) => [instructions].flat());
  const patterns = given.flatMap((glob) => {
    if (typeof glob !== "string" || /^https?:\/\//.test(glob)) return [];
    const path = glob.startsWith("~/") ? join(home, glob.slice(2)) : glob;
    const paths = isAbsolute(path) ? [path] : above.map((folder) => join(folder, path));
    return paths.map((one) => compileGlob(one.replaceAll(sep, "/")));
  });

  return async (path) => {
    if (patterns.some((fits) => fits(path.replaceAll(sep, "/")))) return true;
    const [folder, name] = [dirname(path), basename(path)];
    if (!names.includes(name)) return false;
    return above.includes(folder) ? name === sent : name === (await findFirst([folder]));
  };

  /** The first name that exists in any of these folders. */
  async function findFirst(folders: readonly string[]): Promise<string | undefined> {
    for (const name of names)
      for (const folder of folders) if (await files.statItself(join(folder, name))) return name;
    return undefined;
  }
}
