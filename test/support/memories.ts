import { DAY_MS } from "../../src/base/days.js";
import type { Memory } from "../../src/memory/memory.js";
import { MORNING } from "./fake-clock.js";
import { memoryOf } from "./memory.js";

export interface MemoryGiven extends Partial<Omit<Memory, "provenance">> {
  by?: Memory["provenance"]["by"];
  session?: string;
  daysAgo?: number;
}

/** A user's memory with this name and text. */
export function memory(
  name: string,
  content: string,
  { by = "user", daysAgo = 0, session = "ses_before", ...given }: MemoryGiven = {},
): Memory {
  const type = given.type ?? "knowledge";
  const at = new Date(MORNING - daysAgo * DAY_MS).toISOString();
  return memoryOf({
    id: `${type}/${name}`,
    title: content.slice(0, 60),
    content,
    created: at,
    updated: at,
    provenance: { by, session },
    ...given,
  });
}

/** The same without a session, and with any field. */
export function remembered(name: string, content: string, given: Partial<Memory> = {}): Memory {
  return {
    ...memory(name, content, { type: given.type ?? "knowledge" }),
    provenance: { by: "user" },
    ...given,
  };
}
