/**
 * Words: how well an entry fits the terms of a query, and how well the group does that it stands in.
 *
 * BM25+ (Lv and Zhai 2011) over one bag of terms an entry, in which those of the title and the aliases count twice. The
 * same postings give the score of a group, as if its entries were one text.
 */
import { takeBest } from "./fuse.js";
import { createPostings, type Posting } from "./postings.js";

/** An entry as the index takes it: how often it has each term. */
export interface Bag {
  readonly id: string;
  readonly group: string | undefined;
  readonly counts: ReadonlyMap<string, number>;
}

export interface LexicalHit {
  readonly id: string;
  readonly score: number;
  /** The terms of the query that were met, in its order. */
  readonly terms: readonly string[];
}

export interface Fit {
  /** Best first; those alike by id. */
  readonly hits: readonly LexicalHit[];
  /** By group. */
  readonly groups: ReadonlyMap<string, number>;
  /** By term of the query, how many entries have it. */
  readonly frequency: ReadonlyMap<string, number>;
}

export interface FitOptions {
  limit: number;
  /** Where no term is met as it is, its beginning or one letter off will do. */
  guess: boolean;
}

export interface LexicalIndex {
  add(bag: Bag): void;
  /** Takes what was added. */
  remove(bag: Bag): void;
  search(terms: readonly string[], options: FitOptions): Fit;
}

/** A term of the query, with those of the index that stand for it. */
interface Asked {
  term: string;
  posting: Posting;
  weight: number;
}

interface Group {
  name: string;
  entries: number;
  length: number;
}

/** As Lucene and others set them. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.7;
const FLOOR = 0.5;
/** A shorter term is the beginning of too many others; what was guessed counts half. */
const SHORTEST_GUESSED = 4;
const MOST_GUESSES = 20;
const GUESS_WEIGHT = 0.5;

export function createLexicalIndex(): LexicalIndex {
  const postings = createPostings();
  const slotOf = new Map<string, number>();
  const ids: string[] = [];
  const lengths: number[] = [];
  const groupOf: (Group | undefined)[] = [];
  const free: number[] = [];
  const groups = new Map<string, Group>();
  let totalLength = 0;
  let scores = new Float64Array(1_024);

  return {
    add({ id, group, counts }) {
      const slot = free.pop() ?? ids.length;
      const length = sum(counts.values());
      slotOf.set(id, slot);
      ids[slot] = id;
      lengths[slot] = length;
      groupOf[slot] = joinGroup(group, length);
      totalLength += length;
      postings.add(slot, counts);
      if (slot >= scores.length) scores = new Float64Array(2 * scores.length);
    },

    remove({ id, counts }) {
      const slot = slotOf.get(id);
      if (slot === undefined) return;
      postings.remove(slot, counts);
      totalLength -= lengths[slot] ?? 0;
      leaveGroup(groupOf[slot], lengths[slot] ?? 0);
      groupOf[slot] = undefined;
      slotOf.delete(id);
      free.push(slot);
    },

    search(terms, { guess, limit }) {
      const exact = terms.flatMap((term) => {
        const posting = postings.of(term);
        return posting ? [{ term, posting, weight: 1 }] : [];
      });
      const asked = exact.length > 0 || !guess ? exact : terms.flatMap(guessTerm);
      const best = scoreEntries(asked, limit);
      return {
        hits: toHits(best, asked),
        groups: scoreGroups(asked),
        frequency: new Map(asked.map(({ term, posting }) => [term, posting.slots.length])),
      };
    },
  };

  function guessTerm(term: string): Asked[] {
    if (term.length < SHORTEST_GUESSED) return [];
    return postings
      .like(term)
      .slice(0, MOST_GUESSES)
      .flatMap((other) => {
        const posting = postings.of(other);
        return posting ? [{ term, posting, weight: GUESS_WEIGHT }] : [];
      });
  }

  /** The best slots and their scores; what many share at the end of the list is all taken, so that none is by chance. */
  function scoreEntries(asked: readonly Asked[], limit: number): [slot: number, score: number][] {
    const average = totalLength / slotOf.size;
    const touched: number[] = [];
    for (const { posting, weight } of asked) {
      const { slots, counts } = posting;
      const rarity = weight * rarityOf(slots.length, slotOf.size);
      for (let n = 0; n < slots.length; n++) {
        const slot = slots[n] ?? 0;
        const before = scores[slot] ?? 0;
        if (before === 0) touched.push(slot);
        scores[slot] = before + rarity * saturate(counts[n] ?? 0, (lengths[slot] ?? 0) / average);
      }
    }
    const reached = touched.map((slot): [number, number] => [slot, scores[slot] ?? 0]);
    for (const slot of touched) scores[slot] = 0;
    return takeBest(reached, limit);
  }

  function scoreGroups(asked: readonly Asked[]): Map<string, number> {
    const found = new Map<string, number>();
    if (groups.size === 0) return found;
    const average = sum([...groups.values()].map(({ length }) => length)) / groups.size;
    for (const { posting, weight } of asked) {
      const counts = new Map<Group, number>();
      for (const [n, slot] of posting.slots.entries()) {
        const group = groupOf[slot];
        if (group) counts.set(group, (counts.get(group) ?? 0) + (posting.counts[n] ?? 0));
      }
      const rarity = weight * rarityOf(counts.size, groups.size);
      // A group of one says no more than its entry.
      for (const [{ entries, length, name }, count] of counts)
        if (entries > 1) found.set(name, (found.get(name) ?? 0) + rarity * saturate(count, length / average));
    }
    return found;
  }

  function toHits(best: readonly [slot: number, score: number][], asked: readonly Asked[]): LexicalHit[] {
    const met = new Map(best.map(([slot]) => [slot, new Set<string>()]));
    for (const { term, posting } of asked) for (const slot of posting.slots) met.get(slot)?.add(term);
    const hits = best.map(([slot, score]) => ({
      id: ids[slot] ?? "",
      score,
      terms: [...(met.get(slot) ?? [])],
    }));
    return hits.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
  }

  function joinGroup(name: string | undefined, length: number): Group | undefined {
    if (name === undefined) return undefined;
    const group = groups.get(name) ?? { name, entries: 0, length: 0 };
    groups.set(name, group);
    group.entries++;
    group.length += length;
    return group;
  }

  function leaveGroup(group: Group | undefined, length: number): void {
    if (!group) return;
    group.entries--;
    group.length -= length;
    if (group.entries === 0) groups.delete(group.name);
  }
}

function rarityOf(having: number, all: number): number {
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
}

/** `length` as a share of the average. */
function saturate(count: number, length: number): number {
  return (
    FLOOR + (count * (SATURATION + 1)) / (count + SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length))
  );
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
