import type { Place } from "../id.js";
import { formatPath } from "../path.js";
import type { IndexPlace } from "./index-writer.js";
import type { KeepOut } from "./keep-out.js";
import type { ShelfPlace } from "./places.js";
import type { Shelf } from "./shelf.js";

/** A shelf with its place and index. */
export interface Standing {
  place: ShelfPlace;
  shelf: Shelf;
  index: IndexPlace;
  /** Only where some types stay out of git. */
  keepOut?: KeepOut;
}

/** True if it is the shelf of this place. */
export function isOn({ place }: Standing, one: Pick<ShelfPlace, "scope" | "sensitivity">): boolean {
  return place.scope === one.scope && place.sensitivity === one.sensitivity;
}

/** The shelf of this place. */
export function findStanding(
  standings: readonly Standing[],
  place: Pick<ShelfPlace, "scope" | "sensitivity">,
): Standing {
  const standing = standings.find((one) => isOn(one, place));
  if (!standing) throw new TypeError(`no folder for ${place.scope} ${place.sensitivity}`);
  return standing;
}

/** Ids of the memories that git ignores although they are not in `private/`. */
export function listKeptOut(standings: readonly Standing[]): ReadonlySet<string> {
  const memories = standings.flatMap(({ keepOut, shelf }) => (keepOut ? shelf.memories() : []));
  return new Set(memories.filter(({ isKeptOut }) => isKeptOut).map(({ id }) => id));
}

/** The two possible paths of a memory's file, relative to its shelf: in use, and archived. */
export function pathsOf(place: Pick<Place, "type" | "name">): [string, string] {
  return [formatPath({ ...place, isArchived: false }), formatPath({ ...place, isArchived: true })];
}
