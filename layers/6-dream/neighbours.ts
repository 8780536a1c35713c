import type { Memory } from "../../src/memory/memory.js";
import type { Clock } from "../../src/seams/clock.js";
import type { SimilarTo } from "./duplicates.js";

/** So many that are like it are looked at closer. */
const MOST_NEIGHBOURS = 8;
/** A search looks at the beginning of a text. */
const READ = 600;
/** So many are indexed before others get their turn; of searches each is one: a dream runs in the process of the host. */
const INDEXED_AT_A_TIME = 16;
/** Of the newest, and of the others, which take turns; comparing more in one dream takes longer than it is worth. */
const MOST_NEWEST = 600;
const MOST_OTHERS = 400;
const TURN_MS = 3_600_000;

/** For each memory those that are like it, by their words. Stops early, with what it has, when it is called off. */
export async function findNeighbours(
  memories: readonly Memory[],
  clock: Clock,
  signal: AbortSignal,
): Promise<SimilarTo> {
  const { createRecall } = await import("../../src/recall/recall.js");
  // By words alone: what only means something like it says something else.
  const recall = createRecall({ now: clock.now, wordVectors: false });
  for (const [n, { content, id, title }] of memories.entries()) {
    recall.add({ id, title, text: content });
    if (n % INDEXED_AT_A_TIME === 0) await clock.pause(0);
  }
  const neighbours = new Map<string, readonly string[]>();
  for (const { content, id, title } of planCompared(memories, clock.now())) {
    if (signal.aborted) break;
    const hits = recall.search(`${title}\n${content}`.slice(0, READ), { limit: MOST_NEIGHBOURS + 1 });
    neighbours.set(
      id,
      hits.map((hit) => hit.id).filter((other) => other !== id),
    );
    await clock.pause(0);
  }
  return ({ id }) => neighbours.get(id) ?? [];
}

/** Which memories are compared with all others in this hour. Pure. */
export function planCompared(memories: readonly Memory[], nowMs: number): readonly Memory[] {
  const newest = [...memories].sort((a, b) =>
    a.updated === b.updated ? (a.id < b.id ? -1 : 1) : a.updated < b.updated ? 1 : -1,
  );
  const others = newest.splice(MOST_NEWEST);
  const start = others.length === 0 ? 0 : (Math.floor(nowMs / TURN_MS) * MOST_OTHERS) % others.length;
  const turn = [...others.slice(start), ...others.slice(0, start)];
  return [...newest, ...turn.slice(0, MOST_OTHERS)];
}
