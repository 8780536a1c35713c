import type { Memory } from "../memory/memory.js";
import type { Clock } from "../seams/clock.js";
import type { SimilarTo } from "./duplicates.js";

/** So many that are like it are looked at closer. */
const MOST_NEIGHBOURS = 8;
/** A search looks at the beginning of a text. */
const READ = 600;
/** After so much work others get their turn: a dream runs in the process of the host. */
const AT_A_TIME = 16;
/** Of the newest; comparing more takes longer than a dream is worth. */
const MOST_COMPARED = 3_000;

/** For each memory those that are like it, by their words. Stops early, with what it has, when it is called off. */
export async function findNeighbours(
  memories: readonly Memory[],
  clock: Clock,
  signal: AbortSignal,
): Promise<SimilarTo> {
  const { createRecall } = await import("../recall/recall.js");
  // By words alone: what only means something like it says something else.
  const recall = createRecall({ now: clock.now, wordVectors: false });
  const giveWay = async (n: number): Promise<void> => (n % AT_A_TIME === 0 ? clock.pause(0) : undefined);
  for (const [n, { content, id, title }] of memories.entries()) {
    recall.add({ id, title, text: content });
    await giveWay(n);
  }
  const neighbours = new Map<string, readonly string[]>();
  const newest = [...memories].sort((a, b) => (a.updated < b.updated ? 1 : -1)).slice(0, MOST_COMPARED);
  for (const [n, { content, id, title }] of newest.entries()) {
    if (signal.aborted) break;
    const hits = recall.search(`${title}\n${content}`.slice(0, READ), { limit: MOST_NEIGHBOURS + 1 });
    neighbours.set(
      id,
      hits.map((hit) => hit.id).filter((other) => other !== id),
    );
    await giveWay(n);
  }
  return ({ id }) => neighbours.get(id) ?? [];
}
