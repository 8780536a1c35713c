import type { FileStat, Files, ReadOptions } from "../../src/io/files.js";

/** An in-memory file system; tests may read and change its map of path to contents. */
export interface MemoryFiles extends Files {
  readonly contents: Map<string, Uint8Array>;
  readonly modifiedMs: Map<string, number>;
  /** Last change of each file, by this disk's clock. */
  readonly changedMs: Map<string, number>;
  /** Paths that are links; `contents` has their targets' text. */
  readonly links: Set<string>;
  text(path: string): string | undefined;
}

/** A copy of these files with the same times, to change separately. */
export function copyFiles({ changedMs, contents, links, modifiedMs }: MemoryFiles): MemoryFiles {
  const copy = createMemoryFiles();
  for (const [path, bytes] of contents) copy.contents.set(path, bytes);
  for (const [path, ms] of modifiedMs) copy.modifiedMs.set(path, ms);
  for (const [path, ms] of changedMs) copy.changedMs.set(path, ms);
  for (const path of links) copy.links.add(path);
  return copy;
}

export function createMemoryFiles(
  world: Record<string, string | Uint8Array> = {},
  now = () => 0,
): MemoryFiles {
  const contents = new Map<string, Uint8Array>();
  const modifiedMs = new Map<string, number>();
  const changedMs = new Map<string, number>();
  const links = new Set<string>();
  const put = (path: string, data: string | Uint8Array): void => {
    refuseFileAsFolder(path);
    contents.set(path, typeof data === "string" ? Buffer.from(data) : new Uint8Array(data));
    modifiedMs.set(path, now());
    changedMs.set(path, now());
  };
  for (const [path, data] of Object.entries(world)) put(path, data);

  return {
    contents,
    modifiedMs,
    changedMs,
    links,
    text: (path) => decode(contents.get(path)),
    async read(path, options) {
      if (isFolder(path)) throw systemError("EISDIR", path);
      refuseLink(path, options);
      return contents.get(path);
    },
    async readFrom(path, offset, options) {
      refuseLink(path, options);
      return contents.get(path)?.slice(offset, offset + (options?.maxBytes ?? Number.POSITIVE_INFINITY));
    },
    stat,
    async statItself(path) {
      return links.has(path) ? { kind: "link", bytes: 0, modifiedMs: 0, changedMs: 0 } : stat(path);
    },
    async realPath(path) {
      return contents.has(path) || isFolder(path) ? path : undefined;
    },
    async list(folder) {
      if (contents.has(folder)) throw systemError("ENOTDIR", folder);
      const below = [...contents.keys()].filter((path) => path.startsWith(`${folder}/`));
      return [...new Set(below.map((path) => path.slice(folder.length + 1).split("/")[0] ?? ""))].sort();
    },
    async writeWhole(path, data) {
      if (isFolder(path)) throw systemError("EISDIR", path);
      links.delete(path);
      put(path, data);
    },
    async create(path, data) {
      if (links.has(path) || contents.has(path) || isFolder(path)) return false;
      put(path, data);
      return true;
    },
    async appendLine(path, line) {
      refuseLink(path, { links: "refused" });
      const before = decode(contents.get(path)) ?? "";
      put(path, `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${line}\n`);
    },
    async rename(from, to) {
      for (const [path, data] of [...contents]) {
        if (path !== from && !path.startsWith(`${from}/`)) continue;
        const moved = `${to}${path.slice(from.length)}`;
        put(moved, data);
        contents.delete(path);
        links.delete(moved);
        if (links.delete(path)) links.add(moved);
      }
    },
    async touch(path, timeMs) {
      if (!contents.has(path)) return;
      modifiedMs.set(path, timeMs);
      changedMs.set(path, now());
    },
    async remove(path) {
      contents.delete(path);
      links.delete(path);
    },
  };

  async function stat(path: string): Promise<FileStat | undefined> {
    const file = contents.get(path);
    const times = {
      modifiedMs: modifiedMs.get(path) ?? 0,
      changedMs: Math.max(changedMs.get(path) ?? 0, modifiedMs.get(path) ?? 0),
    };
    if (file) return { kind: "file", bytes: file.byteLength, ...times };
    return isFolder(path) ? { kind: "folder", bytes: 0, modifiedMs: 0, changedMs: 0 } : undefined;
  }

  function isFolder(path: string): boolean {
    if (contents.has(path)) return false;
    for (const other of contents.keys()) if (other.startsWith(`${path}/`)) return true;
    return false;
  }

  function refuseLink(path: string, options?: ReadOptions): void {
    if (options?.links === "refused" && links.has(path)) throw systemError("ELOOP", path);
  }

  function refuseFileAsFolder(path: string): void {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
      if (contents.has(path.slice(0, end))) throw systemError("ENOTDIR", path);
  }
}

export function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: injected, '${path}'`), { code });
}

function decode(data: Uint8Array | undefined): string | undefined {
  return data && Buffer.from(data).toString();
}
