import { basename, dirname, join, normalize } from "node:path";
import type { Clock } from "./clock.js";
import type { FileStat, Files } from "./files.js";

interface Written {
  bytes: Uint8Array;
  modifiedMs: number;
  changedMs: number;
}

/** What was written so far. */
interface Changes {
  /** By path; `null` for a removed file. */
  files: Map<string, Written | null>;
  /** Names written, by folder. */
  names: Map<string, Set<string>>;
}

/** Windows has two spellings of a path. */
class ByPath<V> extends Map<string, V> {
  override get(path: string): V | undefined {
    return super.get(normalize(path));
  }

  override set(path: string, value: V): this {
    return super.set(normalize(path), value);
  }
}

type Reads = Pick<Files, "list" | "read" | "readFrom" | "realPath" | "stat" | "statItself">;

function createReads(disk: Files, { files: changes, names }: Changes): Reads {
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
      const onDisk = changes.get(path) ? undefined : await disk.realPath(path);
      const parent = dirname(path);
      if (onDisk !== undefined || parent === path) return onDisk ?? path;
      return join((await reads.realPath(parent)) ?? parent, basename(path));
    },

    async list(folder) {
      const all = new Set([...(await disk.list(folder)), ...(names.get(folder) ?? [])]);
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
    return found ?? (names.get(path) ? { kind: "folder", bytes: 0, modifiedMs: 0, changedMs: 0 } : undefined);
  }
}

/** Files whose changes stay in memory: each is read back, and none reaches the disk. */
export function createDryFiles(disk: Files, clock: Pick<Clock, "now">): Files {
  const changes: Changes = { files: new ByPath(), names: new ByPath() };
  const reads = createReads(disk, changes);

  return {
    ...reads,
    rename,
    async writeWhole(path, contents) {
      note(path, toBytes(contents));
    },

    async create(path, contents) {
      const isTaken = (await reads.statItself(path)) !== undefined;
      // Looked at again: another call may have created it during the wait.
      if (isTaken || changes.files.get(path)) return false;
      note(path, toBytes(contents));
      return true;
    },

    async appendLine(path, line) {
      const read = (await reads.read(path, { links: "refused" })) ?? new Uint8Array();
      const before = changes.files.get(path)?.bytes ?? read;
      const isTorn = before.length > 0 && before.at(-1) !== 0x0a;
      note(path, Buffer.concat([before, Buffer.from(`${isTorn ? "\n" : ""}${line}\n`)]));
    },

    async touch(path, timeMs) {
      const bytes = await reads.read(path);
      if (bytes) note(path, bytes, timeMs);
    },

    async remove(path) {
      changes.files.set(path, null);
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
    note(to, bytes, found.modifiedMs);
    changes.files.set(from, null);
  }

  function note(path: string, bytes: Uint8Array, modifiedMs = clock.now()): void {
    changes.files.set(path, { bytes, modifiedMs, changedMs: clock.now() });
    for (let at = path; dirname(at) !== at; at = dirname(at)) {
      const siblings = changes.names.get(dirname(at)) ?? new Set();
      if (siblings.has(basename(at))) return;
      changes.names.set(dirname(at), siblings.add(basename(at)));
    }
  }
}

/** A copy: the caller may reuse its buffer. */
function toBytes(contents: string | Uint8Array): Uint8Array {
  return typeof contents === "string" ? Buffer.from(contents) : Uint8Array.from(contents);
}
