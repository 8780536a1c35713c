/** Walks folders. Follows no link. */
import { join } from "node:path";
import type { Files } from "./files.js";

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
