/**
 * Memories on their way: JSON Lines, one memory a line, with the whole of its file.
 *
 *     {"v":1,"id":"decision/port-8080","contents":"---\ntitle: …\n---\n…\n"}
 *     {"v":1,"id":"idea/x","archived":true,"contents":"…"}
 */
import { parseID } from "../../memory/id.js";
import type { MemoryCopy } from "../../memory/store.js";
import { object, oneOf, string } from "../../shape.js";

export function formatCopy({ contents, id, isArchived }: MemoryCopy): string {
  return JSON.stringify({ v: 1, id, ...(isArchived && { archived: true }), contents });
}

const isCopy = object<{ v: 1; id: string; contents: string; archived?: unknown }>({
  v: oneOf([1]),
  id: string,
  contents: string,
});

/** `undefined` for what is none: another program's line, or half of one. */
export function parseCopy(value: unknown): MemoryCopy | undefined {
  if (!isCopy(value) || !parseID(value.id)) return undefined;
  const { archived, contents, id } = value;
  return { id, isArchived: archived === true, contents };
}
