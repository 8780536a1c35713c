/** Finds the files of a project that state facts. Follows no link and reads no file. */
import { join } from "node:path";
import { formatError } from "../../base/error.js";
import { decodeStrictly, type Files } from "../../io/files.js";
import { findWay } from "../../memory/store/entries.js";
import type { Reader } from "./fact.js";
import type { TakenFact } from "./taken.js";

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

/* Files that state facts and rules, and their readers. Readers are loaded when a file needs them. */

export interface SourceKind {
  /** Matches the path relative to the searched folder, with `/`. */
  pattern: RegExp;
  load(): Promise<Reader>;
  /** Rules for another agent: skipped if OpenCode sends the file itself. */
  isRules?: true;
}

/** Larger files are not written for people. */
export const MOST_BYTES = 512 * 1024;
/** Folders whose files have a kind below, at any depth. */
export const sourceFolders: readonly string[] = [".github", ".cursor/rules", ".windsurf/rules"];

const manifests = () => import("./readers/manifests.js");
const lines = () => import("./readers/lines.js");
const ci = () => import("./readers/ci.js");
const rules = async () => (await import("./readers/rules.js")).readRules;

const sourceKinds: readonly SourceKind[] = [
  { pattern: /^package\.json$/, load: async () => (await manifests()).readPackageJson },
  { pattern: /^pyproject\.toml$/, load: async () => (await manifests()).readPyproject },
  { pattern: /^Cargo\.toml$/, load: async () => (await manifests()).readCargo },
  { pattern: /^go\.mod$/, load: async () => (await lines()).readGoMod },
  { pattern: /^(GNU)?[Mm]akefile$/, load: async () => (await lines()).readMakefile },
  { pattern: /^\.github\/workflows\/[^/]+\.ya?ml$/, load: async () => (await ci()).readWorkflow },
  { pattern: /^\.gitlab-ci\.yml$/, load: async () => (await ci()).readGitlab },
  {
    pattern: /^readme(\.md|\.markdown)?$/i,
    load: async () => (await import("./readers/readme.js")).readReadme,
  },
  { pattern: /^CLAUDE(\.local)?\.md$/, load: rules, isRules: true },
  { pattern: /^\.cursorrules$/, load: rules, isRules: true },
  { pattern: /^\.cursor\/rules\/.+\.mdc?$/, load: rules, isRules: true },
  { pattern: /^\.windsurfrules$/, load: rules, isRules: true },
  { pattern: /^\.windsurf\/rules\/.+\.md$/, load: rules, isRules: true },
  { pattern: /^\.github\/copilot-instructions\.md$/, load: rules, isRules: true },
  { pattern: /^\.github\/instructions\/.+\.instructions\.md$/, load: rules, isRules: true },
];

/** The kind of the file at this path, relative to the searched folder. */
export const findKind = (path: string): SourceKind | undefined =>
  sourceKinds.find(({ pattern }) => pattern.test(path));

/* Reads facts out of the files of a project. */

export interface ReadFacts {
  facts: TakenFact[];
  /** Files read completely. */
  read: Set<string>;
  /** Sentences about files that were not used. */
  notes: string[];
}

/** Never rejects because of a file's contents: that becomes a note. */
export async function readFacts(files: Files, root: string, sources: readonly Source[]): Promise<ReadFacts> {
  const all: ReadFacts = { facts: [], read: new Set(), notes: [] };
  for (const source of sources) {
    const { path } = source;
    try {
      const facts = await readSource(files, root, source);
      all.facts.push(...facts.map((fact) => ({ ...fact, file: path })));
      all.read.add(path);
    } catch (thrown) {
      all.notes.push(`${path}: ${formatError(thrown).split("\n", 1)[0]}`);
    }
  }
  return all;
}

async function readSource(files: Files, root: string, { bytes, kind, path }: Source) {
  if (bytes > MOST_BYTES) throw new RangeError(`it has ${bytes} bytes, more than ${MOST_BYTES}`);
  const contents = await files.read(join(root, path), { links: "refused" });
  const text = decodeStrictly(contents ?? new Uint8Array());
  if (text === undefined || text.includes("\0")) throw new TypeError("it is not UTF-8 text");
  const read = await kind.load();
  return read(text.replace(/^\uFEFF/, ""), path);
}
