import { dirname, join, resolve } from "node:path";
import type { ConfigFile } from "../seams/host.js";

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
 * session works, then the `.opencode` folders from there up to the root, the one in the home folder,
 * OPENCODE_CONFIG_DIR, and what OPENCODE_CONFIG_CONTENT holds.
 *
 * A file is the user's own by the role that it is read in, not by where it lies: the home folder may be in a project
 * or be one, and a variable may name a file of the project. One in both roles is the user's. No repository sets these
 * variables: this OpenCode reads no `.env`.
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

/** Each once, in its strongest place. */
function withoutDoubles(files: readonly ConfigFile[]): ConfigFile[] {
  const users = new Set(files.filter(({ origin }) => origin === "user").map(({ path }) => path));
  return files
    .filter(({ path }, index) => !files.some((other, place) => place > index && other.path === path))
    .map((file) => (users.has(file.path) ? { ...file, origin: "user" } : file));
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
