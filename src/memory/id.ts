/**
 * Ids of memories: `[global/][private/]<type>/<name>`, the shelf's prefix and the file's path without its extension.
 */
import { type Memory, type MemoryType, memoryTypes } from "./memory.js";

/** The parts of a memory's id. */
export type Place = Pick<Memory, "scope" | "sensitivity" | "type"> & {
  /** File name without `.md`. */
  name: string;
};

/** The prefix of these memories' ids. */
export function formatPrefix({ scope, sensitivity }: Pick<Place, "scope" | "sensitivity">): string {
  return `${scope === "global" ? "global/" : ""}${sensitivity === "private" ? "private/" : ""}`;
}

export function formatID(place: Place): string {
  return `${formatPrefix(place)}${place.type}/${place.name}`;
}

/** `undefined` if no memory can have this id: a path that leads elsewhere, an unknown type. */
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

/**
 * Names of other memory tools for our types. A lesson is what was learned by doing, so it becomes a procedure: feedback
 * holds only the user's own sentence.
 */
const ALIASES: Readonly<Record<string, MemoryType>> = {
  fact: "knowledge",
  reflection: "knowledge",
  lesson: "procedure",
};

/** The type that a word names, by its own name or by that of another tool; `undefined` if none. */
export function readTypeName(word: string | undefined): MemoryType | undefined {
  if (isType(word)) return word;
  return word !== undefined && Object.hasOwn(ALIASES, word) ? ALIASES[word] : undefined;
}

/** A file name that stays in its folder on every disk. */
export function isName(name: string): boolean {
  // A UTF-16 unit takes at most three bytes in UTF-8.
  const isShort = name.length <= 80 || new TextEncoder().encode(name).byteLength <= 240;
  return name !== "" && isShort && !name.startsWith(".") && !/[/\\\p{Cc}]/u.test(name);
}
