/** Where OpenCode 1.18.33 looks for what its TUI loads, and where it records what it loaded (measured). */
import { join } from "node:path";
import type { ConfigFile } from "../io/host.js";
import { type ConfigFilesInput, findGlobalFolder, listFolders } from "../project/opencode-files.js";

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
