import { join } from "node:path";
import { decodeText, type FileStat, type Files } from "../../io/files.js";

/** A path on the way to a file, or the file's own, of the wrong kind: above all a link. */
export interface Obstacle {
  path: string;
  kind: FileStat["kind"];
}

export type Way =
  /** `stat` is of whatever exists at the path. */
  { kind: "clear"; stat: FileStat } | { kind: "missing" } | { kind: "blocked"; obstacle: Obstacle };

/** Checks each folder below `folder` on the way, and the path itself; follows no link. */
export function findWay(files: Looking, folder: string, path: string): Promise<Way> {
  return createWayFinder(files, folder)(path);
}

type Looking = Pick<Files, "statItself">;

/** As `findWay`, for many paths within milliseconds: checks each folder on their ways once. */
export function createWayFinder(files: Looking, folder: string): (path: string) => Promise<Way> {
  const folders = new Map<string, Promise<FileStat | undefined>>();
  return async (path) => {
    const parts = path.split("/");
    for (let depth = 1; ; depth++) {
      const part = join(folder, ...parts.slice(0, depth));
      const isLast = depth === parts.length;
      const stat = await (isLast ? files.statItself(part) : statFolder(part));
      if (!stat) return { kind: "missing" };
      if (isLast) return { kind: "clear", stat };
      if (stat.kind !== "folder") return { kind: "blocked", obstacle: { path: part, kind: stat.kind } };
    }
  };

  function statFolder(part: string): Promise<FileStat | undefined> {
    const known = folders.get(part) ?? files.statItself(part);
    folders.set(part, known);
    return known;
  }
}

/** The first obstacle below `folder` on the way to this file or folder; callers do not read or write behind it. */
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

/** The contents of this file; `undefined` if it is missing or an obstacle is in the way. */
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

/** Names in this folder; empty if it is a link. */
export async function listItself(files: Files, folder: string): Promise<string[]> {
  return (await files.statItself(folder))?.kind === "folder" ? files.list(folder) : [];
}

/** For people. */
export function formatObstacle({ kind, path }: Obstacle): string {
  if (kind === "link")
    return `${path} is a link, and links are not followed; put the file or folder itself there`;
  return `${path} is ${kind === "file" ? "a file, expected a folder" : "not a regular file"}; rename or remove it`;
}
