/** Which memories a model may look at together. */
import { createHash } from "node:crypto";
import type { Memory } from "../memory/memory.js";
import { isProtected } from "./change.js";
import { isContradiction, overlapOf, type SimilarTo } from "./duplicates.js";

/** Memories that are about the same, and that no rule can put together. */
export type Cluster = readonly Memory[];

/** Of all their words, so many are shared: below, two are about different things. */
const LIKE = 0.35;
const MOST_MEMBERS = 8;
const MOST_CLUSTERS = 8;

/**
 * Memories of one kind that are alike, each in one cluster at most; those that a model has seen as they are not again.
 * Never private ones, and none that must stay as they are. Pure.
 */
export function planClusters(
  memories: readonly Memory[],
  similarTo: SimilarTo,
  seen: ReadonlySet<string>,
): readonly Cluster[] {
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
    if (others.length === 0 || seen.has(nameCluster(cluster))) continue;
    for (const { id } of cluster) open.delete(id);
    clusters.push(cluster);
  }
  return clusters;
}

/** Names a cluster with what it says. */
export function nameCluster(cluster: Cluster): string {
  const said = cluster.map(({ content, id, title }) => JSON.stringify([id, title, content])).sort();
  return createHash("sha256").update(said.join("\n")).digest("hex").slice(0, 16);
}

function mayBeShown(memory: Memory): boolean {
  return memory.sensitivity === "internal" && memory.status === "active" && !isProtected(memory);
}

function isAlike(one: Memory, other: Memory): boolean {
  const isSameKind = one.type === other.type && one.scope === other.scope;
  return isSameKind && (overlapOf(one.content, other.content) >= LIKE || isContradiction(one, other));
}
