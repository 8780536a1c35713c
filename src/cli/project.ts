/** A project as the commands see it. Each part is loaded and opened when it is first asked for. */
import type { Folders } from "../folders.js";
import type { Locks } from "../lock/locks.js";
import type { MemorySearch } from "../memory/search/search.js";
import type { OpenMemories } from "../memory/store.js";
import type { Own } from "../own/own.js";
import type { Log } from "../record/log.js";
import type { Files } from "../seams/files.js";
import type { RunningProcesses } from "../seams/processes.js";
import type { Trust } from "../trust/trust.js";
import type { CliContext } from "./command.js";
import type { Settings } from "./settings.js";

export interface Project {
  cli: CliContext;
  /** The project's own folder. */
  root: string;
  folders: Folders;
  /** OpenCode's global configuration folder, which also holds memories for every project. */
  globalFolder: string;
  processes: RunningProcesses;
  /** Warnings and errors go to standard error. */
  log: Log;
  /** Settings in force; read once. */
  settings(): Promise<Settings>;
  /**
   * Locks that count across processes. Within one process each needs an `instance` name of its own: two of one name
   * would each take the other for gone. `files` are the context's unless given.
   */
  openLocks(instance: string, files?: Files): Promise<Locks>;
  /** The state that belongs to this machine; opened once. */
  own(): Promise<Own>;
  /** Only looks, and writes nothing unless the user changes something with the command. */
  openTrust(): Promise<Trust>;
  openSearch(memories: OpenMemories): Promise<MemorySearch>;
  /** Opens the store beside any other process that has it open, and releases it when `run` is done. */
  withMemories<T>(run: (memories: OpenMemories) => Promise<T>): Promise<T>;
}
