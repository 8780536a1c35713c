/**
 * The file system as the machine sees it: few operations, each whole or not at all.
 *
 * Contract: absence is a value (`undefined`, an empty list), everything else throws the system's own error
 * with its `code`. Paths are absolute. Parents of a written or renamed file are made when they are missing.
 * `test/support/files-suite.ts` is the behaviour every implementation shows.
 */
export interface Files {
  read(path: string, options?: ReadOptions): Promise<Uint8Array | undefined>;
  /** The file's contents from this byte on; empty if the file is shorter. */
  readFrom(path: string, offset: number, options?: ReadOptions): Promise<Uint8Array | undefined>;
  stat(path: string): Promise<FileStat | undefined>;
  /** The path with every link on it followed; `undefined` when there is nothing. */
  realPath(path: string): Promise<string | undefined>;
  /** As `stat`, but does not follow links. */
  statItself(path: string): Promise<FileStat | undefined>;
  /** Names in a folder, sorted; empty when there is no such folder. */
  list(folder: string): Promise<string[]>;
  /**
   * Replaces the file in one step; a reader sees the earlier contents or these, never a part. A link in its place is
   * replaced as well, and what it leads to stays. Mode 0600. With "kept", for files that are not ours: a link is
   * followed, and the mode is that of the file which is replaced (what the system gives where there was none).
   */
  writeWhole(path: string, contents: string | Uint8Array, options?: { mode: "kept" }): Promise<void>;
  /** Makes the file, whole; `false`, and nothing is done, when there is something, be it a link, in its place. Mode 0600. */
  create(path: string, contents: string | Uint8Array): Promise<boolean>;
  /**
   * Writes `line` and a newline at the end in one call; an incomplete last line of another writer is ended first. ELOOP if
   * the path is a link.
   */
  appendLine(path: string, line: string): Promise<void>;
  /** Replaces `to` if it is there; does nothing when `from` is missing. A link is moved or replaced itself. */
  rename(from: string, to: string): Promise<void>;
  /** Sets the time of last use, of a link its own. Does nothing when the file is missing. */
  touch(path: string, timeMs: number): Promise<void>;
  /** Removes the file or link. Does nothing if neither exists. */
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
  /** When contents, name or rights were last changed; no program sets it back. */
  changedMs: number;
}

/** Bytes as UTF-8; what is none becomes "\ufffd". */
export const decodeText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The same, and `undefined` for what is no UTF-8. */
export function decodeStrictly(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The text of a file; `undefined` where there is none. Rejects with the system's error. */
export async function readText(files: Pick<Files, "read">, path: string): Promise<string | undefined> {
  const bytes = await files.read(path);
  return bytes && decodeText(bytes);
}

/** The text of a file; empty where there is none, or a link or a folder in its place. Rejects with the system's error. */
export async function readPlainText(
  files: Pick<Files, "read" | "statItself">,
  path: string,
): Promise<string> {
  if ((await files.statItself(path))?.kind !== "file") return "";
  return (await readText(files, path)) ?? "";
}
