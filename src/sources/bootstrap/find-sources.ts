/** Finds the files of a project that state facts, and reads them. Follows no link. */
import { join } from "node:path";
import { formatError } from "../../base/error.js";
import { decodeStrictly, type Files, isOthers, listFilesBelow } from "../../io/files.js";
import { findWay } from "../../memory/store/scan.js";
import { findKind } from "./read-facts.js";
import type { TakenFact } from "./taken.js";

/** Folders whose files belong to the folder that they lie in. */
const PARTS = [".github", ".cursor", ".windsurf"];

/**
 * Paths relative to the root, sorted. `isCut`: there were too many folders. `folders` are relative to the root, with `/`,
 * and `""` is the root itself; `isRecursive` includes those below.
 */
export async function findSources(
  files: Files,
  { folders, isRecursive, root }: { root: string; folders: readonly string[]; isRecursive: boolean },
): Promise<{ paths: string[]; isCut: boolean }> {
  const found = new Set<string>();
  let isCut = false;
  const enters = (path: string): boolean =>
    path.split("/").some((name) => PARTS.includes(name)) || (isRecursive && !isOthers(path));
  for (const folder of folders) {
    if (folder !== "" && (await findWay(files, root, folder)).kind !== "clear") continue;
    const below = await listFilesBelow(files, join(root, folder), enters);
    for (const path of below.paths) found.add(folder === "" ? path : `${folder}/${path}`);
    isCut ||= below.isCut;
  }
  return { paths: [...found].filter(findKind).sort(), isCut };
}

/**
 * What became of a file that a memory names. `other` is a link, a folder, a path out of the project, or a file that is
 * no source any more.
 */
export async function findSource(
  files: Files,
  root: string,
  path: string,
): Promise<"source" | "gone" | "other"> {
  if (path.split("/").some((part) => part === "" || part === "." || part === "..")) return "other";
  const way = await findWay(files, root, path);
  if (way.kind === "missing") return "gone";
  return findKind(path) && way.kind === "clear" && way.stat.kind === "file" ? "source" : "other";
}

export interface ReadFacts {
  facts: TakenFact[];
  /** Files read completely. */
  read: Set<string>;
  notes: string[];
}

/** Larger files are not written for people. */
const [MOST_BYTES, MOST_LINES] = [512 * 1024, 10_000];

/** Never rejects because of a file's contents: that becomes a note. */
export async function readFacts(files: Files, root: string, paths: readonly string[]): Promise<ReadFacts> {
  const all: ReadFacts = { facts: [], read: new Set(), notes: [] };
  for (const path of paths) {
    try {
      const facts = (await findKind(path)?.read(await readText(join(root, path)), path)) ?? [];
      all.facts.push(...facts.map((fact) => ({ ...fact, file: path })));
      all.read.add(path);
    } catch (thrown) {
      all.notes.push(`${path}: ${formatError(thrown).split("\n", 1)[0]}`);
    }
  }
  return all;

  async function readText(path: string): Promise<string> {
    const { bytes = 0 } = (await files.statItself(path)) ?? {};
    if (bytes > MOST_BYTES) throw new RangeError(`it has ${bytes} bytes, more than ${MOST_BYTES}`);
    const text = decodeStrictly((await files.read(path, { links: "refused" })) ?? new Uint8Array());
    if (text === undefined || text.includes("\0")) throw new TypeError("it is not UTF-8 text");
    const lines = text.split("\n").length;
    if (lines > MOST_LINES) throw new RangeError(`it has ${lines} lines, more than ${MOST_LINES}`);
    return text.replace(/^\uFEFF/, "");
  }
}
