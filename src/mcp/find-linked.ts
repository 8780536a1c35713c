/** Finds the memories linked with one. Pure. */
import type { Memory } from "../memory/memory.js";

export const linkTypes = ["links", "linked_by", "supersedes", "superseded_by", "entity"] as const;
export type LinkType = (typeof linkTypes)[number];

export interface Linked {
  type: LinkType;
  memories: Memory[];
}

const MOST_OF_A_TYPE = 30;

/** Grouped by these types, in their order, without empty groups. A memory appears once. */
export function findLinked(
  memory: Memory,
  all: readonly Memory[],
  types: readonly LinkType[] = linkTypes,
): Linked[] {
  const entities = new Set(memory.entities.map((one) => one.toLowerCase()));
  const is: Record<LinkType, (other: Memory) => boolean> = {
    links: ({ id }) => memory.links.includes(id),
    linked_by: ({ links }) => links.includes(memory.id),
    supersedes: ({ supersededBy }) => supersededBy === memory.id,
    superseded_by: ({ id }) => memory.supersededBy === id,
    entity: (other) => other.entities.some((one) => entities.has(one.toLowerCase())),
  };
  const left = new Set(all.filter(({ id }) => id !== memory.id));
  return types.flatMap((type): Linked[] => {
    const found = [...left].filter(is[type]).slice(0, MOST_OF_A_TYPE);
    for (const one of found) left.delete(one);
    return found.length === 0 ? [] : [{ type, memories: found }];
  });
}
