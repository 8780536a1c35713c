/** Finds memories that say the same or contradict each other, with the gate's comparison. Pure. */
import { join } from "node:path";
import { areBothKept, findDuplicates, isContradiction } from "../../../layers/6-dream/duplicates.js";
import { relate } from "../../gate/gate.js";
import { isFinding } from "../../memory/finding.js";
import type { Memory } from "../../memory/memory.js";
import { type Compare, createComparison } from "../../statement/compare.js";
import { idOf, type ReadShelf } from "../memory-files.js";
import { findNearPairs, type Pair } from "../upkeep/near-pairs.js";
import { type Issue, note, warning } from "./issue.js";

export function findLikenessIssues(shelves: readonly ReadShelf[]): Issue[] {
  const files = new Map<string, string>();
  const memories: Memory[] = [];
  for (const { looked, place } of shelves)
    for (const { path, reading } of looked) {
      // Findings quote pages, which may say the same or contradict each other.
      if (reading.kind !== "memory" || reading.memory.status !== "active" || isFinding(reading.memory))
        continue;
      files.set(idOf(place, path), join(place.folder, path));
      memories.push(reading.memory);
    }
  const fileOf = ({ id }: Memory): string => files.get(id) ?? id;
  const same = new Set<string>();
  const near = findNearPairs(memories);
  const duplicates = findDuplicates(memories).flatMap(({ others, survivor }) =>
    others.map((other) => {
      same.add(other.id);
      return note({
        file: fileOf(other),
        what: `it says the same as ${survivor.id}`,
        todo: "strata merge --execute merges them, as does a dream where it may",
      });
    }),
  );
  return [...duplicates, ...findContradictions([...near, ...pairByTitle(memories)], { fileOf, same })];
}

function findContradictions(
  pairs: readonly Pair[],
  { fileOf, same }: { fileOf(memory: Memory): string; same: ReadonlySet<string> },
): Issue[] {
  const compare = createComparison();
  const found = new Map<string, Issue>();
  for (const [one, other] of pairs) {
    if (same.has(one.id) || same.has(other.id) || !doContradict(one, other, compare)) continue;
    const [older, newer] = one.updated < other.updated ? [one, other] : [other, one];
    found.set([one.id, other.id].sort().join(" "), contradicts(fileOf(newer), older));
  }
  return [...found.values()];
}

const contradicts = (file: string, { id }: Memory): Issue =>
  warning({
    file,
    what: `it contradicts ${id}`,
    todo: `archive the one that no longer holds, or link the two to each other if both hold`,
  });

function doContradict(one: Memory, other: Memory, compare: Compare): boolean {
  if (one.scope !== other.scope || one.sensitivity !== other.sensitivity || areBothKept(one, other))
    return false;
  const [earlier, later] = one.updated < other.updated ? [one, other] : [other, one];
  return relate(later, earlier, compare) === "contradicts" || isContradiction(one, other);
}

/** Neighbouring memories of one type and title, which need not share words. */
function pairByTitle(memories: readonly Memory[]): Pair[] {
  const last = new Map<string, Memory>();
  return memories.flatMap((memory) => {
    const key = `${memory.scope} ${memory.type} ${memory.title.toLowerCase()}`;
    const before = last.get(key);
    last.set(key, memory);
    return before ? [[before, memory] as const] : [];
  });
}
