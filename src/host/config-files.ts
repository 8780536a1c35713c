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
 * The files in which OpenCode 1.18.33 looks for its configuration, the weakest first, in the order that was measured:
 * the global folder, the file that OPENCODE_CONFIG names, every folder from the project's root down to where the
 * session works, then the `.opencode` folders from there up to the root, the one in the home folder, and
 * OPENCODE_CONFIG_DIR.
 */
export function listConfigFiles({ directory, project, home, env }: ConfigFilesInput): string[] {
  const globalFolder = findGlobalFolder({ home, env });
  const files = ["config.json", "opencode.json", "opencode.jsonc"].map((name) => join(globalFolder, name));
  if (env.OPENCODE_CONFIG) files.push(env.OPENCODE_CONFIG);
  const folders = env.OPENCODE_DISABLE_PROJECT_CONFIG ? [] : listFolders(project, directory);
  for (const folder of folders) files.push(join(folder, "opencode.jsonc"), join(folder, "opencode.json"));
  const special = [...[...folders].reverse(), home].map((folder) => join(folder, ".opencode"));
  if (env.OPENCODE_CONFIG_DIR) special.push(env.OPENCODE_CONFIG_DIR);
  for (const folder of special) files.push(join(folder, "opencode.json"), join(folder, "opencode.jsonc"));
  return files;
}

/** Where this plugin keeps what a user's machine knows of all projects, outside of every repository. */
export function findStateFolder({ home, env }: Pick<ConfigFilesInput, "home" | "env">): string {
  return join(env.XDG_STATE_HOME || env.LOCALAPPDATA || join(home, ".local", "state"), "opencode-strata");
}

/** Where OpenCode keeps what holds in all projects. */
export function findGlobalFolder({ home, env }: Pick<ConfigFilesInput, "home" | "env">): string {
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
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
