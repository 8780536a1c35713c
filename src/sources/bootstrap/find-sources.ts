/** Finds the files of a project that state facts. Follows no link and reads no file. */
import { join } from "node:path";
import type { Files } from "../../io/files.js";
import { findWay } from "../../memory/store/obstacle.js";
import { findKind, type SourceKind, sourceFolders } from "./sources.js";

export interface Source {
  /** Relative to the project's root, with `/`. */
  path: string;
  kind: SourceKind;
  bytes: number;
}

export interface FindOptions {
  root: string;
  /** Relative to the root, with `/`; `""` for the root itself. */
  folders: readonly string[];
  /** Includes the folders below. */
  isRecursive: boolean;
}

export interface FoundSources {
  sources: Source[];
  /** Were there more than the limit? */
  isCut: boolean;
}

const MOST_FOLDERS = 5_000;
const MOST_SOURCES = 1_000;
/** Folders with third-party or built files. */
const OTHERS = new Set(["node_modules", "vendor", "target", "dist", "build", "out", "venv", "__pycache__"]);

/** Sorted by path. */
export async function findSources(
  files: Files,
  { folders, isRecursive, root }: FindOptions,
): Promise<FoundSources> {
  const found = new Map<string, Source>();
  const visited = new Set<string>();
  const waiting = [...folders];
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
    if (visited.has(folder)) continue;
    visited.add(folder);
    if (visited.size > MOST_FOLDERS || found.size > MOST_SOURCES)
      return { sources: sort(found), isCut: true };
    const { folders: inside, paths } = await listFolder(files, root, folder);
    for (const path of paths) await add(folder, path);
    for (const place of sourceFolders)
      for (const path of await listDeep(files, root, joinPath(folder, place))) await add(folder, path);
    if (isRecursive) waiting.push(...inside.filter((one) => !isOthers(one)));
  }
  return { sources: sort(found), isCut: false };

  async function add(folder: string, path: string): Promise<void> {
    const kind = findKind(folder === "" ? path : path.slice(folder.length + 1));
    if (!kind) return;
    const way = await findWay(files, root, path);
    if (way.kind === "clear" && way.stat.kind === "file")
      found.set(path, { path, kind, bytes: way.stat.bytes });
  }
}

/** The source at a path that a memory names; `undefined` if it is gone or no longer a source. */
export async function findSource(files: Files, root: string, path: string): Promise<Source | undefined> {
  const parts = path.split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) return undefined;
  // The search may have started in any folder above the file.
  const kind = parts.flatMap((_, n) => findKind(parts.slice(n).join("/")) ?? [])[0];
  const way = await findWay(files, root, path);
  if (!kind || way.kind !== "clear" || way.stat.kind !== "file") return undefined;
  return { path, kind, bytes: way.stat.bytes };
}

interface Listed {
  paths: string[];
  folders: string[];
}

/** Files and folders in a folder, relative to the root; empty if a link is on the way. */
async function listFolder(files: Files, root: string, folder: string): Promise<Listed> {
  const listed: Listed = { paths: [], folders: [] };
  const way = folder === "" ? undefined : await findWay(files, root, folder);
  if (way && (way.kind !== "clear" || way.stat.kind !== "folder")) return listed;
  for (const name of await files.list(join(root, folder))) {
    const path = joinPath(folder, name);
    const kind = (await files.statItself(join(root, path)))?.kind;
    if (kind === "file") listed.paths.push(path);
    else if (kind === "folder") listed.folders.push(path);
  }
  return listed;
}

const MOST_DEPTH = 5;

async function listDeep(files: Files, root: string, folder: string, depth = 0): Promise<string[]> {
  if (depth > MOST_DEPTH) return [];
  const { folders, paths } = await listFolder(files, root, folder);
  const deeper: string[] = [];
  for (const one of folders) deeper.push(...(await listDeep(files, root, one, depth + 1)));
  return [...paths, ...deeper];
}

/** Hidden folders have their own rows in `sourceFolders`. */
function isOthers(path: string): boolean {
  const name = path.split("/").at(-1) ?? "";
  return name.startsWith(".") || OTHERS.has(name);
}

const joinPath = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`);
const sort = (found: ReadonlyMap<string, Source>): Source[] =>
  [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
