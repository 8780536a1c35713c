/** What is this user's machine's own in a project, as a command sees it: there is no host to ask. */
import { planFolders } from "../folders.js";
import { findStateFolder } from "../host/config-files.js";
import { createRunningProcesses } from "../host/running-processes.js";
import { type Own, openOwn } from "../own.js";
import type { Surroundings } from "./command.js";

export function openOwnIn({ clock, env, files, home, warn }: Surroundings, project: string): Own {
  const say = (_source: string, message: string): void => warn(`strata: ${message}`);
  return openOwn({
    clock,
    files,
    log: { error: say, warn: say, info() {}, debug() {} },
    folders: planFolders(project),
    instance: "cli",
    host: { stateFolder: findStateFolder({ home, env }), processes: createRunningProcesses() },
  });
}
