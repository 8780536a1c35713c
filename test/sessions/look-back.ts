/**
 * Anthropic's prompt cache: it writes an entry at each cache point, and looks for one at each cache point and at the
 * blocks right before it, 20 in all. What lies further back is not found, however much of the prompt is the same.
 * (platform.claude.com/docs/en/build-with-claude/prompt-caching, "lookback window")
 */
import type { Block } from "./blocks.js";
import type { RequestRecord } from "./request-record.js";

const POSITIONS = 20;
/** Lifetime of an entry that is not read. */
const LIFETIME_MS = 5 * 60_000;

/** Tokens of each request that such a cache holds. */
export function findCached(records: readonly RequestRecord[]): number[] {
  const usedAt = new Map<string, number>();
  return records.map(({ at, blocks, sent }) => {
    const points = blocks.flatMap(({ isCachePoint }, index) => (isCachePoint ? [index] : []));
    const isLive = (index: number): boolean => {
      const used = usedAt.get(blocks[index]?.prefix ?? "");
      return used !== undefined && at - used < LIFETIME_MS;
    };
    const found = points.flatMap((point) =>
      Array.from({ length: Math.min(POSITIONS, point + 1) }, (_, back) => point - back).filter(isLive),
    );
    const last = Math.max(-1, ...found);
    for (const index of [last, ...points]) {
      const block = blocks[index];
      if (block) usedAt.set(block.prefix, at);
    }
    const size = (of: readonly Block[]): number => of.reduce((sum, { bytes }) => sum + bytes, 0);
    return Math.round((sent * size(blocks.slice(0, last + 1))) / Math.max(1, size(blocks)));
  });
}
