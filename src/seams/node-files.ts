import { randomUUID } from "node:crypto";
import type { Stats } from "node:fs";
import {
  constants,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { dirname } from "node:path";
import type { FileStat, Files } from "./files.js";

const OWNER_ONLY = 0o600;
const NEWLINE = 0x0a;
/** A repository may come with a link in the place of one of our files; what it points at is not ours to write to. */
const APPEND_NOT_FOLLOWING =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

/** The real file system. */
export const nodeFiles: Files = {
  async read(path) {
    return unlessMissing(() => readFile(path), undefined);
  },

  async readFrom(path, offset) {
    const file = await unlessMissing(() => open(path, constants.O_RDONLY), undefined);
    if (!file) return undefined;
    try {
      const { size } = await file.stat();
      const rest = new Uint8Array(Math.max(0, size - offset));
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
    await mkdir(dirname(path), { recursive: true });
    // Buffer.from on a view shares its memory: write-file-atomic takes strings and Buffers only.
    const data =
      typeof contents === "string"
        ? contents
        : Buffer.from(contents.buffer, contents.byteOffset, contents.byteLength);
    // Loaded with the first write: a start that writes nothing does not pay for it.
    const { default: writeFileAtomic } = await import("write-file-atomic");
    await writeFileAtomic(path, data, options?.mode === "kept" ? {} : { mode: OWNER_ONLY });
  },

  /** A link to a file that is written already: it comes into being with all its contents, for one of many. */
  async create(path, contents) {
    const written = `${path}.${randomUUID()}`;
    await mkdir(dirname(path), { recursive: true });
    try {
      await writeFile(written, contents, { mode: OWNER_ONLY, flag: "wx" });
      await link(written, path);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EEXIST") return false;
      if (code === "EPERM" || code === "ENOTSUP" || code === "ENOSYS")
        return createWithoutLink(path, contents);
      throw error;
    } finally {
      await rm(written, { force: true });
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
      // What is written is written; a turn waits for this line, and each wait costs it milliseconds in a busy host.
      void file.close();
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
    await unlessMissing(() => utimes(path, time, time), undefined);
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

/** On a disk that knows no links a reader may see the file before its contents. */
async function createWithoutLink(path: string, contents: string | Uint8Array): Promise<boolean> {
  try {
    await writeFile(path, contents, { mode: OWNER_ONLY, flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** The folder is there nearly always: it is made when it turns out not to be. */
async function openToAppend(path: string): Promise<FileHandle> {
  const found = await unlessMissing(() => open(path, APPEND_NOT_FOLLOWING, OWNER_ONLY), undefined);
  if (found) return found;
  await mkdir(dirname(path), { recursive: true });
  return open(path, APPEND_NOT_FOLLOWING, OWNER_ONLY);
}

/** Runs `action`; a missing file or folder is `absent`, every other error is thrown on. */
async function unlessMissing<T, A>(action: () => Promise<T>, absent: A): Promise<T | A> {
  try {
    return await action();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return absent;
    throw error;
  }
}
