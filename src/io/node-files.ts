import { randomUUID } from "node:crypto";
import { constants, lstat as lstatBack, readFile as readFileBack, type Stats } from "node:fs";
import {
  link,
  lutimes,
  mkdir,
  mkdtemp,
  open,
  readdir,
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
import { promisify } from "node:util";
import { systemClock } from "./clock.js";
import type { FileStat, Files, ReadOptions } from "./files.js";

// What a list of memories does ten thousand times: Node's own promises of these take twice the processor's time.
const lstat = promisify(lstatBack);
const readFile = promisify(readFileBack) as (path: string, options: { flag: unknown }) => Promise<Buffer>;
const OWNER_ONLY = 0o600;
const NEWLINE = 0x0a;
/**
 * A repository may contain a link in place of one of our files; its target is not ours. An archive may contain a pipe,
 * which otherwise waits for its other end for ever. Windows has no such flags.
 */
const NO_LINK = constants.O_NOFOLLOW ?? 0;
const NOT_FOLLOWING = NO_LINK | (constants.O_NONBLOCK ?? 0);
const APPEND_NOT_FOLLOWING = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | NOT_FOLLOWING;
/**
 * On Windows, what a virus scanner, an indexer or an editor has open can be neither replaced nor moved nor removed, mostly
 * for a few milliseconds. Elsewhere these errors do not pass by themselves.
 */
const PASSING = process.platform === "win32" ? ["EACCES", "EBUSY", "EPERM"] : [];
const PAUSES_MS = [5, 20, 50, 125];
/** Serialises writes of one file, so that the last request wins. */
const inTurn = createTurns();

/** The real file system. */
export const nodeFiles: Files = {
  async read(path, options) {
    if (options?.links === "refused") await refuseLink(path);
    return unlessMissing(() => readFile(path, { flag: flagsFor(options) }), undefined).catch(
      nameFolder(path),
    );
  },

  async readFrom(path, offset, options) {
    if (options?.links === "refused") await refuseLink(path);
    const file = await unlessMissing(() => open(path, flagsFor(options)), undefined);
    if (!file) return undefined;
    try {
      const { size } = await file.stat();
      const rest = new Uint8Array(Math.min(Math.max(0, size - offset), options?.maxBytes ?? size));
      const { bytesRead } = await file.read(rest, 0, rest.byteLength, offset).catch(nameFolder(path));
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
    // HFS+ takes letters apart, and every disk of a Mac finds a file by either form.
    return (process.platform === "darwin" ? names.map((name) => name.normalize("NFC")) : names).sort();
  },

  async writeWhole(path, contents, options) {
    await inTurn(path, async () => {
      const flush = options?.mode !== "remade";
      const write = () =>
        options?.mode === "kept" ? writeKept(path, contents) : writeOwn(path, contents, flush);
      await inFolder(path, write);
    });
  },

  /** Links a complete file into place: it appears with all its contents, for one of several writers. */
  async create(path, contents) {
    const written = `${path}.${randomUUID()}`;
    const write = () => writeFile(written, contents, { mode: OWNER_ONLY, flag: "wx" });
    try {
      await inFolder(path, write);
      await link(written, path);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EEXIST") return false;
      // The last is what Windows says of a FAT disk.
      if (code === "EPERM" || code === "ENOTSUP" || code === "ENOSYS" || code === "EISDIR")
        // Awaited here: a rejection while `finally` runs would be unhandled, and Node ends the process for that.
        return await createWithoutLink(path, contents);
      throw error;
    } finally {
      await rm(written, { force: true }).catch((thrown) => {
        // Then the first error says already that a file is in the folder's place.
        if (thrown.code !== "ENOTDIR") throw thrown;
      });
    }
  },

  appendLine: createAppend(),

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
    try {
      await unlessMissing(() => rm(path, { force: true }), undefined);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "ERR_FS_EISDIR") throw thrown;
      await rmdir(path);
    }
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

/** Where no flag does it: a link that is made between this look and the opening is followed. */
async function refuseLink(path: string): Promise<void> {
  if (NO_LINK !== 0 || !(await unlessMissing(() => lstat(path), undefined))?.isSymbolicLink()) return;
  throw Object.assign(new Error(`ELOOP: expected a file, found a link, '${path}'`), { code: "ELOOP" });
}

/** The system does not say which folder it was asked to read. */
const nameFolder = (path: string) => (thrown: NodeJS.ErrnoException) => {
  if (thrown.code === "EISDIR") thrown.message = `EISDIR: expected a file, found a folder, '${path}'`;
  throw thrown;
};

const flagsFor = (options?: ReadOptions): number =>
  options?.links === "refused" ? constants.O_RDONLY | NOT_FOLLOWING : constants.O_RDONLY;

/**
 * Renames a temporary file over the path, so that a link there is replaced. The temporary name is random and must not
 * exist: a repository that could predict it would put a link there too.
 */
async function writeOwn(path: string, contents: string | Uint8Array, flush: boolean): Promise<void> {
  const written = `${path}.${randomUUID()}`;
  try {
    // In one call: each step of a file handle's costs the host's process a turn of its event loop.
    await writeFile(written, contents, { flag: "wx", mode: OWNER_ONLY, flush });
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
  // It takes strings and Buffers only.
  const data = typeof contents === "string" ? contents : Buffer.from(contents);
  // Loaded with the first such write, which most runs never make. It follows links, so it gets a new name.
  const { default: writeFileAtomic } = await import("write-file-atomic");
  const kept = found && { mode: found.mode, chown: { uid: found.uid, gid: found.gid } };
  await writeFileAtomic(written, data, kept);
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
  const written = writeFile(path, contents, { mode: OWNER_ONLY, flag: "wx" }).then(() => true);
  return written.catch((error) => {
    if (error.code === "EEXIST") return false;
    throw error;
  });
}

/** Runs `write`, and again once the folder is made if it is missing: it nearly always exists. */
async function inFolder(path: string, write: () => Promise<void>): Promise<void> {
  if (await unlessMissing(() => write().then(() => true), false)) return;
  await mkdir(dirname(path), { recursive: true });
  await write();
}

function createAppend(): Files["appendLine"] {
  /** Size of each file behind the line appended last: that one is whole. */
  const sizes = new Map<string, number>();
  return async (path, line) => {
    await refuseLink(path);
    const found = await unlessMissing(() => lstat(path), undefined);
    const size = found?.isFile() ? found.size : 0;
    const isKnown = size === 0 || size === sizes.get(path);
    const isWhole = isKnown || (await nodeFiles.readFrom(path, size - 1))?.at(-1) === NEWLINE;
    const text = `${isWhole ? "" : "\n"}${line}\n`;
    const append = () => writeFile(path, text, { flag: APPEND_NOT_FOLLOWING, mode: OWNER_ONLY });
    await inFolder(path, append);
    sizes.set(path, size + Buffer.byteLength(text));
  };
}

/** Runs `action`; returns `absent` if a file or folder is missing, rethrows every other error that does not pass. */
async function unlessMissing<T, A>(action: () => Promise<T>, absent: A): Promise<T | A> {
  for (let tries = 0; ; tries++) {
    try {
      return await action();
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") return absent;
      const pauseMs = PASSING.includes(code) ? PAUSES_MS[tries] : undefined;
      if (pauseMs === undefined) throw error;
      await systemClock.pause(pauseMs);
    }
  }
}

/** A temporary folder. */
interface Scratch {
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
