/** Files that nobody needs any more. Looks only; what is in use, or may be, is never among them. */
import { dirname, join } from "node:path";
import { DAY_MS } from "../../days.js";
import { type FileKind, folderOf, matches } from "../../file-kinds.js";
import type { Folders } from "../../folders.js";
import type { RunningProcesses } from "../../seams/processes.js";
import type { Surroundings } from "../command.js";
import { idOf, type ReadShelf } from "../memory-files.js";

export interface Garbage {
  path: string;
  what: string;
  bytes: number;
  modifiedMs: number;
  /** Of a memory in the archive: that one goes by way of the ledger. */
  id?: string;
}

export interface GarbageOptions {
  folders: Folders;
  processes: RunningProcesses;
  /** Older than this; some kinds are kept longer. */
  days: number;
  /** Every kind of file there is. */
  kinds: readonly FileKind[];
}

/** Files past the age that was asked for, of kinds that expire. */
export async function findGarbage(
  { clock, files }: Pick<Surroundings, "clock" | "files">,
  { days, folders, kinds, processes }: GarbageOptions,
): Promise<Garbage[]> {
  const found: Garbage[] = [];
  const seen = new Set<string>();
  for (const kind of kinds) {
    if (!kind.expiry) continue;
    const { days: leastDays, openNeeds, what } = kind.expiry;
    const isNeeded = openNeeds?.({ clock, files, folders, processes });
    const folder = folderOf(kind, folders.project);
    for (const name of await files.list(folder)) {
      const path = join(folder, name);
      if (seen.has(path) || !matches(kind, `${dirname(kind.path)}/${name}`)) continue;
      const stat = await files.statItself(path);
      const ageMs = clock.now() - (stat?.modifiedMs ?? Number.NaN);
      if (stat?.kind !== "file" || !(ageMs > Math.max(days, leastDays) * DAY_MS)) continue;
      if (await isNeeded?.(path)) continue;
      seen.add(path);
      found.push({ path, what, bytes: stat.bytes, modifiedMs: stat.modifiedMs });
    }
  }
  return found;
}

/** Memories that have lain in the archive for so long; those of a person's own pinning stay. Pure. */
export function findArchived(
  shelves: readonly ReadShelf[],
  { archivedAt, days, nowMs }: { archivedAt: ReadonlyMap<string, string>; days: number; nowMs: number },
): Garbage[] {
  return shelves.flatMap(({ looked, place }) =>
    looked.flatMap(({ bytes, path, reading }) => {
      if (reading.kind !== "memory" || reading.memory.status !== "archived" || reading.memory.pinned)
        return [];
      const id = idOf(place, path);
      const at = Date.parse(archivedAt.get(id) ?? "");
      // Without a line of the ledger nobody knows when it was put aside: then it is not old.
      if (!(nowMs - at > days * DAY_MS)) return [];
      const what = "a memory in the archive; the ledger keeps its words";
      return [{ path: join(place.folder, path), what, bytes, modifiedMs: at, id }];
    }),
  );
}
