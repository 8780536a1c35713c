/**
 * The machine state shared by all sessions of a project: counts, leases, instances. It leads to text and actions, so it is
 * used only once it is known to be this machine's. Other state is stored by session ID; IDs are random, so a repository
 * cannot contain state of a session that runs here.
 */
import { join, relative, sep } from "node:path";
import type { FileStat, Files } from "../seams/files.js";

/** Names in the folder of machine state that are not shared; `memory` is checked elsewhere. */
const KEPT = new Set(["owner", "decisions", "breakers", "mail", "extraction", "memory", "screen", "views"]);
/** Shared files inside folders that are not shared. */
export const SHARED_WITHIN: readonly string[] = [
  join("extraction", "commands.json"),
  join("extraction", "learned.jsonl"),
];

/** Is this entry of the folder of machine state shared as a whole? */
export const isSharedName = (name: string): boolean => !KEPT.has(name);

function isSharedPath(state: string, path: string): boolean {
  if (!path.startsWith(state + sep)) return false;
  const below = relative(state, path);
  return isSharedName(below.split(sep)[0] ?? "") || SHARED_WITHIN.includes(below);
}

export interface SharedStateOptions {
  files: Files;
  /** Folder of machine state. */
  state: string;
  /** May the shared state be read? Waits for the answer for a bounded time. Never rejects. */
  mayRead(): Promise<boolean>;
  /** Called before Strata writes there. Never rejects. */
  beforeWriting(): Promise<void>;
}

/** Wraps `files`: shared state appears absent until it may be read. A write replaces what is there. */
export function guardSharedState({ files, state, ...options }: SharedStateOptions): Files {
  const isShared = (path: string): boolean => isSharedPath(state, path);

  async function read<T>(path: string, run: () => Promise<T>, absent: T): Promise<T> {
    return isShared(path) && !(await options.mayRead()) ? absent : run();
  }

  async function write<T>(paths: readonly string[], run: () => Promise<T>): Promise<T> {
    if (paths.some(isShared)) {
      await options.mayRead();
      await options.beforeWriting();
    }
    return run();
  }

  return {
    read: (path) => read(path, () => files.read(path), undefined),
    readFrom: (path, offset, given) => read(path, () => files.readFrom(path, offset, given), undefined),
    stat: (path) => read<FileStat | undefined>(path, () => files.stat(path), undefined),
    statItself: (path) => read<FileStat | undefined>(path, () => files.statItself(path), undefined),
    realPath: (path) => read(path, () => files.realPath(path), undefined),
    list: (folder) => read(folder, () => files.list(folder), []),
    writeWhole: (path, contents, given) => write([path], () => files.writeWhole(path, contents, given)),
    create: (path, contents) => write([path], () => files.create(path, contents)),
    appendLine: (path, line) => write([path], () => files.appendLine(path, line)),
    rename: (from, to) => write([from, to], () => files.rename(from, to)),
    touch: (path, timeMs) => read(path, () => files.touch(path, timeMs), undefined),
    remove: (path) => read(path, () => files.remove(path), undefined),
  };
}
