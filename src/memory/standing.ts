import type { IndexPlace } from "./index-writer.js";
import type { ShelfPlace } from "./places.js";
import type { Shelf } from "./shelf.js";

/** A shelf with what belongs to it. */
export interface Standing {
  place: ShelfPlace;
  shelf: Shelf;
  index: IndexPlace;
}

/** Is it the shelf of this place? */
export function isOn({ place }: Standing, one: Pick<ShelfPlace, "scope" | "sensitivity">): boolean {
  return place.scope === one.scope && place.sensitivity === one.sensitivity;
}
