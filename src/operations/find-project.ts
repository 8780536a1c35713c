import { dirname, join } from "node:path";
import { StrataError } from "../base/error.js";
import type { Files } from "../io/files.js";
import type { CliContext } from "./command.js";

/**
 * The folder of the project that a command is about: the nearest one upwards in which the plugin has written, else the
 * root of the repository, else the nearest one with a configuration of OpenCode's. Throws if there is none.
 */
export async function requireProject({
  files,
  folder,
  home,
}: Pick<CliContext, "files" | "folder" | "home">): Promise<string> {
  const written = await findUpwards(files, folder, [join(".opencode", "strata")]);
  if (written !== undefined) return written;
  const repository = await findUpwards(files, folder, [".git"]);
  if (repository !== undefined) return repository;
  const configured = await findUpwards(files, folder, ["opencode.json", "opencode.jsonc", ".opencode"]);
  // OpenCode installs itself into ~/.opencode, which does not make the home folder a project.
  if (configured !== undefined && configured !== home) return configured;
  throw new StrataError(
    "NO_PROJECT",
    `${folder} is not in an OpenCode project: no opencode.json, .opencode or .git here or in a folder above. ` +
      "Change to a project, or create one here with: strata init",
  );
}

/** The nearest folder upwards that contains one of these names. */
export async function findUpwards(
  files: Files,
  folder: string,
  names: readonly string[],
): Promise<string | undefined> {
  for (let place = folder; ; place = dirname(place)) {
    // What cannot be read counts as absent; whoever writes there later reports why.
    for (const name of names) if (await files.stat(join(place, name)).catch(() => undefined)) return place;
    if (dirname(place) === place) return undefined;
  }
}
