import { join } from "node:path";
import { decodeText, type FileStat, type Files } from "../../seams/files.js";

/** What lies on the way to a file, or in its place, and is not what it has to be: a link above all. */
export interface Obstacle {
  path: string;
  kind: FileStat["kind"];
}

export type Way =
  /** What lies there, which may be anything. */
  { kind: "clear"; stat: FileStat } | { kind: "missing" } | { kind: "blocked"; obstacle: Obstacle };

/** Looks at each folder below `folder` on the way, and at what lies at the end; none is followed if it is a link. */
export async function findWay(files: Files, folder: string, path: string): Promise<Way> {
  const parts = path.split("/");
  for (let depth = 1; ; depth++) {
    const part = join(folder, ...parts.slice(0, depth));
    const stat = await files.statItself(part);
    if (!stat) return { kind: "missing" };
    if (depth === parts.length) return { kind: "clear", stat };
    if (stat.kind !== "folder") return { kind: "blocked", obstacle: { path: part, kind: stat.kind } };
  }
}

/** The first one below `folder` on the way to this file or folder; what is behind it is neither read nor written. */
export async function findObstacle(
  files: Files,
  folder: string,
  path: string,
  expected: "file" | "folder" = "file",
): Promise<Obstacle | undefined> {
  const way = await findWay(files, folder, path);
  if (way.kind === "blocked") return way.obstacle;
  const isOther = way.kind === "clear" && way.stat.kind !== expected;
  return isOther ? { path: join(folder, path), kind: way.stat.kind } : undefined;
}

/** The contents of this file; `undefined` where there is none, or something is in the way. */
export async function readWithin(
  files: Files,
  folder: string,
  path: string,
): Promise<Uint8Array | undefined> {
  const way = await findWay(files, folder, path);
  return way.kind === "clear" && way.stat.kind === "file" ? files.read(join(folder, path)) : undefined;
}

/** The same as text. */
export async function readTextWithin(
  files: Files,
  folder: string,
  path: string,
): Promise<string | undefined> {
  const bytes = await readWithin(files, folder, path);
  return bytes && decodeText(bytes);
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
