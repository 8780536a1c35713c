import { formatPrefix } from "../../memory/memory.js";
import { createBorder } from "../../memory/store/border.js";
import { readShelves } from "../../operations/memory-files.js";
import { openTrust } from "../../operations/open-memories.js";
import type { Project } from "../../operations/project.js";

/** Ids of the memories that are not the user's. Writes nothing, not even that they were seen. */
export async function findForeign(project: Project): Promise<string[]> {
  const { files } = project.cli;
  const trust = await openTrust(project);
  const ids: string[] = [];
  for (const { looked, place } of await readShelves(project)) {
    const border = createBorder({ files, folder: place.folder, prefix: formatPrefix(place), trust });
    const entries = { all: () => looked };
    await border.prepareLook();
    await border.settle(entries);
    ids.push(...border.foreign(entries).keys());
  }
  return ids.sort();
}
