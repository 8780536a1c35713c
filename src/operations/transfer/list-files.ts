/** Lists the files below a folder with a given ending. Follows no link. */
import { join } from "node:path";
import type { Files } from "../../io/files.js";

const MOST_FILES = 5_000;
const MOST_DEPTH = 12;
/** Folders with third-party or built files. */
const OTHERS = new Set(["node_modules", "vendor", "target", "dist", "build", "out", "venv", "__pycache__"]);

export interface ListedFiles {
  /** Absolute, sorted within each folder, a folder's own files first. */
  paths: string[];
  /** Were there more than the limit? */
  isCut: boolean;
}

/** Skips hidden folders and those with built or third-party files. */
export async function listFilesBelow(
  files: Pick<Files, "list" | "statItself">,
  folder: string,
  ending: RegExp,
): Promise<ListedFiles> {
  const listed: ListedFiles = { paths: [], isCut: false };
  await list(folder, 0);
  return listed;

  async function list(place: string, depth: number): Promise<void> {
    const folders: string[] = [];
    for (const name of await files.list(place)) {
      const path = join(place, name);
      const kind = (await files.statItself(path))?.kind;
      if (kind === "folder" && !name.startsWith(".") && !OTHERS.has(name)) folders.push(path);
      if (kind !== "file" || !ending.test(name)) continue;
      if (listed.paths.length >= MOST_FILES) listed.isCut = true;
      else listed.paths.push(path);
    }
    if (depth >= MOST_DEPTH && folders.length > 0) listed.isCut = true;
    else for (const one of folders) await list(one, depth + 1);
  }
}
