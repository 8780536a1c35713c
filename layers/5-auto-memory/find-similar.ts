import type { FindSimilar } from "../../src/gate/gate.js";
import type { LayerContext } from "../../src/layer-context.js";

const FEW_MEMORIES = 500;

/** Returns all memories while they are few: a contradiction need not share many words. */
export function createFindSimilar({
  memories,
  search,
}: Pick<LayerContext, "memories" | "search">): FindSimilar {
  return async (text, { limit }) => {
    const known = memories.known();
    if (known.length <= FEW_MEMORIES) return known;
    const found = await search.find({ text, limit, byWords: true });
    return found.flatMap((one) => (one.kind === "memory" ? [one.memory] : []));
  };
}
