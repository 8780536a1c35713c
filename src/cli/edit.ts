/** `strata edit`: the memory's own file in the person's editor. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { StrataError } from "../error.js";
import { findSecrets } from "../memory/secrets.js";
import type { Files } from "../seams/files.js";
import { type ExitCode, exitCodes, type Run } from "./command.js";
import { requireMemory, withMemories } from "./memories.js";

export const run: Run = async (surroundings, _options, args) =>
  withMemories(surroundings, async (memories): Promise<ExitCode> => {
    const { id } = await requireMemory(memories, args.join(" "), { archived: false });
    // A change that changes nothing says where the file is.
    const found = await memories.update(id, () => undefined, { operation: "edit" });
    if (found.kind === "refused") throw new StrataError("NO_MEMORY", found.why);
    await openEditor(surroundings.env, found.path);
    const earlier = JSON.stringify(found.memory);
    const secret = await findSecretIn(surroundings.files, found.path);
    if (secret !== undefined) {
      surroundings.warn(
        `strata: ${found.path} now holds a secret (${secret}), and memories are read by others; take it out with strata edit ${id}`,
      );
      return exitCodes.problems;
    }
    // Notices what was done, and enters it into the ledger.
    await memories.list();
    const problem = memories.problems().find(({ path }) => path === found.path);
    if (problem) {
      surroundings.warn(`strata: ${problem.path} cannot be used as it is now: ${problem.what}`);
      return exitCodes.problems;
    }
    const isSame = JSON.stringify(await memories.read(id)) === earlier;
    surroundings.say(`${isSame ? "Unchanged" : "Changed"}: ${id}  ${found.path}`);
    return exitCodes.fine;
  });

async function findSecretIn(files: Files, path: string): Promise<string | undefined> {
  const text = new TextDecoder().decode((await files.read(path)) ?? new Uint8Array());
  return findSecrets(text)[0]?.name;
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
