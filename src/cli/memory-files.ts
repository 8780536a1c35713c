/** The files of memories as they lie there: looked at without opening the store, so that nothing is written. */
import { planFolders } from "../folders.js";
import { findGlobalFolder } from "../host/config-files.js";
import { formatID } from "../memory/id.js";
import { splitPath } from "../memory/path.js";
import { createEntries, type Looked } from "../memory/store/entries.js";
import { planPlaces, type ShelfPlace } from "../memory/store/places.js";
import type { Surroundings } from "./command.js";
import { createProgress } from "./progress.js";

/** One of the four folders with all that may be a memory in it. */
export interface ReadShelf {
  place: ShelfPlace;
  looked: readonly Looked[];
}

/** The four folders of a project and of its user, whether they are there or not. */
export function listPlaces(
  { env, files, home }: Pick<Surroundings, "env" | "files" | "home">,
  project: string,
): ShelfPlace[] {
  return planPlaces({ files, folders: planFolders(project), globalFolder: findGlobalFolder({ home, env }) });
}

const AT_A_TIME = 64;

/** Reads every one of them; changes nothing. */
export async function readShelves(surroundings: Surroundings, project: string): Promise<ReadShelf[]> {
  const progress = createProgress(surroundings, "Reading memories");
  const shelves = listPlaces(surroundings, project).map((place) => ({
    place,
    entries: createEntries({ ...surroundings, ...place }),
  }));
  try {
    const listed = await Promise.all(shelves.map(({ entries }) => entries.paths()));
    const all = listed.flat().length;
    let done = 0;
    const read: ReadShelf[] = [];
    for (const [n, { entries, place }] of shelves.entries()) {
      const looked: Looked[] = [];
      const paths = listed[n] ?? [];
      for (let from = 0; from < paths.length; from += AT_A_TIME) {
        const some = await Promise.all(paths.slice(from, from + AT_A_TIME).map((path) => entries.look(path)));
        looked.push(...some.filter((one) => one !== undefined));
        done += some.length;
        progress.step(done, all);
      }
      read.push({ place, looked });
    }
    return read;
  } finally {
    progress.end();
  }
}

/** Id of the memory whose file this is; the path itself where none can lie. */
export function idOf(place: ShelfPlace, path: string): string {
  const parts = splitPath(path);
  return parts ? formatID({ ...place, ...parts }) : path;
}
