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
  /** By group; empty unless it was asked for. */
  readonly groups: ReadonlyMap<string, number>;
  /** By term of the query, how many entries have it. */
  readonly frequency: ReadonlyMap<string, number>;
}

export interface FitOptions {
  limit: number;
  /** Where no term is met as it is, its beginning or one letter off will do. */
  guess: boolean;
  /** Groups are scored as well. */
  withGroups: boolean;
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
  /** Its place among the counts of a search. */
  place: number;
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
  /** Of a hit among the best, from 1 on; between two searches it is all 0. */
  let places = new Uint32Array(1_024);
  /** Of a term by group, between two of which it is all 0. */
  let groupCounts = new Uint32Array(256);
  const freePlaces: number[] = [];

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
      if (slot < scores.length) return;
      scores = new Float64Array(2 * scores.length);
      places = new Uint32Array(scores.length);
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

    search(terms, { guess, limit, withGroups }) {
      const exact = terms.flatMap((term) => {
        const posting = postings.of(term);
        return posting ? [{ term, posting, weight: 1 }] : [];
      });
      const asked = exact.length > 0 || !guess ? exact : terms.flatMap(guessTerm);
      const best = scoreEntries(asked, limit);
      return {
        hits: toHits(best, asked),
        groups: withGroups ? scoreGroups(asked) : new Map(),
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
    let total = 0;
    for (const { length } of groups.values()) total += length;
    const average = total / groups.size;
    for (const { posting, weight } of asked) {
      const touched = countByGroup(posting);
      const rarity = weight * rarityOf(touched.length, groups.size);
      for (const { entries, length, name, place } of touched) {
        const count = groupCounts[place] ?? 0;
        groupCounts[place] = 0;
        // A group of one says no more than its entry.
        if (entries > 1) found.set(name, (found.get(name) ?? 0) + rarity * saturate(count, length / average));
      }
    }
    return found;
  }

  function countByGroup({ slots, counts }: Posting): Group[] {
    const touched: Group[] = [];
    for (let n = 0; n < slots.length; n++) {
      const group = groupOf[slots[n] ?? 0];
      if (!group) continue;
      if (groupCounts[group.place] === 0) touched.push(group);
      groupCounts[group.place] = (groupCounts[group.place] ?? 0) + (counts[n] ?? 0);
    }
    return touched;
  }

  function toHits(best: readonly [slot: number, score: number][], asked: readonly Asked[]): LexicalHit[] {
    const met = best.map(() => new Set<string>());
    for (const [n, [slot]] of best.entries()) places[slot] = n + 1;
    for (const { term, posting } of asked)
      for (const slot of posting.slots) met[(places[slot] ?? 0) - 1]?.add(term);
    for (const [slot] of best) places[slot] = 0;
    const hits = best.map(([slot, score], n) => ({ id: ids[slot] ?? "", score, terms: [...(met[n] ?? [])] }));
    return hits.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
  }

  function joinGroup(name: string | undefined, length: number): Group | undefined {
    if (name === undefined) return undefined;
    const group = groups.get(name) ?? openGroup(name);
    group.entries++;
    group.length += length;
    return group;
  }

  function openGroup(name: string): Group {
    const group = { name, place: freePlaces.pop() ?? groups.size, entries: 0, length: 0 };
    groups.set(name, group);
    if (group.place >= groupCounts.length) groupCounts = new Uint32Array(2 * groupCounts.length);
    return group;
  }

  function leaveGroup(group: Group | undefined, length: number): void {
    if (!group) return;
    group.entries--;
    group.length -= length;
    if (group.entries > 0) return;
    groups.delete(group.name);
    freePlaces.push(group.place);
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
