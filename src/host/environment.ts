import { homedir } from "node:os";
import { isAbsolute, parse } from "node:path";
import type { Host } from "../io/host.js";
import { createGit } from "../io/node-git.js";
import { createRunningProcesses } from "../io/running-processes.js";
import { findGlobalFolder, findStateFolder, listConfigFiles } from "../project/folders.js";

/** A variable of the host's environment; `undefined` if it is not set. */
export const readVariable = (name: string): string | undefined => process.env[name];

/** All of them, as they are now. */
export const readVariables = (): Readonly<Record<string, string | undefined>> => ({ ...process.env });

/** The root of the work tree. Without version control OpenCode gives the root of the disk, or none; then the folder counts. */
export const chooseProject = (directory: string, root: unknown): string =>
  typeof root === "string" && isAbsolute(root) && parse(root).root !== root ? root : directory;

/** A host in which the plugin opens no sessions of its own. */
export const NO_OWN_SESSIONS = {
  isOwnSession: () => false,
  isFork: () => false,
  findAsker: () => undefined,
  listOwnSessions: async () => [],
  removeSession: async () => false,
  removeFailedCompactions: async () => {},
  // Where a host's settings are not shown to plugins, it summarises by default.
  summarizes: () => true,
  log: () => {},
} satisfies Partial<Host>;

/** The machine around a project, the same for every host: the user's folders and settings, processes and git. */
export function openMachine({ directory, project }: Pick<Host, "directory" | "project">) {
  const env = readVariables();
  const home = env.HOME || homedir();
  return {
    project,
    directory,
    configFiles: listConfigFiles({ directory, project, home, env }),
    globalFolder: findGlobalFolder({ home, env }),
    stateFolder: findStateFolder({ home, env }),
    processes: createRunningProcesses(),
    git: createGit(),
    openRemoteGit: async () => (await import("../sync/remote-git.js")).createRemoteGit(env),
  } satisfies Partial<Host>;
}
