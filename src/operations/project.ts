/** A project as the commands see it. What only some commands need is opened by the `open-*.ts` beside this file. */
import { readConfig } from "../config/config.js";
import { isStrata, type ModelClaims, type PluginEntry, readPluginEntries } from "../config/plugin-entries.js";
import type { Config } from "../config/schema.js";
import { type Files, readText } from "../io/files.js";
import type { ConfigFile } from "../io/host.js";
import { createLocks, type Locks } from "../io/locks.js";
import type { Log } from "../io/log.js";
import { createRunningProcesses, type RunningProcesses } from "../io/running-processes.js";
import type { LayerDefinition } from "../kernel/layer-context.js";
import { findMemoryProject } from "../memory/worktree.js";
import { type Folders, planFolders } from "../project/folders.js";
import { findGlobalFolder, findStateFolder, listConfigFiles } from "../project/opencode-files.js";
import { type Own, openOwn } from "../project/own.js";
import { createOwnFiles } from "../project/own-files.js";
import type { CliContext } from "./command.js";
import { requireProject } from "./find-project.js";

export interface Project {
  cli: CliContext;
  /** The project's own folder. */
  root: string;
  folders: Folders;
  /** OpenCode's global configuration folder, which also holds memories for every project. */
  globalFolder: string;
  /** The user's folder for state of all projects. */
  stateFolder: string;
  processes: RunningProcesses;
  /** Warnings and errors go to standard error. */
  log: Log;
  /** Named in the ledger for changes made by commands. */
  instance: string;
  /** The settings in force; read once. */
  settings(): Promise<Settings>;
}

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

/** The settings in force in a project, read as the plugin itself reads them. */
export interface Settings {
  config: Config;
  /** Sentences on what is wrong in the files. */
  problems: string[];
  /** Files that OpenCode reads its configuration from, weakest first. */
  configFiles: ConfigFile[];
  /** The models they choose. */
  claims: ModelClaims;
  /** Every layer there is. */
  layers: readonly LayerDefinition[];
  /** All entries of the `plugin` lists. */
  plugins: PluginEntry[];
}

export async function readSettings(
  {
    env,
    files,
    folder,
    home,
    loadLayers,
  }: Pick<CliContext, "env" | "files" | "folder" | "home" | "loadLayers">,
  root: string,
): Promise<Settings> {
  const configFiles = listConfigFiles({ directory: folder, project: root, home, env });
  const plugins = await readPluginEntries(files, configFiles);
  // As in OpenCode, the options of the last entry count.
  const options = plugins.findLast(isStrata)?.options;
  const layers = await loadLayers();
  const parts = layers.map(({ settings }) => settings);
  const reading = await readConfig({ files, configFiles, options, parts });
  return { ...reading, configFiles, layers, plugins };
}

/** The state that belongs to this machine. */
export const openOwnState = ({ cli, folders, instance, log, processes, stateFolder }: Project): Own =>
  openOwn({ clock: cli.clock, files: cli.files, log, folders, instance, host: { stateFolder, processes } });

/**
 * Locks that count across processes. Within one process each needs an `instance` name of its own: two of one name would
 * each take the other for gone.
 */
export function openLocks({ cli, processes }: Project, instance: string, files: Files = cli.files): Locks {
  return createLocks({ clock: cli.clock, files, processes, instance });
}

/** A log that hands on warnings and errors, each once and without its source, and drops the rest. */
export function createCliLog(report: (message: string) => void): Log {
  const told = new Set<string>();
  const tell = (_source: string, message: string): void => {
    if (!told.has(message)) report(message);
    told.add(message);
  };
  return { error: tell, warn: tell, info() {}, debug() {} };
}

/** Files that follow no link out of our folders, unless the user's settings allow it: a repository may bring one. */
export function withSafeFiles(given: CliContext): CliContext {
  return {
    ...given,
    files: createOwnFiles({
      files: given.files,
      clock: given.clock,
      listLinked: async () => {
        // Such links are rare, and reading the settings takes time.
        const project = await openProject(given);
        return (await project.settings()).config.linkedFolders;
      },
      report: (message) => given.warn(`strata: ${message}`),
    }),
  };
}

/** Shells are not nested deeper than this. */
const MOST_ANCESTORS = 30;

/**
 * Does an agent run this command? OpenCode sets a variable for its tools; if that was removed, it is still one of the
 * parent processes (Linux). What an agent does through the command line does not count as the user's.
 */
export async function isInAgentsShell({ env, files }: Pick<CliContext, "env" | "files">): Promise<boolean> {
  if (env.OPENCODE || env.OPENCODE_PID) return true;
  let id = process.ppid;
  for (let depth = 0; depth < MOST_ANCESTORS && id > 1; depth++) {
    const text = await readText(files, `/proc/${id}/stat`).catch(() => undefined);
    if (text === undefined) return false;
    // proc_pid_stat(5): `pid (name) state parent …`; the name may contain anything.
    const end = text.lastIndexOf(")");
    if (/^\.?opencode/.test(text.slice(text.indexOf("(") + 1, end))) return true;
    const [, parent] = text
      .slice(end + 1)
      .trim()
      .split(" ");
    id = Number(parent);
  }
  return false;
}
