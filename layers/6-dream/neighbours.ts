import type { Memory } from "../../src/memory/memory.js";
import type { Clock } from "../../src/seams/clock.js";
import type { SimilarTo } from "./duplicates.js";

/** Number of similar memories found for each. */
const MOST_NEIGHBOURS = 8;
/** Number of characters of a memory that are searched for. */
const QUERY_CHARACTERS = 600;
/** Number of memories indexed between pauses; each search is followed by one. A dream shares the host's event loop. */
const INDEXED_AT_A_TIME = 16;
/** Memories compared in one dream: the newest, and some of the older ones, which rotate every `TURN_MS`. */
const MOST_NEWEST = 600;
const MOST_OTHERS = 400;
const TURN_MS = 3_600_000;

/** Finds the memories that resemble each memory in wording. Returns early with a partial result when aborted. */
export async function findNeighbours(
  memories: readonly Memory[],
  clock: Clock,
  signal: AbortSignal,
): Promise<SimilarTo> {
  const { createRecall } = await import("../../src/recall/recall.js");
  // Words only: texts of similar meaning need not say the same.
  const recall = createRecall({ now: clock.now, wordVectors: false });
  for (const [n, { content, id, title }] of memories.entries()) {
    recall.add({ id, title, text: content });
    if (n % INDEXED_AT_A_TIME === 0) await clock.pause(0);
  }
  const neighbours = new Map<string, readonly string[]>();
  for (const { content, id, title } of planCompared(memories, clock.now())) {
    if (signal.aborted) break;
    const hits = recall.search(`${title}\n${content}`.slice(0, QUERY_CHARACTERS), {
      limit: MOST_NEIGHBOURS + 1,
    });
    neighbours.set(
      id,
      hits.map((hit) => hit.id).filter((other) => other !== id),
    );
    await clock.pause(0);
  }
  return ({ id }) => neighbours.get(id) ?? [];
}

/** The memories that a dream in this hour compares with all others. Pure. */
export function planCompared(memories: readonly Memory[], nowMs: number): readonly Memory[] {
  const newest = [...memories].sort((a, b) =>
    a.updated === b.updated ? (a.id < b.id ? -1 : 1) : a.updated < b.updated ? 1 : -1,
  );
  const others = newest.splice(MOST_NEWEST);
  const start = others.length === 0 ? 0 : (Math.floor(nowMs / TURN_MS) * MOST_OTHERS) % others.length;
  const turn = [...others.slice(start), ...others.slice(0, start)];
  return [...newest, ...turn.slice(0, MOST_OTHERS)];
}
