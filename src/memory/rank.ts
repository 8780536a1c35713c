/**
 * What a memory weighs now: base + 0.02 for each use − 0.01 for each week without one. Decisions, lessons and rules do
 * not fade.
 */
import { DAY_MS } from "../seams/clock.js";
import { lastingTypes, type Memory } from "./memory.js";

/** How often a memory was shown or asked for, and when last. */
export interface Use {
  count: number;
  lastMs: number;
}

const USE_GAIN = 0.02;
const WEEKLY_LOSS = 0.01;

export function effectiveImportance(memory: Memory, use: Use | undefined, nowMs: number): number {
  const gained = memory.importance + USE_GAIN * (use?.count ?? 0);
  if (lastingTypes.has(memory.type)) return gained;
  const lastMs = Math.max(use?.lastMs ?? 0, Date.parse(memory.updated) || 0);
  return gained - WEEKLY_LOSS * Math.max(0, Math.floor((nowMs - lastMs) / (7 * DAY_MS)));
}

/** What stands together in an index, the first part first. */
export interface RankedPart {
  heading: "Pinned" | "Directives" | "Open blockers" | "More";
  memories: readonly Memory[];
}

/** Pinned ones, directives, open blockers, the rest; the most important first, then by id. Each once. */
export function rankMemories(
  memories: readonly Memory[],
  useOf: (id: string) => Use | undefined,
  nowMs: number,
): RankedPart[] {
  const weight = new Map(
    memories.map((memory) => [memory, effectiveImportance(memory, useOf(memory.id), nowMs)] as const),
  );
  const ordered = [...memories].sort(
    (a, b) => (weight.get(b) ?? 0) - (weight.get(a) ?? 0) || (a.id < b.id ? -1 : 1),
  );
  const of = (heading: RankedPart["heading"]): RankedPart => ({
    heading,
    memories: ordered.filter((memory) => headingOf(memory) === heading),
  });
  return [of("Pinned"), of("Directives"), of("Open blockers"), of("More")];
}

function headingOf({ pinned, type, status }: Memory): RankedPart["heading"] {
  if (pinned) return "Pinned";
  if (type === "directive") return "Directives";
  return type === "blocker" && status === "active" ? "Open blockers" : "More";
}
