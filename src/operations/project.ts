/** A project as the commands see it, and how it is found. What only some commands need is opened by the `open-*.ts` beside this file. */
import { dirname, join } from "node:path";
import { StrataError } from "../base/error.js";
import { readConfig } from "../config/config.js";
import { isStrata, readPluginEntries } from "../config/plugin-entries.js";
import type { OpenOptions } from "../conversations/feed.js";
import { type Files, readText } from "../io/files.js";
import { createLocks, type Locks } from "../io/locks.js";
import type { Log } from "../io/log.js";
import { createRunningProcesses, type RunningProcesses } from "../io/running-processes.js";
import { findMemoryProject } from "../memory/trust/git.js";
import {
  type Folders,
  findGlobalFolder,
  findStateFolder,
  listConfigFiles,
  planFolders,
} from "../project/folders.js";
import { createOwnFiles } from "../project/own-files.js";
import type { CliContext } from "./command.js";

export interface Project {
  cli: CliContext;
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
  const root = await requireProjectRoot(cli);
  let reading: Promise<Settings> | undefined;
  const settings = (): Promise<Settings> => (reading ??= readSettings(cli, root));
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

/**
 * The folder of the project that a command is about: the nearest one upwards in which the plugin has written, else the
 * root of the repository, else the nearest one with a configuration of OpenCode's. Throws if there is none.
 */
export async function requireProjectRoot(
  cli: Pick<CliContext, "files" | "folder" | "home">,
): Promise<string> {
  const { files, folder, home } = cli;
  for (const names of [
    [join(".opencode", "strata")],
    [".git"],
    ["opencode.json", "opencode.jsonc", ".opencode"],
  ]) {
    const found = await findUpwards(files, folder, names);
    // OpenCode installs itself into ~/.opencode, which does not make the home folder a project.
    if (found !== undefined && !(found === home && names.includes(".opencode"))) return found;
  }
  throw new StrataError(
    "NO_PROJECT",
    `${folder} is not in an OpenCode project: no opencode.json, .opencode or .git here or in a folder above. ` +
      "Change to a project, or create one here with: strata init",
  );
}

/** The nearest folder upwards that contains one of these names. */
export async function findUpwards(
  files: Files,
  folder: string,
  names: readonly string[],
): Promise<string | undefined> {
  for (let place = folder; ; place = dirname(place)) {
    // What cannot be read counts as absent; whoever writes there later reports why.
    for (const name of names) if (await files.stat(join(place, name)).catch(() => undefined)) return place;
    if (dirname(place) === place) return undefined;
  }
}

/** The settings in force in a project, read as the plugin itself reads them. */
export type Settings = Awaited<ReturnType<typeof readSettings>>;

export async function readSettings(
  cli: Pick<CliContext, "env" | "files" | "folder" | "home" | "loadLayers">,
  root: string,
) {
  const { env, files, folder: directory, home, loadLayers } = cli;
  /** Files that OpenCode reads its configuration from, weakest first. */
  const configFiles = listConfigFiles({ directory, project: root, home, env });
  const plugins = await readPluginEntries(files, configFiles);
  // As in OpenCode, the options of the last entry count.
  const options = plugins.findLast(isStrata)?.options;
  const layers = await loadLayers();
  const parts = layers.map(({ settings }) => settings);
  const reading = await readConfig({ files, configFiles, options, parts });
  return { ...reading, configFiles, layers, plugins };
}

/**
 * Locks that count across processes. Within one process each needs an `instance` name of its own: two of one name would
 * each take the other for gone.
 */
export const openLocks = ({ cli, processes }: Project, instance: string, files: Files = cli.files): Locks =>
  createLocks({ clock: cli.clock, files, processes, instance });

/** A log that hands on warnings and errors, each once and without its source, and drops the rest. */
function createCliLog(report: (message: string) => void): Log {
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
    id = Number(text.slice(end + 2).split(" ")[1]);
  }
  return false;
}

export async function readOpenOptions(project: Project): Promise<OpenOptions> {
  const { cli, instance, log, settings } = project;
  const { config } = await settings();
  return { clock: cli.clock, files: cli.files, config, host: project, instance, log };
}
