/** Ids of memories: `[global/][private/]<type>/<name>`, the path of the file from what the ids of a shelf begin with. */
import { type Memory, type MemoryType, memoryTypes } from "./memory.js";

/** Where a memory belongs. */
export type Place = Pick<Memory, "scope" | "sensitivity" | "type"> & {
  /** Of its file, without `.md`. */
  name: string;
};

/** What the ids of these memories begin with. */
export function formatPrefix({ scope, sensitivity }: Pick<Place, "scope" | "sensitivity">): string {
  return `${scope === "global" ? "global/" : ""}${sensitivity === "private" ? "private/" : ""}`;
}

export function formatID(place: Place): string {
  return `${formatPrefix(place)}${place.type}/${place.name}`;
}

/** `undefined` for what no memory can have as its id: a path that leads elsewhere, an unknown type. */
export function parseID(id: string): Place | undefined {
  const [, global, hidden, type, name = ""] = /^(global\/)?(private\/)?([a-z]+)\/([^/]+)$/s.exec(id) ?? [];
  if (!isType(type) || !isName(name)) return undefined;
  return {
    scope: global ? "global" : "project",
    sensitivity: hidden ? "private" : "internal",
    type,
    name,
  };
}

export function isType(type: string | undefined): type is MemoryType {
  return (memoryTypes as readonly (string | undefined)[]).includes(type);
}

/** A file name that stays in its folder on every disk. */
export function isName(name: string): boolean {
  // A unit of UTF-16 has at most three bytes.
  const isShort = name.length <= 80 || new TextEncoder().encode(name).byteLength <= 240;
  return name !== "" && isShort && !name.startsWith(".") && !/[/\\\p{Cc}]/u.test(name);
}
