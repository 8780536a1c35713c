import { weighAge } from "./fuse.js";
import type { Kept } from "./kept.js";

/** Discounts older work, relative to the newest and oldest entries, not to today. */
export interface Ages {
  add(entry: Kept): void;
  remove(entry: Kept): void;
  /** 1 for the newest entry and entries that do not age. */
  weigh(entry: Kept): number;
}

export function createAges(): Ages {
  const times = new Map<string, number>();
  let range: { first: number; last: number } | undefined;

  return {
    add({ id, isWork, at }) {
      if (!isWork || at === undefined) return;
      times.set(id, at);
      range = undefined;
    },
    remove({ id }) {
      if (times.delete(id)) range = undefined;
    },
    weigh({ isWork, at }) {
      if (!isWork || at === undefined) return 1;
      range ??= findRange(times.values());
      return weighAge(range.last - at, range.last - range.first);
    },
  };
}

function findRange(times: Iterable<number>): { first: number; last: number } {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const time of times) {
    first = Math.min(first, time);
    last = Math.max(last, time);
  }
  return { first, last };
}
