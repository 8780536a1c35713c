/** Archived memories that are old enough to be removed; expired files are found by `src/expired-files.ts`. */
import { join } from "node:path";
import { DAY_MS } from "../../days.js";
import type { ExpiredFile } from "../../expired-files.js";
import { idOf, type ReadShelf } from "../memory-files.js";

export interface Garbage extends ExpiredFile {
  /** Of a memory in the archive: that one is removed through the ledger. */
  id?: string;
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
