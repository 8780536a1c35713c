/**
 * The part of the machine state that all sessions of a project share: counts, leases, who is at work. It becomes words
 * and actions wherever it is read, so it counts only once it is known to be this machine's. The rest goes by the ids of
 * sessions, which are drawn by chance: of a session that is had here nobody can have brought any.
 */
import { join, relative, sep } from "node:path";
import type { FileStat, Files } from "../seams/files.js";

/** Names in the folder of machine state that no session shares; memories look after their own. */
const KEPT = new Set(["owner", "decisions", "breakers", "mail", "extraction", "memory", "views"]);
/** What all sessions share in a folder that is otherwise kept. */
export const SHARED_WITHIN: readonly string[] = [join("extraction", "commands.json")];

/** Is a name in the folder of machine state shared as a whole? */
export const isSharedName = (name: string): boolean => !KEPT.has(name);

function isSharedPath(state: string, path: string): boolean {
  if (!path.startsWith(state + sep)) return false;
  const below = relative(state, path);
  return isSharedName(below.split(sep)[0] ?? "") || SHARED_WITHIN.includes(below);
}

export interface SharedStateOptions {
  files: Files;
  /** The folder of machine state. */
  state: string;
  /** Waits until it is known, for a bounded time: may what is there be read? Never rejects. */
  mayRead(): Promise<boolean>;
  /** Something of ours is about to be written there. Never rejects. */
  beforeWriting(): Promise<void>;
}

/** The files, of which the shared state is only there once it may be read. What is written there replaces what is. */
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
    readFrom: (path, offset) => read(path, () => files.readFrom(path, offset), undefined),
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
