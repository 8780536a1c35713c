import { join } from "node:path";
import type { FileStat, Files } from "../seams/files.js";

/** What lies on the way to a file, or in its place, and is not what it has to be: a link above all. */
export interface Obstacle {
  path: string;
  kind: FileStat["kind"];
}

/** The first one below `folder` on the way to this file or folder; what is behind it is neither read nor written. */
export async function findObstacle(
  files: Files,
  folder: string,
  path: string,
  expected: "file" | "folder" = "file",
): Promise<Obstacle | undefined> {
  const parts = path.split("/");
  for (let depth = 1; depth <= parts.length; depth++) {
    const part = join(folder, ...parts.slice(0, depth));
    const stat = await files.statItself(part);
    if (!stat) return undefined;
    if (stat.kind !== (depth === parts.length ? expected : "folder")) return { path: part, kind: stat.kind };
  }
  return undefined;
}

/** The contents of this file; `undefined` where there is none, or something is in the way. */
export async function readWithin(
  files: Files,
  folder: string,
  path: string,
): Promise<Uint8Array | undefined> {
  return (await findObstacle(files, folder, path)) ? undefined : files.read(join(folder, path));
}

/** Names in this folder; none where a link stands in its place. */
export async function listItself(files: Files, folder: string): Promise<string[]> {
  return (await files.statItself(folder))?.kind === "folder" ? files.list(folder) : [];
}

/** For people. */
export function formatObstacle({ kind, path }: Obstacle): string {
  if (kind === "link")
    return `${path} is a link, and links are not followed; put the file or folder itself there`;
  return `${path} is ${kind === "file" ? "a file where a folder has to be" : "no file"}; rename or remove it`;
}
