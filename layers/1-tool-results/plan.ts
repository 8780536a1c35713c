import { findByName } from "../../src/patterns.js";

/** What the plan needs to know of one tool result. */
export interface ResultFacts {
  tool: string;
  /** Size in bytes of the whole result, also of what the host has cut off. */
  bytes: number;
  /** Characters that stand in the context. */
  characters: number;
  /** The host has cut it, and the whole of it is at hand. */
  isCut: boolean;
  /** Decided in an earlier request, or not to be moved; it counts for the budget, and that is all. */
  mustStay: boolean;
}

export interface SpillPolicy {
  threshold: number;
  perTool: Readonly<Record<string, number | false>>;
  turnBudget: number;
}

/**
 * Which results of one answer's calls leave the context, by index: those over their tool's threshold and those that
 * the host has cut, then, while what stays is over the budget, the largest of the rest. `smallCharacters` is what
 * stays of the answer beside these results.
 */
export function planSpill(
  results: readonly ResultFacts[],
  policy: SpillPolicy,
  smallCharacters = 0,
): ReadonlySet<number> {
  const spilled = new Set<number>();
  const open: { index: number; characters: number }[] = [];
  let staying = smallCharacters;
  for (const [index, result] of results.entries()) {
    const threshold = findThreshold(result.tool, policy);
    const canGo = !result.mustStay && threshold !== Number.POSITIVE_INFINITY;
    if (canGo && (result.isCut || result.bytes > threshold)) {
      spilled.add(index);
      continue;
    }
    staying += result.characters;
    if (canGo) open.push({ index, characters: result.characters });
  }
  // The sort is stable: of two of a size the earlier goes, in every run.
  for (const { index, characters } of open.sort((a, b) => b.characters - a.characters)) {
    if (staying <= policy.turnBudget) break;
    spilled.add(index);
    staying -= characters;
  }
  return spilled;
}

/** Bytes over which a tool's result goes; infinite where it never does. The most exact name wins. */
export function findThreshold(tool: string, { threshold, perTool }: SpillPolicy): number {
  const own = findByName(perTool, tool);
  return own === false ? Number.POSITIVE_INFINITY : (own ?? threshold);
}
