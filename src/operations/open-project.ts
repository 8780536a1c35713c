import { createRunningProcesses } from "../io/running-processes.js";
import { findMemoryProject } from "../memory/worktree.js";
import { planFolders } from "../project/folders.js";
import { findGlobalFolder, findStateFolder } from "../project/opencode-files.js";
import type { CliContext } from "./command.js";
import { requireProject } from "./find-project.js";
import { createCliLog } from "./log.js";
import type { Project } from "./project.js";
import { readSettings, type Settings } from "./settings.js";

/** Opens the project of the working directory. Throws if there is none. */
export async function openProject(cli: CliContext): Promise<Project> {
  const root = await requireProject(cli);
  let reading: Promise<Settings> | undefined;
  const settings = (): Promise<Settings> => {
    reading ??= readSettings(cli, root);
    return reading;
  };
  const sharing = async () => (await settings()).config.sync.worktrees;
  const warn = (message: string): void => cli.warn(`strata: ${message}`);
  return {
    cli,
    root,
    folders: planFolders(root, await findMemoryProject(cli.files, root, sharing, warn)),
    globalFolder: findGlobalFolder(cli),
    stateFolder: findStateFolder(cli),
    processes: createRunningProcesses(),
    log: createCliLog(warn),
    instance: cli.instance ?? "cli",
    settings,
  };
}
