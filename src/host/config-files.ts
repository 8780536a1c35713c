import { dirname, join } from "node:path";

export interface ConfigFilesInput {
  /** Where the session works. */
  directory: string;
  /** Root of the project; `directory` is in it or is it. */
  project: string;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * The files in which OpenCode 1.18.33 looks for its configuration, the weakest first: the global folder, the file
 * that OPENCODE_CONFIG names, then every folder from the project's root down to where the session works, each with
 * its `.opencode`, and OPENCODE_CONFIG_DIR.
 */
export function listConfigFiles({ directory, project, home, env }: ConfigFilesInput): string[] {
  const globalFolder = join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
  const files = ["config.json", "opencode.json", "opencode.jsonc"].map((name) => join(globalFolder, name));
  if (env.OPENCODE_CONFIG) files.push(env.OPENCODE_CONFIG);
  if (!env.OPENCODE_DISABLE_PROJECT_CONFIG) {
    for (const folder of listFolders(project, directory)) files.push(...inFolder(folder));
    for (const folder of listFolders(project, directory)) files.push(...inFolder(join(folder, ".opencode")));
  }
  if (env.OPENCODE_CONFIG_DIR) files.push(...inFolder(env.OPENCODE_CONFIG_DIR));
  return files;
}

function inFolder(folder: string): string[] {
  return [join(folder, "opencode.jsonc"), join(folder, "opencode.json")];
}

/** From `top` down to `bottom`; only `bottom` when it is not below. */
function listFolders(top: string, bottom: string): string[] {
  const folders = [bottom];
  for (let folder = bottom; folder !== top; folder = dirname(folder)) {
    if (dirname(folder) === folder) return [bottom];
    folders.unshift(dirname(folder));
  }
  return folders;
}
