import { isAbsolute, join, relative, sep } from "node:path";
/**
 * The file system seam: few operations, each whole or not at all.
 *
 * Contract: absence is a value (`undefined`, an empty list), everything else throws the system's own error with its
 * `code`. Paths are absolute. Missing parent folders of a written or renamed file are created. Every implementation
 * must pass `test/support/files-suite.ts`.
 */
export interface Files {
  read(path: string, options?: ReadOptions): Promise<Uint8Array | undefined>;
  /** The file's contents from this byte on, at most `maxBytes` of them; empty if the file is shorter. */
  readFrom(
    path: string,
    offset: number,
    options?: ReadOptions & { maxBytes?: number },
  ): Promise<Uint8Array | undefined>;
  stat(path: string): Promise<FileStat | undefined>;
  /** The path with all links resolved; `undefined` if nothing exists there. */
  realPath(path: string): Promise<string | undefined>;
  /** As `stat`, but does not follow links. */
  statItself(path: string): Promise<FileStat | undefined>;
  /** Names in a folder, sorted, and composed where the disk takes both forms; empty if there is no such folder. */
  list(folder: string): Promise<string[]>;
  /**
   * Replaces the file atomically: a reader sees the earlier contents or these, never a part. A link in its place is
   * replaced, its target untouched. Mode 0600. With "kept", for files that are not ours: a link is followed, and the
   * replaced file's mode is kept (the system's default for a new file). With "remade", for what is made again when it is
   * lost: the disk is not waited for, so that after a power failure the file may be empty.
   */
  writeWhole(
    path: string,
    contents: string | Uint8Array,
    options?: { mode: "kept" | "remade" },
  ): Promise<void>;
  /** Creates the file, whole; `false`, without effect, if anything exists in its place, even a link. Mode 0600. */
  create(path: string, contents: string | Uint8Array): Promise<boolean>;
  /**
   * Appends `line` and a newline in one call; first ends an incomplete last line of another writer. ELOOP if the path
   * is a link.
   */
  appendLine(path: string, line: string): Promise<void>;
  /**
   * Replaces `to` if it exists; does nothing if `from` is missing. Links themselves are moved or replaced, never
   * followed.
   */
  rename(from: string, to: string): Promise<void>;
  /** Sets access and modification time, of a link its own. Does nothing if the file is missing. */
  touch(path: string, timeMs: number): Promise<void>;
  /** Removes the file, the link or the empty folder. Does nothing if nothing exists there. */
  remove(path: string): Promise<void>;
}

export interface ReadOptions {
  /** Fails with ELOOP if the path is a link; otherwise links are followed. */
  links?: "refused";
}

export interface FileStat {
  kind: "file" | "folder" | "link" | "other";
  bytes: number;
  modifiedMs: number;
  /** When contents, name or mode last changed; programs cannot set it back. */
  changedMs: number;
}

/** Decodes UTF-8; invalid bytes become "\ufffd". */
export const decodeText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Decodes UTF-8; `undefined` if the bytes are invalid. */
export function decodeStrictly(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The text of a file; `undefined` if there is none. Rejects with the system's error. */
export async function readText(files: Pick<Files, "read">, path: string): Promise<string | undefined> {
  const bytes = await files.read(path);
  return bytes && decodeText(bytes);
}

/** The text of a file; empty if there is none, or a link or a folder in its place. Rejects with the system's error. */
export async function readPlainText(
  files: Pick<Files, "read" | "statItself">,
  path: string,
): Promise<string> {
  if ((await files.statItself(path))?.kind !== "file") return "";
  return (await readText(files, path)) ?? "";
}

/** A folder's own files with such names, last changed first. Rejects with the system's error. */
export async function listByAge(
  files: Pick<Files, "list" | "stat">,
  folder: string,
  isWanted: (name: string) => boolean,
) {
  const names = (await files.list(folder)).filter(isWanted);
  const found = names.map(async (name) => {
    const path = join(folder, name);
    const stat = await files.stat(path);
    return stat?.kind === "file" ? [{ ...stat, name, path }] : [];
  });
  const all = (await Promise.all(found)).flat();
  return all.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.name < b.name ? 1 : -1));
}

/** Path relative to the folder, with `/`; `undefined` for the folder and what is outside. Knows Windows' spellings. */
export function pathBelow(folder: string, path: string): string | undefined {
  const inside = relative(folder, path).replaceAll(sep, "/");
  return /^(\.\.)?(\/|$)/.test(inside) || isAbsolute(inside) ? undefined : inside;
}

/* Walks folders. Follows no link. */

const MOST_FOLDERS = 5_000;
/** Folders with third-party or built files. */
const OTHERS = new Set(["node_modules", "vendor", "target", "dist", "build", "out", "venv", "__pycache__"]);

/** Is the folder hidden, or one with third-party or built files? */
export function isOthers(path: string): boolean {
  const name = path.split("/").at(-1) ?? "";
  return name.startsWith(".") || OTHERS.has(name);
}

/**
 * Paths of the files in and below a folder, relative to it with `/`; a folder's own files come first. `enters` is asked
 * about each folder below. `isCut`: there were too many.
 */
export async function listFilesBelow(
  files: Pick<Files, "list" | "statItself">,
  root: string,
  enters: (path: string) => boolean,
): Promise<{ paths: string[]; isCut: boolean }> {
  const paths: string[] = [];
  let left = MOST_FOLDERS;
  await walk("");
  return { paths, isCut: left < 0 };

  async function walk(folder: string): Promise<void> {
    if (--left < 0) return;
    const below: string[] = [];
    for (const name of await files.list(join(root, folder))) {
      const path = folder === "" ? name : `${folder}/${name}`;
      const kind = (await files.statItself(join(root, path)))?.kind;
      if (kind === "file") paths.push(path);
      else if (kind === "folder" && enters(path)) below.push(path);
    }
    for (const one of below) await walk(one);
  }
}
