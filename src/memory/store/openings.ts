/** Reads for the plan of a change to many files: several files at a time, and each folder once for links. */
import { dirname } from "node:path";
import type { Desk } from "./desk.js";
import type { Looked } from "./entries.js";

export interface Openings {
  /** The opened file at one of the given paths; `undefined` if none exists. */
  get(path: string): Looked | undefined;
  /** The link on the way to the folder of this path, if any. */
  findFolderLink(path: string): Promise<string | undefined>;
}

/** Number of memories opened at a time; limits the text held in memory. */
export const OPENED_AT_A_TIME = 250;

export async function openMany(
  desk: Pick<Desk, "findLink" | "openAll">,
  paths: readonly string[],
): Promise<Openings> {
  const all = [...new Set(paths)];
  const looked = await desk.openAll(all);
  const opened = new Map(all.map((path, n) => [path, looked[n]]));
  const links = new Map<string, Promise<string | undefined>>();
  return {
    get: (path) => opened.get(path),
    findFolderLink(path) {
      const folder = dirname(path);
      const found = links.get(folder) ?? desk.findLink(folder);
      links.set(folder, found);
      return found;
    },
  };
}
