/**
 * The export format: JSON Lines, each with one memory and its whole file.
 *
 *     {"v":1,"id":"decision/port-8080","contents":"---\ntitle: …\n---\n…\n"}
 *     {"v":1,"id":"idea/x","archived":true,"contents":"…"}
 */

import { isRecord } from "../../base/records.js";
import { parseID } from "../../memory/id.js";
import type { MemoryCopy } from "../../memory/store.js";

export function formatCopy({ contents, id, isArchived }: MemoryCopy): string {
  return JSON.stringify({ v: 1, id, ...(isArchived && { archived: true }), contents });
}

/** `undefined` if it is not such a line. */
export function parseCopy(value: unknown): MemoryCopy | undefined {
  if (!isRecord(value) || value.v !== 1) return undefined;
  const { archived, contents, id } = value;
  if (typeof id !== "string" || typeof contents !== "string" || !parseID(id)) return undefined;
  return { id, isArchived: archived === true, contents };
}
