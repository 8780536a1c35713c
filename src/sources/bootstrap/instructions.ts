/**
 * The files that OpenCode 1.18.33 sends as instructions with every request (from its source, and seen in requests):
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
import { basename, dirname, isAbsolute, join } from "node:path";
import { compileGlob } from "../../base/glob.js";
import { isRecord, type PlainRecord } from "../../base/shape.js";
import type { Files } from "../../io/files.js";
import { listFolders } from "../../project/opencode-files.js";

export interface InstructionsInput {
  files: Pick<Files, "statItself">;
  /** Whether OpenCode 2 sends them. */
  isSecond: boolean;
  /** Root of the project. */
  project: string;
  /** Where the session works. */
  directory: string;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Contents of the configuration files. */
  configs: readonly PlainRecord[];
}

/** Does OpenCode itself send this file? Takes an absolute path in the project. */
export type IsSent = (path: string) => Promise<boolean>;

const CLAUDE = "CLAUDE.md";

export async function openInstructions(input: InstructionsInput): Promise<IsSent> {
  const { configs, directory, env, files, home, isSecond, project } = input;
  if (isOn(env.OPENCODE_DISABLE_PROJECT_CONFIG)) return async () => false;
  const hasClaude = !isOn(env.OPENCODE_DISABLE_CLAUDE_CODE) && !isOn(env.OPENCODE_DISABLE_CLAUDE_CODE_PROMPT);
  const names = isSecond ? ["AGENTS.md"] : ["AGENTS.md", ...(hasClaude ? [CLAUDE] : []), "CONTEXT.md"];
  const above = listFolders(project, directory);
  const sent = await findFirst(above);
  const patterns = (isSecond ? [] : configs.flatMap(listInstructions)).flatMap((glob) => {
    const path = glob.startsWith("~/") ? join(home, glob.slice(2)) : glob;
    return (isAbsolute(path) ? [path] : above.map((folder) => join(folder, path))).map(compileGlob);
  });

  return async (path) => {
    if (patterns.some((fits) => fits(path))) return true;
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

function listInstructions({ instructions }: PlainRecord): string[] {
  const list: unknown[] = Array.isArray(instructions)
    ? instructions
    : isRecord(instructions)
      ? []
      : [instructions];
  return list.flatMap((one) => (typeof one === "string" && !/^https?:\/\//.test(one) ? [one] : []));
}

/** Reads a switch as OpenCode does. */
const isOn = (value: string | undefined): boolean => /^(1|true)$/i.test(value ?? "");
