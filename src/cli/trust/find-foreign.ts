import { formatPrefix } from "../../memory/id.js";
import { createBorder } from "../../memory/store/border.js";
import type { AcceptedPlaces } from "../../trust/accepted.js";
import type { Surroundings } from "../command.js";
import { readShelves } from "../memory-files.js";
import { openTrust } from "./open-trust.js";

/** Ids of the memories that are not the user's; nothing is written, not even that they were looked at. */
export async function findForeign(
  surroundings: Surroundings,
  project: string,
  accepted: AcceptedPlaces,
): Promise<string[]> {
  const trust = await openTrust(surroundings, project, accepted);
  const ids: string[] = [];
  for (const { looked, place } of await readShelves(surroundings, project)) {
    const { files } = surroundings;
    const border = createBorder({ files, folder: place.folder, prefix: formatPrefix(place), trust });
    const entries = { all: () => looked };
    await border.prepareLook();
    await border.settle(entries);
    ids.push(...border.foreign(entries).keys());
  }
  return ids.sort();
}
