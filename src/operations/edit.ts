/** `strata memory edit`: opens the memory's own file in the user's editor. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import * as z from "zod";
import { StrataError } from "../base/error.js";
import { findMemories, type Memory } from "../memory/memory.js";
import type { Memories } from "../memory/store/store.js";
import type { CliContext } from "./command.js";
import { withMemories } from "./open-memories.js";
import { type Answer, defineTerminalOperation, memoryName } from "./operation.js";
import { noteConflicts } from "./record-rivals.js";
import { requireMemory } from "./select.js";

export const editFile = defineTerminalOperation(z.object({ name: memoryName }), async (project, { name }) => {
  const { cli } = project;
  return withMemories(project, async (memories): Promise<Answer> => {
    const { memory, path } = await findTarget(cli, memories, name);
    await openEditor(cli.env, path);
    // Notices the edit and records it in the ledger.
    const all = await memories.list({ archived: true });
    const problem = memories.problems().find((one) => one.path === path);
    const invalid = problem && `${problem.path} is not a valid memory now: ${problem.what}`;
    if (invalid) return { text: "", notes: [invalid], isProblem: true };
    const now = memory && all.find(({ id }) => id === memory.id);
    const isSame = memory !== undefined && JSON.stringify(now) === JSON.stringify(memory);
    // To read and save a foreign memory is to accept it.
    if (now?.isForeign && !isSame) await memories.accept([now.id], "strata memory edit");
    return {
      data: { isChanged: !isSame, path },
      text: `${isSame ? "Unchanged" : "Changed"}: ${memory ? `${memory.id}  ` : ""}${path}`,
      notes: now && !isSame ? await noteConflicts(project, memories, [now]) : [],
    };
  });
});

/** The memory that the words name, or an invalid file of that name, which the user may want to repair. */
async function findTarget(
  { files }: CliContext,
  memories: Memories,
  words: string,
): Promise<{ path: string; memory?: Memory }> {
  const name = `/${words.trim().replace(/\.md$/, "")}.md`;
  if (findMemories(await memories.list(), words).length === 0) {
    const broken = memories.problems().find(({ path }) => path.endsWith(name));
    const isFile = broken && (await files.statItself(broken.path))?.kind === "file";
    if (isFile) return { path: broken.path };
  }
  const memory = await requireMemory(memories, words, { archived: false });
  const path = await memories.locate(memory.id);
  if (path !== undefined) return { path, memory };
  const why = `the file of ${memory.id} is gone; see strata memory history ${memory.id}`;
  throw new StrataError("NO_MEMORY", why);
}

/** The editor that the user has set; `undefined` if none. */
export const findEditor = (env: CliContext["env"]): string | undefined =>
  env.VISUAL || env.EDITOR || undefined;

/** Opens the file, and another one beside it, in the user's editor, and resolves when that has ended. @throws StrataError NO_EDITOR */
export async function openEditor(env: CliContext["env"], path: string, other?: string): Promise<void> {
  const isWindows = process.platform === "win32";
  const editor = findEditor(env) ?? (isWindows ? "notepad" : "vi");
  const paths = ["STRATA_FILE", ...(other === undefined ? [] : ["STRATA_OTHER"])];
  // The shell splits an editor that is set with arguments, and puts in the paths as they are.
  const command = [editor, ...paths.map((name) => (isWindows ? `"%${name}%"` : `"$${name}"`))].join(" ");
  const own = { ...env, STRATA_FILE: path, STRATA_OTHER: other };
  const [code] = await once(spawn(command, { shell: true, stdio: "inherit", env: own }), "close");
  const why = `${editor} exited with ${code}; set EDITOR to one that runs, or open ${path}`;
  if (code !== 0) throw new StrataError("NO_EDITOR", why);
}
