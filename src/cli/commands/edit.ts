/** `strata edit`: the memory's own file in the person's editor. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { StrataError } from "../../error.js";
import type { Memory } from "../../memory/memory.js";
import { findMemories } from "../../memory/search/find.js";
import type { Memories } from "../../memory/store.js";
import { type ExitCode, exitCodes, type Run, type Surroundings } from "../command.js";
import { requireMemory, withMemories } from "../memories.js";

interface Target {
  path: string;
  /** Absent where the file cannot be used as it is. */
  memory?: Memory;
}

export const run: Run = async (surroundings, _options, args) =>
  withMemories(surroundings, async (memories): Promise<ExitCode> => {
    const { memory, path } = await findTarget(surroundings, memories, args.join(" "));
    await openEditor(surroundings.env, path);
    // Notices what was done, and enters it into the ledger.
    const all = await memories.list({ archived: true });
    const problem = memories.problems().find((one) => one.path === path);
    if (problem) {
      surroundings.warn(`strata: ${problem.path} cannot be used as it is now: ${problem.what}`);
      return exitCodes.problems;
    }
    const now = memory && all.find(({ id }) => id === memory.id);
    // Whoever has read and saved it makes it theirs, if nobody else can have written it meanwhile.
    if (now?.isForeign && JSON.stringify(now) !== JSON.stringify(memory))
      await memories.accept([now.id], "strata edit");
    const isSame = memory !== undefined && JSON.stringify(now) === JSON.stringify(memory);
    surroundings.say(`${isSame ? "Unchanged" : "Changed"}: ${memory ? `${memory.id}  ` : ""}${path}`);
    return exitCodes.fine;
  });

/** The memory that is meant, or the file that would be one if it were mended. */
async function findTarget(surroundings: Surroundings, memories: Memories, words: string): Promise<Target> {
  const name = `/${words.trim().replace(/\.md$/, "")}.md`;
  if (findMemories(await memories.list(), words).length === 0) {
    const broken = memories.problems().find(({ path }) => path.endsWith(name));
    const isFile = broken && (await surroundings.files.statItself(broken.path))?.kind === "file";
    if (isFile) return { path: broken.path };
  }
  const memory = await requireMemory(memories, words, { archived: false });
  const path = await memories.locate(memory.id);
  if (path === undefined)
    throw new StrataError(
      "NO_MEMORY",
      `the file of ${memory.id} is gone; strata history ${memory.id} has it`,
    );
  return { path, memory };
}

async function openEditor(env: Readonly<Record<string, string | undefined>>, path: string): Promise<void> {
  const editor = env.VISUAL || env.EDITOR || "vi";
  // An editor may be set with arguments, which the shell takes apart.
  const child = spawn(`${editor} "$STRATA_FILE"`, {
    shell: true,
    stdio: "inherit",
    env: { ...env, STRATA_FILE: path },
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0)
    throw new StrataError(
      "NO_EDITOR",
      `${editor} ended with ${code}; set EDITOR to one that runs, or open ${path}`,
    );
}
