/** A project as the commands see it. What only some commands need is opened by the `open-*.ts` beside this file. */

import type { Log } from "../io/log.js";
import type { RunningProcesses } from "../io/processes.js";
import type { Folders } from "../project/folders.js";
import type { CliContext } from "./command.js";
import type { Settings } from "./settings.js";

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
