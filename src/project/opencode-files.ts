import { dirname, join, resolve } from "node:path";
import type { ConfigFile } from "../io/host.js";

export interface ConfigFilesInput {
  /** Where the session works. */
  directory: string;
  /** Root of the project; `directory` is in it or is it. */
  project: string;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * The files in which OpenCode 1.18.33 looks for its configuration, weakest first (measured): the global folder, the
 * file named by OPENCODE_CONFIG, every folder from the project's root down to the session's directory, then the
 * `.opencode` folders from there up to the root, the one in the home folder, OPENCODE_CONFIG_DIR, and the text of
 * OPENCODE_CONFIG_CONTENT.
 *
 * A file's role makes it the user's own, not its location: the home folder may be or lie in a project, and a variable
 * may name a project file. A file in both roles is the user's. A repository cannot set these variables: this OpenCode
 * reads no `.env`.
 */
export function listConfigFiles({ directory, project, home, env }: ConfigFilesInput): ConfigFile[] {
  const globalFolder = findGlobalFolder({ home, env });
  const users = (path: string): ConfigFile => ({ path: resolve(path), origin: "user" });
  const projects = (path: string): ConfigFile => ({ path, origin: "project" });
  const inFolder = (folder: string): string[] =>
    ["opencode.json", "opencode.jsonc"].map((name) => join(folder, name));

  const files = ["config.json", "opencode.json", "opencode.jsonc"].map((name) =>
    users(join(globalFolder, name)),
  );
  if (env.OPENCODE_CONFIG) files.push(users(env.OPENCODE_CONFIG));
  const folders = env.OPENCODE_DISABLE_PROJECT_CONFIG ? [] : listFolders(project, directory);
  for (const folder of folders) files.push(...inFolder(folder).reverse().map(projects));
  for (const folder of [...folders].reverse())
    files.push(...inFolder(join(folder, ".opencode")).map(projects));
  files.push(...inFolder(join(home, ".opencode")).map(users));
  if (env.OPENCODE_CONFIG_DIR) files.push(...inFolder(env.OPENCODE_CONFIG_DIR).map(users));
  const text = env.OPENCODE_CONFIG_CONTENT;
  if (text) files.push({ path: "OPENCODE_CONFIG_CONTENT", origin: "user", text });
  return withoutDoubles(files);
}

/** Keeps each file once, at its strongest position. */
function withoutDoubles(files: readonly ConfigFile[]): ConfigFile[] {
  const users = new Set(files.filter(({ origin }) => origin === "user").map(({ path }) => path));
  return files
    .filter(({ path }, index) => !files.some((other, place) => place > index && other.path === path))
    .map((file) => (users.has(file.path) ? { ...file, origin: "user" } : file));
}

/** Folder for the plugin's machine-wide state, outside every repository. */
export function findStateFolder({ home, env }: Pick<ConfigFilesInput, "home" | "env">): string {
  return join(env.XDG_STATE_HOME || env.LOCALAPPDATA || join(home, ".local", "state"), "opencode-strata");
}

/** OpenCode's global configuration folder. */
export function findGlobalFolder({ home, env }: Pick<ConfigFilesInput, "home" | "env">): string {
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
}

/** Folders from `top` down to `bottom`; only `bottom` if it is not inside `top`. */
export function listFolders(top: string, bottom: string): string[] {
  const folders = [bottom];
  for (let folder = bottom; folder !== top; folder = dirname(folder)) {
    if (dirname(folder) === folder) return [bottom];
    folders.unshift(dirname(folder));
  }
  return folders;
}

/* What OpenCode 1.18.33 loads into its TUI, and where it records that (measured). */

/**
 * Configuration files of the TUI, weakest first: the global folder's, the one named by OPENCODE_TUI_CONFIG, those of every
 * folder from the project's root down, then those of the `.opencode` folders and of OPENCODE_CONFIG_DIR.
 */
export function listScreenFiles({ directory, env, home, project }: ConfigFilesInput): ConfigFile[] {
  const inFolder = (folder: string): string[] => ["tui.json", "tui.jsonc"].map((name) => join(folder, name));
  const users = [
    ...inFolder(findGlobalFolder({ home, env })),
    ...(env.OPENCODE_TUI_CONFIG ? [env.OPENCODE_TUI_CONFIG] : []),
  ];
  const folders = env.OPENCODE_DISABLE_PROJECT_CONFIG ? [] : listFolders(project, directory);
  const projects = [...folders, ...folders.map((folder) => join(folder, ".opencode"))].flatMap(inFolder);
  const last = env.OPENCODE_CONFIG_DIR ? inFolder(env.OPENCODE_CONFIG_DIR) : [];
  return [
    ...users.map((path): ConfigFile => ({ path, origin: "user" })),
    ...projects.map((path): ConfigFile => ({ path, origin: "project" })),
    ...last.map((path): ConfigFile => ({ path, origin: "user" })),
  ];
}

/** File in which the TUI records, by plugin id, when it last loaded each plugin: `last_time`, ms since 1970. */
export function findScreenRecord({ env, home }: Pick<ConfigFilesInput, "home" | "env">): string {
  const state = join(env.XDG_STATE_HOME || join(home, ".local", "state"), "opencode");
  return env.OPENCODE_PLUGIN_META_FILE || join(state, "plugin-meta.json");
}
