import type { FileStat, Files, ReadOptions } from "../../src/io/files.js";
import { createPathMap, DISK, rules } from "./disk-rules.js";

/** An in-memory file system; tests may read and change its map of path to contents. */
export interface MemoryFiles extends Files {
  readonly contents: Map<string, Uint8Array>;
  readonly modifiedMs: Map<string, number>;
  /** Last change of each file, by this disk's clock. */
  readonly changedMs: Map<string, number>;
  /** Paths that are links; `contents` has their targets' text. */
  readonly links: Pick<Set<string>, "delete" | "has" | typeof Symbol.iterator> & { add(path: string): void };
  /** Paths that another program has open, as on Windows: they can be neither replaced nor moved nor removed. */
  readonly held: Map<string, true>;
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
  const contents = createPathMap<Uint8Array>();
  const modifiedMs = createPathMap<number>();
  const changedMs = createPathMap<number>();
  const held = createPathMap<true>();
  const linked = createPathMap<true>();
  const links = {
    add: (path: string) => void linked.set(path, true),
    has: linked.has.bind(linked),
    delete: linked.delete.bind(linked),
    [Symbol.iterator]: () => linked.keys(),
  };
  const put = (path: string, data: string | Uint8Array): void => {
    refuseFileAsFolder(path);
    if (rules.isRefused(path)) throw systemError("ENOENT", path);
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
    held,
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
      return contents.has(path) || isFolder(path) ? rules.toNative(nameOf(path)) : undefined;
    },
    async list(folder) {
      if (contents.has(folder)) throw systemError("ENOTDIR", folder);
      const names = listBelow(folder).map((path) => path.split("/")[0] ?? "");
      return [...new Set(DISK === "mac" ? names.map((name) => name.normalize("NFC")) : names)].sort();
    },
    async writeWhole(path, data) {
      if (isFolder(path)) throw systemError("EISDIR", path);
      refuseHeld(path);
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
      const moved = contents.has(from) ? [""] : listBelow(from).map((path) => `/${path}`);
      for (const path of moved) refuseHeld(`${from}${path}`, `${to}${path}`);
      for (const path of moved) {
        const [old, target] = [`${from}${path}`, `${to}${path}`];
        const data = contents.get(old) ?? "";
        const isLink = links.delete(old);
        contents.delete(old);
        put(target, data);
        links.delete(target);
        if (isLink) links.add(target);
      }
    },
    async touch(path, timeMs) {
      if (!contents.has(path)) return;
      modifiedMs.set(path, timeMs);
      changedMs.set(path, now());
    },
    async remove(path) {
      refuseHeld(path);
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
    const start = rules.fold(`${rules.tidy(path)}/`);
    for (const other of contents.keys()) if (rules.fold(other).startsWith(start)) return true;
    return false;
  }

  /** Relative to the folder, as the disk shows them. */
  function listBelow(folder: string): string[] {
    const tidied = `${rules.tidy(folder)}/`;
    const start = rules.fold(tidied);
    const below = [...contents.keys()].filter((path) => rules.fold(path).startsWith(start));
    return below.map((path) => path.slice(tidied.length));
  }

  /** As the disk shows it: in the capitals of who made it. */
  function nameOf(path: string): string {
    const tidied = rules.tidy(path);
    const folded = rules.fold(tidied);
    const found = [...contents.keys()].find((one) => `${rules.fold(one)}/`.startsWith(`${folded}/`));
    return found?.slice(0, tidied.length) ?? tidied;
  }

  function refuseHeld(...paths: string[]): void {
    for (const path of paths) if (held.has(path)) throw systemError("EBUSY", path);
  }

  function refuseLink(path: string, options?: ReadOptions): void {
    if (options?.links === "refused" && links.has(path)) throw systemError("ELOOP", path);
  }

  function refuseFileAsFolder(path: string): void {
    const tidied = rules.tidy(path);
    for (let end = tidied.lastIndexOf("/"); end > 0; end = tidied.lastIndexOf("/", end - 1))
      if (contents.has(tidied.slice(0, end))) throw systemError("ENOTDIR", path);
  }
}

export function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: injected, '${path}'`), { code });
}

function decode(data: Uint8Array | undefined): string | undefined {
  return data && Buffer.from(data).toString();
}
