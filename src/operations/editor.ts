import { spawn } from "node:child_process";
import { once } from "node:events";
import { StrataError } from "../base/error.js";
import type { CliContext } from "./command.js";

/** The editor that the user has set; `undefined` if none. */
export const findEditor = (env: CliContext["env"]): string | undefined =>
  env.VISUAL || env.EDITOR || undefined;

/** Opens the file, and another one beside it, in the user's editor, and resolves when that has ended. @throws StrataError NO_EDITOR */
export async function openEditor(env: CliContext["env"], path: string, other?: string): Promise<void> {
  const editor = findEditor(env) ?? "vi";
  // The shell splits an editor that is set with arguments.
  const child = spawn(`${editor} "$STRATA_FILE"${other === undefined ? "" : ' "$STRATA_OTHER"'}`, {
    shell: true,
    stdio: "inherit",
    env: { ...env, STRATA_FILE: path, STRATA_OTHER: other },
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0)
    throw new StrataError(
      "NO_EDITOR",
      `${editor} exited with ${code}; set EDITOR to one that runs, or open ${path}`,
    );
}
