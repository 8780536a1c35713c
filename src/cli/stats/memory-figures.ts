/** Memories by type and age. Pure. */

import { DAY_MS } from "../../days.js";
import { type Memory, type MemoryType, memoryTypes } from "../../memory/memory.js";

/** Upper bounds of the age groups, youngest first. */
export const ages = [
  { label: "under a week", days: 7 },
  { label: "under a month", days: 30 },
  { label: "under 3 months", days: 91 },
  { label: "under a year", days: 365 },
  { label: "older", days: Number.POSITIVE_INFINITY },
] as const;

export interface TypeFigures {
  type: MemoryType;
  /** One number for each age group. */
  counts: readonly number[];
  total: number;
}

/** Largest type first, without empty types. */
export function sumMemories(
  memories: readonly Pick<Memory, "type" | "created">[],
  nowMs: number,
): TypeFigures[] {
  const byType = memoryTypes.map((type) => {
    const counts = ages.map(() => 0);
    for (const memory of memories) {
      if (memory.type !== type) continue;
      const age = findAge(memory.created, nowMs);
      counts[age] = (counts[age] ?? 0) + 1;
    }
    return { type, counts, total: counts.reduce((sum, count) => sum + count, 0) };
  });
  return byType.filter(({ total }) => total > 0).sort((a, b) => b.total - a.total);
}

/** A date in the future counts as young, an unreadable one as old. */
function findAge(created: string, nowMs: number): number {
  const days = (nowMs - Date.parse(created)) / DAY_MS;
  const index = ages.findIndex((age) => days < age.days);
  return index === -1 ? ages.length - 1 : index;
}
