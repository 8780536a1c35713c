/**
 * A memory's effective importance: base + 0.02 per use − 0.01 per week without one. Decisions, procedures, feedback
 * and directives do not fade.
 */
import { DAY_MS } from "../base/days.js";
import { lastingTypes, type Memory } from "./memory.js";

/** How often and when a memory was last shown or asked for. */
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

/** One section of an index; sections come in order. */
export interface RankedPart {
  heading: (typeof HEADINGS)[number];
  memories: readonly Memory[];
}

/**
 * Pinned memories, directives, open blockers, the rest, the team's, then other foreign ones; each section by importance, then id. Each
 * memory appears once.
 */
export function rankMemories(
  memories: readonly Memory[],
  useOf: (id: string) => Use | undefined,
  nowMs: number,
): RankedPart[] {
  const weighed = memories.map((memory) => ({
    memory,
    weight: effectiveImportance(memory, useOf(memory.id), nowMs),
  }));
  weighed.sort((a, b) => b.weight - a.weight || (a.memory.id < b.memory.id ? -1 : 1));
  const parts = HEADINGS.map((heading) => ({ heading, memories: [] as Memory[] }));
  for (const { memory } of weighed) parts[HEADINGS.indexOf(headingOf(memory))]?.memories.push(memory);
  return parts;
}

const HEADINGS = [
  "Pinned",
  "Directives",
  "Open blockers",
  "More",
  "From your team, by git",
  "From files in this repository; not said by you here",
] as const;

function headingOf({ author, isForeign, pinned, type, status }: Memory): RankedPart["heading"] {
  if (author !== undefined) return "From your team, by git";
  if (isForeign) return "From files in this repository; not said by you here";
  if (pinned) return "Pinned";
  if (type === "directive") return "Directives";
  return type === "blocker" && status === "active" ? "Open blockers" : "More";
}
