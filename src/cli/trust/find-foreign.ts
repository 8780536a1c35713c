import { formatPrefix } from "../../memory/memory.js";
import { createOwnership } from "../../memory/store/ownership.js";
import { type ReadCollection, readCollections } from "../../operations/memory-files.js";
import { openTrust } from "../../operations/open-memories.js";
import type { Project } from "../../operations/project.js";

/** When memories were edited does not matter here. */
const NO_LEDGER = { known: () => undefined, sizes: () => new Map<string, number>() };

/** Ids of the memories that are not the user's. Writes nothing, not even that they were seen. */
export async function findForeign(project: Project, read?: readonly ReadCollection[]): Promise<string[]> {
  const { files } = project.cli;
  const trust = await openTrust(project);
  const ids: string[] = [];
  for (const { looked, place } of read ?? (await readCollections(project))) {
    const prefix = formatPrefix(place);
    const ownership = createOwnership({ files, folder: place.folder, prefix, trust, ledger: NO_LEDGER });
    const entries = { all: () => looked };
    await ownership.prepareLook();
    await ownership.classify(entries);
    ids.push(...ownership.foreign(entries).keys());
  }
  return ids.sort();
}
