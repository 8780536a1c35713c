import { basename, dirname, join } from "node:path";
import type { Clock } from "./clock.js";
import type { FileStat, Files } from "./files.js";
import { formatDoubt, formatHolder, type LockState, SILENT_MS } from "./holders.js";

interface Written {
  bytes: Uint8Array;
  modifiedMs: number;
  changedMs: number;
}

/** What was written so far, by path; `null` for a removed file. */
interface Changes {
  get(path: string): Written | null | undefined;
  put(path: string, bytes: Uint8Array, modifiedMs?: number): void;
  remove(path: string): void;
  /** Names written in a folder; `undefined` if there are none. */
  names(folder: string): ReadonlySet<string> | undefined;
}

/** Files whose changes stay in memory: each is read back, and none reaches the disk. */
export function createDryFiles(disk: Files, clock: Pick<Clock, "now">): Files {
  const changes = createChanges(clock);
  const reads = createReads(disk, changes);
  return { ...reads, ...createWrites(reads, changes) };
}

type Reads = Pick<Files, "list" | "read" | "readFrom" | "realPath" | "stat" | "statItself">;

function createReads(disk: Files, changes: Changes): Reads {
  const isRemoved = (path: string): boolean => changes.get(path) === null;
  const reads: Reads = {
    async read(path, options) {
      return changes.get(path)?.bytes ?? (isRemoved(path) ? undefined : disk.read(path, options));
    },

    async readFrom(path, offset, options) {
      const bytes = changes.get(path)?.bytes;
      if (bytes) return bytes.subarray(offset, offset + (options?.maxBytes ?? bytes.byteLength));
      return isRemoved(path) ? undefined : disk.readFrom(path, offset, options);
    },

    stat: (path) => statWith(path, disk.stat),
    statItself: (path) => statWith(path, disk.statItself),

    async realPath(path) {
      if (!(await reads.stat(path))) return undefined;
      const parent = dirname(path);
      const onDisk = changes.get(path) ? undefined : await disk.realPath(path);
      return (
        onDisk ?? (parent === path ? path : join((await reads.realPath(parent)) ?? parent, basename(path)))
      );
    },

    async list(folder) {
      if (changes.get(folder)) throw refuseAsFolder(folder);
      const all = new Set([...(await disk.list(folder)), ...(changes.names(folder) ?? [])]);
      return [...all].filter((name) => !isRemoved(join(folder, name))).sort();
    },
  };
  return reads;

  async function statWith(path: string, onDisk: Files["stat"]): Promise<FileStat | undefined> {
    const written = changes.get(path);
    if (written) {
      const { bytes, changedMs, modifiedMs } = written;
      return { kind: "file", bytes: bytes.byteLength, modifiedMs, changedMs };
    }
    const found = isRemoved(path) ? undefined : await onDisk(path);
    const isFolder = changes.names(path) !== undefined;
    return found ?? (isFolder ? { kind: "folder", bytes: 0, modifiedMs: 0, changedMs: 0 } : undefined);
  }
}

function createWrites(reads: Reads, changes: Changes): Omit<Files, keyof Reads> {
  return {
    async writeWhole(path, contents) {
      await requireFolder(path);
      changes.put(path, toBytes(contents));
    },

    async create(path, contents) {
      await requireFolder(path);
      const isTaken = (await reads.statItself(path)) !== undefined;
      // Looked at again: another call may have created it during the wait.
      if (isTaken || changes.get(path)) return false;
      changes.put(path, toBytes(contents));
      return true;
    },

    async appendLine(path, line) {
      await requireFolder(path);
      const read = (await reads.read(path, { links: "refused" })) ?? new Uint8Array();
      const before = changes.get(path)?.bytes ?? read;
      const isTorn = before.length > 0 && before.at(-1) !== 0x0a;
      changes.put(path, Buffer.concat([before, Buffer.from(`${isTorn ? "\n" : ""}${line}\n`)]));
    },

    rename,

    async touch(path, timeMs) {
      const bytes = await reads.read(path);
      if (bytes) changes.put(path, bytes, timeMs);
    },

    async remove(path) {
      changes.remove(path);
    },
  };

  async function rename(from: string, to: string): Promise<void> {
    const found = await reads.statItself(from);
    if (found?.kind === "folder") {
      for (const name of await reads.list(from)) await rename(join(from, name), join(to, name));
      return;
    }
    const bytes = found && (await reads.read(from));
    if (!bytes) return;
    await requireFolder(to);
    changes.put(to, bytes, found.modifiedMs);
    changes.remove(from);
  }

  async function requireFolder(path: string): Promise<void> {
    for (let parent = dirname(path); dirname(parent) !== parent; parent = dirname(parent)) {
      const found = await reads.stat(parent);
      if (found?.kind === "folder") return;
      if (found) throw refuseAsFolder(parent);
    }
  }
}

function createChanges(clock: Pick<Clock, "now">): Changes {
  const changes = new Map<string, Written | null>();
  const names = new Map<string, Set<string>>();
  return {
    get: (path) => changes.get(path),
    remove: (path) => void changes.set(path, null),
    names: (folder) => names.get(folder),

    put(path, bytes, modifiedMs = clock.now()) {
      changes.set(path, { bytes, modifiedMs, changedMs: clock.now() });
      for (let at = path; dirname(at) !== at; at = dirname(at)) {
        const siblings = names.get(dirname(at));
        if (siblings?.has(basename(at))) return;
        names.set(dirname(at), (siblings ?? new Set()).add(basename(at)));
      }
    },
  };
}

/** A copy: the caller may reuse its buffer. */
function toBytes(contents: string | Uint8Array): Uint8Array {
  return typeof contents === "string" ? Buffer.from(contents) : Uint8Array.from(contents);
}

/** The system's own error. */
function refuseAsFolder(path: string): Error {
  return Object.assign(new Error(`ENOTDIR: not a directory, '${path}'`), { code: "ENOTDIR" });
}

/** Describes a lock for people. `isSilent`: without watching it, its owner appears to be gone. */
export function formatLock(state: LockState, nowMs: number): { says: string; isSilent: boolean } {
  if (state.kind === "free") return { says: "free", isSilent: false };
  const { kind, signMs, token } = state;
  if (kind === "abandoned") {
    const why = signMs === undefined ? "has ended" : `was last active at ${formatTime(signMs)}`;
    const says = token
      ? `a stale lock: ${formatHolder(token)} ${why}`
      : `a stale lock without an owner that ${why}`;
    return { says, isSilent: true };
  }
  const says = token ? `held by ${formatHolder(token)}` : "a lock without an owner";
  if (signMs === undefined) return { says, isSilent: false };
  return { says: `${says}; ${formatDoubt(signMs)}`, isSilent: nowMs - signMs >= SILENT_MS };
}

const formatTime = (timeMs: number): string => new Date(timeMs).toISOString();
