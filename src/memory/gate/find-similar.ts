import type { Memory } from "../memory.js";
import type { MemorySearch } from "../search/search.js";
import type { MemoryStore } from "../store.js";
import type { FindSimilar } from "./gate.js";

const FEW_MEMORIES = 500;

/** Returns all memories while they are few: a contradiction need not share many words. */
export function createFindSimilar(
  memories: Pick<MemoryStore, "known">,
  search: Pick<MemorySearch, "find">,
): FindSimilar {
  return async (text, { limit }): Promise<readonly Memory[]> => {
    const known = memories.known();
    if (known.length <= FEW_MEMORIES) return known;
    const found = await search.find({ text, limit, byWords: true });
    return found.flatMap((one) => (one.kind === "memory" ? [one.memory] : []));
  };
}
