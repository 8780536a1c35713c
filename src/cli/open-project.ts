import { planFolders } from "../folders.js";
import { findGlobalFolder, findStateFolder } from "../host/config-files.js";
import { createRunningProcesses } from "../host/running-processes.js";
import type { CliContext } from "./command.js";
import { requireProject } from "./find-project.js";
import { createCliLog } from "./log.js";
import type { Project } from "./project.js";
import { readSettings, type Settings } from "./settings.js";

/** Opens the project of the working directory. Throws if there is none. */
export async function openProject(cli: CliContext): Promise<Project> {
  const root = await requireProject(cli);
  let settings: Promise<Settings> | undefined;
  return {
    cli,
    root,
    folders: planFolders(root),
    globalFolder: findGlobalFolder(cli),
    stateFolder: findStateFolder(cli),
    processes: createRunningProcesses(),
    log: createCliLog((message) => cli.warn(`strata: ${message}`)),
    instance: cli.instance ?? "cli",
    settings() {
      settings ??= readSettings(cli, root);
      return settings;
    },
  };
}
