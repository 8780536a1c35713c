/**
 * The paths that git tracks, read from its index: no process is started, and nothing that a repository has configured
 * is run. The format is that of git's own gitformat-index(5), versions 2 to 4, with names of SHA-1 or SHA-256.
 */
import { dirname, join, relative, resolve, sep } from "node:path";

import { type Files, readText } from "../seams/files.js";

/** A larger index has hundreds of thousands of files and would take too long. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * The tracked paths below `.opencode` in a project, from the project. None where there is no repository, or an index
 * of a kind that is not known. Throws the system's error.
 */
export async function readTracked(
  files: Pick<Files, "read" | "stat">,
  project: string,
): Promise<readonly string[]> {
  for (let root = project; ; root = dirname(root)) {
    const folder = await findGitFolder(files, root);
    if (folder !== undefined) {
      const inside = relative(root, project).split(sep).filter(Boolean);
      const prefix = [...inside, ".opencode", ""].join("/");
      const path = join(folder, "index");
      if (((await files.stat(path))?.bytes ?? 0) > MOST_BYTES) return [];
      const bytes = await files.read(path);
      const tracked = bytes ? parseIndex(bytes, prefix) : [];
      return tracked.map((one) => one.slice(prefix.length - ".opencode/".length));
    }
    if (dirname(root) === root) return [];
  }
}

/** A worktree and a submodule have a file there, which says where the folder is. */
async function findGitFolder(files: Pick<Files, "read" | "stat">, root: string): Promise<string | undefined> {
  const path = join(root, ".git");
  const kind = (await files.stat(path))?.kind;
  if (kind !== "file") return kind === "folder" ? path : undefined;
  const text = (await readText(files, path)) ?? "";
  const [, folder] = /^gitdir: (.+?)\s*$/.exec(text) ?? [];
  return folder === undefined ? undefined : resolve(root, folder);
}

/** Before a path stand ten numbers of 32 bits, the name of its contents, and flags. */
const NUMBERS_BYTES = 40;
const EXTENDED = 0x4000;

/** The paths that begin with `prefix`. Entries are sorted, so what comes after those is not read. Pure. */
function parseIndex(bytes: Uint8Array, prefix: string): string[] {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.length < 12 || view.toString("latin1", 0, 4) !== "DIRC" ? 0 : view.readUInt32BE(4);
  if (version < 2 || version > 4) return [];
  for (const hashBytes of [20, 32]) {
    const found = readEntries(view, { version, hashBytes, prefix });
    if (found) return found;
  }
  return [];
}

interface Layout {
  version: number;
  hashBytes: number;
  prefix: string;
}

/** `undefined` if it is not an index with names of this length. */
function readEntries(view: Buffer, { version, hashBytes, prefix }: Layout): string[] | undefined {
  const found: string[] = [];
  const wanted = Buffer.from(prefix);
  let before = Buffer.alloc(0);
  let at = 12;
  for (let left = view.readUInt32BE(8); left > 0; left--) {
    const flagsAt = at + NUMBERS_BYTES + hashBytes;
    if (flagsAt + 2 > view.length) return undefined;
    let nameAt = flagsAt + (view.readUInt16BE(flagsAt) & EXTENDED ? 4 : 2);
    let kept = 0;
    if (version === 4) {
      const strip = readOffset(view, nameAt);
      kept = before.length - strip.value;
      nameAt = strip.end;
    }
    const end = view.indexOf(0, nameAt);
    if (end < 0 || kept < 0) return undefined;
    const name = Buffer.concat([before.subarray(0, kept), view.subarray(nameAt, end)]);
    // The next name is never smaller: another order is another layout.
    if (name.length === 0 || Buffer.compare(before, name) > 0) return undefined;
    before = name;
    // Up to version 3, one to eight zeros fill an entry up to a multiple of eight bytes.
    at = version === 4 ? end + 1 : at + Math.ceil((end + 1 - at) / 8) * 8;
    if (name.subarray(0, wanted.length).equals(wanted)) found.push(name.toString());
    else if (Buffer.compare(name, wanted) > 0) break;
  }
  return found;
}

/** A number of git's of seven bits a byte, the highest first, each further byte counting from one more. */
function readOffset(view: Buffer, from: number): { value: number; end: number } {
  let end = from;
  let byte = view[end++] ?? 0;
  let value = byte & 0x7f;
  while (byte & 0x80 && end - from < 5) {
    byte = view[end++] ?? 0;
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return { value, end };
}
