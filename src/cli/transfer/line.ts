/**
 * Memories on their way: JSON Lines, one memory a line, with the whole of its file.
 *
 *     {"v":1,"id":"decision/port-8080","contents":"---\ntitle: …\n---\n…\n"}
 *     {"v":1,"id":"idea/x","archived":true,"contents":"…"}
 */
import { parseID } from "../../memory/id.js";
import type { MemoryCopy } from "../../memory/store.js";
import { isRecord } from "../../records.js";

export function formatCopy({ contents, id, isArchived }: MemoryCopy): string {
  return JSON.stringify({ v: 1, id, ...(isArchived && { archived: true }), contents });
}

/** `undefined` for what is none: another program's line, or half of one. */
export function parseCopy(value: unknown): MemoryCopy | undefined {
  if (!isRecord(value) || value.v !== 1) return undefined;
  const { archived, contents, id } = value;
  if (typeof id !== "string" || typeof contents !== "string" || !parseID(id)) return undefined;
  return { id, isArchived: archived === true, contents };
}
