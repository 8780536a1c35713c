import { dirname, join } from "node:path";
import { StrataError } from "../error.js";
import type { Files } from "../seams/files.js";
import type { Surroundings } from "./command.js";

/** The nearest folder upwards in which the plugin has written something; `folder` itself when there is none. */
export async function findProject(files: Files, folder: string): Promise<string> {
  return (await findUpwards(files, folder, [join(".opencode", "strata")])) ?? folder;
}

/**
 * The project that a command is about: where the plugin has written, else the root of the repository or the folder that
 * has a configuration of OpenCode's. Throws where there is none of these.
 */
export async function requireProject({
  files,
  folder,
  home,
}: Pick<Surroundings, "files" | "folder" | "home">): Promise<string> {
  const written = await findUpwards(files, folder, [join(".opencode", "strata")]);
  if (written !== undefined) return written;
  const configured = await findUpwards(files, folder, ["opencode.json", "opencode.jsonc", ".opencode"]);
  // OpenCode installs itself into an .opencode in the home folder: that makes no project of it.
  const isProject = configured !== undefined && configured !== home;
  const repository = await findUpwards(files, folder, [".git"]);
  if (repository !== undefined) return repository;
  if (isProject) return configured;
  throw new StrataError(
    "NO_PROJECT",
    `${folder} is no project of OpenCode's: neither it nor a folder above has an opencode.json, an .opencode or a .git. ` +
      "Go to a project, or make one here with: strata init",
  );
}

/** The nearest folder upwards in which one of these is. */
export async function findUpwards(
  files: Files,
  folder: string,
  names: readonly string[],
): Promise<string | undefined> {
  for (let place = folder; ; place = dirname(place)) {
    // A file where a folder should be is nothing to go by; whoever writes there says what is wrong.
    for (const name of names) if (await files.stat(join(place, name)).catch(() => undefined)) return place;
    if (dirname(place) === place) return undefined;
  }
}
