import { findByName } from "../../src/base/patterns.js";

/** What the plan needs to know about one tool result. */
export interface ResultFacts {
  tool: string;
  /** Size of the whole result in bytes, including what the host cut off. */
  bytes: number;
  /** Characters in the context. */
  characters: number;
  /** The host has cut the result, and its file with the whole text is available. */
  isCut: boolean;
  /** Already decided or not movable; the result only counts towards the budget. */
  mustStay: boolean;
}

export interface SpillPolicy {
  threshold: number;
  perTool: Readonly<Record<string, number | false>>;
  turnBudget: number;
}

/**
 * Indexes of the results that leave the context: those over their tool's threshold and those cut by the host, then the
 * largest of the rest until what stays is within the budget. `smallCharacters` is the size of the answer's results
 * that are not in the list.
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
  // The sort is stable: of two equally large results the earlier one goes, in every run.
  for (const { index, characters } of open.sort((a, b) => b.characters - a.characters)) {
    if (staying <= policy.turnBudget) break;
    spilled.add(index);
    staying -= characters;
  }
  return spilled;
}

/** Maximum bytes of a tool's result in the context; infinite if it always stays. The most exact name wins. */
export function findThreshold(tool: string, { threshold, perTool }: SpillPolicy): number {
  const own = findByName(perTool, tool);
  return own === false ? Number.POSITIVE_INFINITY : (own ?? threshold);
}
