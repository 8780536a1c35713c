import { randomUUID } from "node:crypto";
import type { Stats } from "node:fs";
import {
  constants,
  type FileHandle,
  link,
  lstat,
  lutimes,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  statfs,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { FileStat, Files, ReadOptions } from "./files.js";

const OWNER_ONLY = 0o600;
const NEWLINE = 0x0a;
/** A repository may contain a link in place of one of our files; its target is not ours. */
const NOT_FOLLOWING = constants.O_NOFOLLOW ?? 0;
const APPEND_NOT_FOLLOWING = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NOT_FOLLOWING;
/** Serialises writes of one file, so that the last request wins. */
const inTurn = createTurns();

/** The real file system. */
export const nodeFiles: Files = {
  async read(path, options) {
    return unlessMissing(() => readFile(path, { flag: flagsFor(options) }), undefined);
  },

  async readFrom(path, offset, options) {
    const file = await unlessMissing(() => open(path, flagsFor(options)), undefined);
    if (!file) return undefined;
    try {
      const { size } = await file.stat();
      const rest = new Uint8Array(Math.min(Math.max(0, size - offset), options?.maxBytes ?? size));
      const { bytesRead } = await file.read(rest, 0, rest.byteLength, offset);
      return rest.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  },

  async stat(path) {
    return describe(await unlessMissing(() => stat(path), undefined));
  },

  async statItself(path) {
    return describe(await unlessMissing(() => lstat(path), undefined));
  },

  async realPath(path) {
    return unlessMissing(() => realpath(path), undefined);
  },

  async list(folder) {
    const names = await unlessMissing(() => readdir(folder), []);
    return names.sort();
  },

  async writeWhole(path, contents, options) {
    await inTurn(path, async () => {
      const write = () => (options?.mode === "kept" ? writeKept(path, contents) : writeOwn(path, contents));
      if (await unlessMissing(() => write().then(() => true), false)) return;
      // The folder nearly always exists. Made in turn: otherwise the order of finished `mkdir` calls would decide which
      // write is last.
      await mkdir(dirname(path), { recursive: true });
      await write();
    });
  },

  /** Links a complete file into place: it appears with all its contents, for one of several writers. */
  async create(path, contents) {
    const written = `${path}.${randomUUID()}`;
    const write = () => writeFile(written, contents, { mode: OWNER_ONLY, flag: "wx" });
    try {
      if (!(await unlessMissing(() => write().then(() => true), false))) {
        // The folder nearly always exists.
        await mkdir(dirname(path), { recursive: true });
        await write();
      }
      await link(written, path);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EEXIST") return false;
      if (code === "EPERM" || code === "ENOTSUP" || code === "ENOSYS")
        // Awaited here: a rejection while `finally` runs would be unhandled, and Node ends the process for that.
        return await createWithoutLink(path, contents);
      throw error;
    } finally {
      await rm(written, { force: true }).catch(unlessNoFolder);
    }
  },

  async appendLine(path, line) {
    const file = await openToAppend(path);
    try {
      const { size } = await file.stat();
      const last = new Uint8Array(1);
      if (size > 0) await file.read(last, 0, 1, size - 1);
      const opening = size > 0 && last[0] !== NEWLINE ? "\n" : "";
      await file.appendFile(`${opening}${line}\n`);
    } finally {
      // Not awaited: the line is written, a turn waits for it, and each wait costs milliseconds in a busy host.
      void file.close().catch(() => {});
    }
  },

  async rename(from, to) {
    const isDone = await unlessMissing(() => rename(from, to).then(() => true), false);
    if (isDone || !(await unlessMissing(() => lstat(from), undefined))) return;
    await mkdir(dirname(to), { recursive: true });
    await unlessMissing(() => rename(from, to), undefined);
  },

  async touch(path, timeMs) {
    const time = new Date(timeMs);
    await unlessMissing(() => lutimes(path, time, time), undefined);
  },

  async remove(path) {
    await rm(path, { force: true });
  },
};

function describe(found: Stats | undefined): FileStat | undefined {
  if (!found) return undefined;
  const kind = found.isFile()
    ? "file"
    : found.isDirectory()
      ? "folder"
      : found.isSymbolicLink()
        ? "link"
        : "other";
  return { kind, bytes: found.size, modifiedMs: found.mtimeMs, changedMs: found.ctimeMs };
}

const flagsFor = (options?: ReadOptions): number =>
  options?.links === "refused" ? constants.O_RDONLY | NOT_FOLLOWING : constants.O_RDONLY;

/**
 * Renames a temporary file over the path, so that a link there is replaced. The temporary name is random and must not
 * exist: a repository that could predict it would put a link there too.
 */
async function writeOwn(path: string, contents: string | Uint8Array): Promise<void> {
  const written = `${path}.${randomUUID()}`;
  try {
    const file = await open(written, "wx", OWNER_ONLY);
    try {
      await file.writeFile(contents);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(written, path);
  } catch (error) {
    await rm(written, { force: true });
    throw error;
  }
}

/** Writes a user's file, which may be a link to where they keep it: the link stays. */
async function writeKept(path: string, contents: string | Uint8Array): Promise<void> {
  const real = (await unlessMissing(() => realpath(path), undefined)) ?? path;
  const found = await unlessMissing(() => stat(real), undefined);
  const written = `${real}.${randomUUID()}`;
  // Buffer.from on a view shares its memory: write-file-atomic takes strings and Buffers only.
  const data =
    typeof contents === "string"
      ? contents
      : Buffer.from(contents.buffer, contents.byteOffset, contents.byteLength);
  // Loaded with the first such write, which most runs never make. It follows links, so it gets a new name.
  const { default: writeFileAtomic } = await import("write-file-atomic");
  await writeFileAtomic(
    written,
    data,
    found && { mode: found.mode, chown: { uid: found.uid, gid: found.gid } },
  );
  await rename(written, real);
}

function createTurns(): (path: string, write: () => Promise<void>) => Promise<void> {
  const last = new Map<string, Promise<void>>();
  return async (path, write) => {
    const mine = (last.get(path) ?? Promise.resolve()).then(write, write);
    last.set(path, mine);
    try {
      await mine;
    } finally {
      if (last.get(path) === mine) last.delete(path);
    }
  };
}

/** For disks without hard links: a reader may see the file before its contents. */
async function createWithoutLink(path: string, contents: string | Uint8Array): Promise<boolean> {
  try {
    await writeFile(path, contents, { mode: OWNER_ONLY, flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** The folder nearly always exists: create it only after `open` fails. */
async function openToAppend(path: string): Promise<FileHandle> {
  const found = await unlessMissing(() => open(path, APPEND_NOT_FOLLOWING, OWNER_ONLY), undefined);
  if (found) return found;
  await mkdir(dirname(path), { recursive: true });
  return open(path, APPEND_NOT_FOLLOWING, OWNER_ONLY);
}

/** Runs `action`; returns `absent` if a file or folder is missing, rethrows every other error. */
/** A file in place of the folder is the first error's to tell. */
function unlessNoFolder(thrown: NodeJS.ErrnoException): void {
  if (thrown.code !== "ENOTDIR") throw thrown;
}

async function unlessMissing<T, A>(action: () => Promise<T>, absent: A): Promise<T | A> {
  try {
    return await action();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return absent;
    throw error;
  }
}

/** A temporary folder. */
export interface Scratch {
  readonly path: string;
  /** Removes the folder with its contents. */
  remove(): Promise<void>;
}

/** Creates a folder in the system's temporary folder. */
export async function createScratch(prefix: string): Promise<Scratch> {
  const path = await realpath(await mkdtemp(join(tmpdir(), prefix)));
  // Retries because a process that just wrote here may still hold files open.
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Removes this folder and those in it, as far as they are empty. Follows no link. Never rejects. */
export async function removeEmptyFolders(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeEmptyFolders(join(folder, entry.name));
  await rmdir(folder).catch(() => {});
}

/** Free bytes on the folder's disk; `undefined` if the system does not say. */
export async function readFreeBytes(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
