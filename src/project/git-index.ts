/**
 * Reads the paths that git tracks from its index: starts no process, and runs nothing that a repository configures.
 * Format: gitformat-index(5), versions 2 to 4, with SHA-1 or SHA-256 object names.
 */
import { dirname, join, relative, resolve, sep } from "node:path";

import { type Files, readText } from "../io/files.js";

/** A larger index lists hundreds of thousands of files and takes too long to read. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Tracked paths below `.opencode`, relative to the project. Empty if there is no repository, or if the index has an
 * unknown format. Throws the system's error.
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

/** In a worktree or submodule `.git` is a file that names the folder. */
async function findGitFolder(files: Pick<Files, "read" | "stat">, root: string): Promise<string | undefined> {
  const path = join(root, ".git");
  const kind = (await files.stat(path))?.kind;
  if (kind !== "file") return kind === "folder" ? path : undefined;
  const text = (await readText(files, path)) ?? "";
  const [, folder] = /^gitdir: (.+?)\s*$/.exec(text) ?? [];
  return folder === undefined ? undefined : resolve(root, folder);
}

/** An entry has ten 32-bit numbers, then the object name, flags and the path. */
const NUMBERS_BYTES = 40;
const EXTENDED = 0x4000;

/** Paths that begin with `prefix`. Entries are sorted, so reading stops after them. Pure. */
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

/** `undefined` if the bytes are not an index with object names of this length. */
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
    // Paths ascend. Any other order means that the layout is wrong.
    if (name.length === 0 || Buffer.compare(before, name) > 0) return undefined;
    before = name;
    // Up to version 3, one to eight zeros pad an entry to a multiple of eight bytes.
    at = version === 4 ? end + 1 : at + Math.ceil((end + 1 - at) / 8) * 8;
    if (name.subarray(0, wanted.length).equals(wanted)) found.push(name.toString());
    else if (Buffer.compare(name, wanted) > 0) break;
  }
  return found;
}

/** Git's offset encoding: seven bits a byte, most significant first, adding one at each further byte. */
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
