/**
 * The inverted index, in two arrays per term. Slots, small integers, identify texts. All values are integers, so that
 * adding and removing a text leaves no rounding error.
 */
export interface Postings {
  /** Counts are at least 1. */
  add(slot: number, counts: ReadonlyMap<string, number>): void;
  /** `counts` must be the counts that were added. */
  remove(slot: number, counts: ReadonlyMap<string, number>): void;
  of(term: string): Posting | undefined;
  /** Terms that begin with it or differ from it in one letter, in alphabetical order. */
  like(term: string): string[];
}

/** The slots that have a term, unordered, with its count in each. */
export interface Posting {
  readonly slots: readonly number[];
  readonly counts: readonly number[];
}

interface OpenPosting {
  slots: number[];
  counts: number[];
}

export function createPostings(): Postings {
  const postings = new Map<string, OpenPosting>();

  return {
    add(slot, counts) {
      for (const [term, count] of counts) {
        const posting = postings.get(term);
        if (posting) {
          posting.slots.push(slot);
          posting.counts.push(count);
        } else postings.set(term, { slots: [slot], counts: [count] });
      }
    },
    remove(slot, counts) {
      for (const term of counts.keys()) {
        const posting = postings.get(term);
        const at = posting?.slots.lastIndexOf(slot) ?? -1;
        if (!posting || at === -1) continue;
        moveLastTo(posting.slots, at);
        moveLastTo(posting.counts, at);
        if (posting.slots.length === 0) postings.delete(term);
      }
    },
    of: (term) => postings.get(term),
    like: (term) =>
      [...postings.keys()].filter((other) => other.startsWith(term) || isOneEditAway(term, other)).sort(),
  };
}

/** True for one inserted, deleted or replaced letter, or two swapped neighbours. */
export function isOneEditAway(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let endA = a.length;
  let endB = b.length;
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  if (endA - start <= 1 && endB - start <= 1) return true;
  return endA - start === 2 && endB - start === 2 && a[start] === b[start + 1] && a[start + 1] === b[start];
}

function moveLastTo(list: number[], at: number): void {
  const last = list.pop();
  if (last !== undefined && at < list.length) list[at] = last;
}
