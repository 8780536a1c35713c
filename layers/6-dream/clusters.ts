/** Which memories a model is shown together. */
import { createHash } from "node:crypto";
import { type Memory, usersTypes } from "../../src/memory/memory.js";
import { overlapOf, readWords } from "../../src/statement/words.js";
import { isProtected } from "./change.js";
import { isContradiction, type SimilarTo } from "./duplicates.js";

/** Memories on one subject that no rule can merge. */
export type Cluster = readonly Memory[];

/** Least share of common words; below it, two memories are about different things. */
const LIKE = 0.35;
const MOST_MEMBERS = 8;
const MOST_CLUSTERS = 8;

/**
 * Clusters of similar memories of one kind; each memory is in at most one. Leaves out clusters that a model has already
 * seen in their present wording, private memories and protected ones. Pure.
 */
export function planClusters(
  memories: readonly Memory[],
  similarTo: SimilarTo,
  seen: readonly string[],
): readonly Cluster[] {
  const isSeen = readSeen(seen);
  const open = new Map(memories.filter(mayBeShown).map((memory) => [memory.id, memory]));
  const clusters: Cluster[] = [];
  for (const memory of memories) {
    if (clusters.length === MOST_CLUSTERS) break;
    if (!open.has(memory.id)) continue;
    const others = similarTo(memory)
      .map((id) => open.get(id))
      .filter((other) => other !== undefined && isAlike(memory, other))
      .slice(0, MOST_MEMBERS - 1) as Memory[];
    const cluster = [memory, ...others];
    if (others.length === 0 || isSeen(cluster)) continue;
    for (const { id } of cluster) open.delete(id);
    clusters.push(cluster);
  }
  return clusters;
}

/** Names a cluster by its members' wording, one hash for each member. */
export function nameCluster(cluster: Cluster): string {
  return cluster.map(nameWords).sort().join(" ");
}

/** Names a memory by its present wording. */
export function nameWords({ content, id, title }: Memory): string {
  return createHash("sha256")
    .update(JSON.stringify([id, title, content]))
    .digest("hex")
    .slice(0, 12);
}

/** Names a cluster for which the model gave no usable answer. */
export const nameTry = (cluster: Cluster): string => `${TRIED} ${nameCluster(cluster)}`;
const TRIED = "?";
/** How often such a cluster is shown. */
const MOST_TRIES = 3;

/**
 * Has a model seen every pair of members in their present wording? The pairs may come from different clusters, so that one
 * added memory does not have the whole cluster judged again.
 */
function readSeen(seen: readonly string[]): (cluster: Cluster) => boolean {
  const pairs = new Map<string, number>();
  for (const name of seen) {
    const isTry = name.startsWith(`${TRIED} `);
    const words = name.split(" ").slice(isTry ? 1 : 0);
    for (const pair of pairsOf(words)) pairs.set(pair, (pairs.get(pair) ?? 0) + (isTry ? 1 : MOST_TRIES));
  }
  return (cluster) => pairsOf(cluster.map(nameWords)).every((pair) => (pairs.get(pair) ?? 0) >= MOST_TRIES);
}

function pairsOf(words: readonly string[]): string[] {
  const sorted = [...words].sort();
  return sorted.flatMap((one, n) => sorted.slice(n + 1).map((other) => `${one} ${other}`));
}

/** No model rewords what the user said. */
function mayBeShown(memory: Memory): boolean {
  const isFree = !isProtected(memory) && !usersTypes.has(memory.type);
  return memory.sensitivity === "internal" && memory.status === "active" && isFree;
}

function isAlike(one: Memory, other: Memory): boolean {
  const isSameKind = one.type === other.type && one.scope === other.scope;
  return (
    isSameKind &&
    (overlapOf(readWords(one.content), readWords(other.content)) >= LIKE || isContradiction(one, other))
  );
}
