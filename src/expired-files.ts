/** Finds and removes expired files of Strata. The age of a file is worked out here and nowhere else. */
import { dirname, join } from "node:path";
import { DAY_MS, parseDayFile } from "./days.js";
import { type ExpiryWorld, type FileKind, matches } from "./file-kinds.js";
import type { FileStat } from "./seams/files.js";

export interface ExpiredFile {
  path: string;
  /** Its kind, as shown to people. */
  what: string;
  bytes: number;
  modifiedMs: number;
}

/**
 * Lists every expired file of these kinds that is older than `days`; removes none. Rejects with the system's error if
 * a folder cannot be read.
 */
export async function findExpired(
  world: ExpiryWorld,
  kinds: readonly FileKind[],
  days = 0,
): Promise<ExpiredFile[]> {
  const found = new Map<string, ExpiredFile>();
  for (const kind of kinds) {
    if (!kind.expiry) continue;
    const { days: leastDays, openNeeds, what } = kind.expiry;
    const isNeeded = openNeeds?.(world);
    const folder = dirname(kind.path);
    for (const name of await world.files.list(join(world.folders.project, folder))) {
      const path = join(world.folders.project, folder, name);
      if (found.has(path) || !matches(kind, `${folder}/${name}`)) continue;
      const stat = await world.files.statItself(path);
      if (stat?.kind !== "file") continue;
      const ageMs = world.clock.now() - findLastUse(kind, name, stat);
      if (!(ageMs > Math.max(days, leastDays) * DAY_MS) || (await isNeeded?.(path))) continue;
      found.set(path, { path, what, bytes: stat.bytes, modifiedMs: stat.modifiedMs });
    }
  }
  return [...found.values()];
}

/** Removes the files that expire at start-up. A kind that cannot be read does not stop the others. */
export async function removeExpired(
  world: ExpiryWorld,
  kinds: readonly FileKind[],
  complain: (thrown: unknown) => void,
): Promise<void> {
  for (const kind of kinds) {
    if (!kind.expiry?.atStart) continue;
    try {
      for (const { path } of await findExpired(world, [kind])) await world.files.remove(path);
    } catch (thrown) {
      complain(thrown);
    }
  }
}

/** The end of the day that the file is named after, if any: copying the folder may have changed the file's own time. */
function findLastUse({ path }: FileKind, name: string, { modifiedMs }: FileStat): number {
  const day = path.includes("<day>") ? parseDayFile(name) : undefined;
  return day === undefined ? modifiedMs : day + DAY_MS;
}
