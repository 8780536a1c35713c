/**
 * Scores the words of entries against the terms of a query: BM25+ over one bag of terms per entry, in which title and
 * aliases count twice. The same postings score groups.
 */
import { takeBest } from "./fuse.js";

/** An entry for the index: its term counts. */
export interface Bag {
  readonly id: string;
  readonly group: string | undefined;
  readonly counts: ReadonlyMap<string, number>;
  /** Share of its score that counts, above 0 and at most 1. */
  readonly weight: number;
}

export interface LexicalHit {
  readonly id: string;
  readonly score: number;
  /** The query's terms found in the entry, in the query's order. */
  readonly terms: readonly string[];
}

export interface Fit {
  /** Best first, ties by id. */
  readonly hits: readonly LexicalHit[];
  /** Scores by group; empty unless requested. */
  readonly groups: ReadonlyMap<string, number>;
  /** Number of entries with each term of the query. */
  readonly frequency: ReadonlyMap<string, number>;
}

export interface FitOptions {
  limit: number;
  /** If the index has none of the terms, match terms that begin with one or differ in one letter. */
  guess: boolean;
  /** Score groups too. */
  withGroups: boolean;
  /** Entries count by their weight; else all count alike. */
  isWeighed: boolean;
}

export interface LexicalIndex {
  add(bag: Bag): void;
  /** `bag` must be the bag that was added. */
  remove(bag: Bag): void;
  search(terms: readonly string[], options: FitOptions): Fit;
}

/** A term of the query, with the posting it matches. */
interface Asked extends WeightedPosting {
  term: string;
}

/** Shorter terms are a prefix of too many others. A guessed term counts half. */
const SHORTEST_GUESSED = 4;
const MOST_GUESSES = 20;
const GUESS_WEIGHT = 0.5;

export function createLexicalIndex(): LexicalIndex {
  const postings = createPostings();
  const slotOf = new Map<string, number>();
  const ids: string[] = [];
  const lengths: number[] = [];
  const weights: number[] = [];
  const free: number[] = [];
  const groups = createGroupScores();
  let totalLength = 0;
  let scores = new Float64Array(1_024);
  /** Rank of a hit by slot, from 1; all 0 between searches. */
  let places = new Uint32Array(1_024);

  return {
    add({ id, group, counts, weight }) {
      const slot = free.pop() ?? ids.length;
      const length = sum(counts.values());
      slotOf.set(id, slot);
      ids[slot] = id;
      lengths[slot] = length;
      weights[slot] = weight;
      groups.add(slot, group, { length, weight });
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
      groups.remove(slot, lengths[slot] ?? 0);
      slotOf.delete(id);
      free.push(slot);
    },

    search(terms, { guess, limit, isWeighed, withGroups }) {
      const exact = terms.flatMap((term) => {
        const posting = postings.of(term);
        return posting ? [{ term, posting, weight: 1 }] : [];
      });
      const asked = exact.length > 0 || !guess ? exact : terms.flatMap((term) => guessTerm(postings, term));
      const best = scoreEntries(asked, { limit, isWeighed });
      return {
        hits: toHits(best, asked),
        groups: withGroups ? groups.score(asked) : new Map(),
        frequency: new Map(asked.map(({ term, posting }) => [term, posting.slots.length])),
      };
    },
  };

  /** The best slots with their scores. Ties at the cut are all kept, so that chance drops none. */
  function scoreEntries(
    asked: readonly Asked[],
    { limit, isWeighed }: Pick<FitOptions, "limit" | "isWeighed">,
  ): [slot: number, score: number][] {
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
    const weightOf = (slot: number): number => (isWeighed ? (weights[slot] ?? 1) : 1);
    const reached = touched.map((slot): [number, number] => [slot, weightOf(slot) * (scores[slot] ?? 0)]);
    for (const slot of touched) scores[slot] = 0;
    return takeBest(reached, limit);
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
}

function guessTerm(postings: Postings, term: string): Asked[] {
  if (term.length < SHORTEST_GUESSED) return [];
  return postings
    .like(term)
    .slice(0, MOST_GUESSES)
    .flatMap((other) => {
      const posting = postings.of(other);
      return posting ? [{ term, posting, weight: GUESS_WEIGHT }] : [];
    });
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

/* Scores groups against the terms of a query: BM25+ as if the texts of a group's entries were one text. */

export interface GroupScores {
  /** Adds the entry in this slot to this group or to none. */
  add(slot: number, group: string | undefined, member: Member): void;
  /** `length` must be the length that was added. */
  remove(slot: number, length: number): void;
  /** Scores of the groups that have one of these terms, by group name. */
  score(asked: readonly WeightedPosting[]): Map<string, number>;
}

export interface Member {
  /** Number of terms. */
  length: number;
  /** How much its terms count, above 0 and at most 1. */
  weight: number;
}

/** The posting of a query term, and the term's weight. */
export interface WeightedPosting {
  posting: Posting;
  weight: number;
}

interface Group {
  name: string;
  /** Its index in `counts`. */
  place: number;
  entries: number;
  length: number;
}

export function createGroupScores(): GroupScores {
  const groups = new Map<string, Group>();
  const groupOf: (Group | undefined)[] = [];
  const weights: number[] = [];
  const freePlaces: number[] = [];
  /** Occurrences of the current term per group; all 0 between terms. */
  let counts = new Float64Array(256);

  return {
    add(slot, name, { length, weight }) {
      groupOf[slot] = undefined;
      if (name === undefined) return;
      const group = groups.get(name) ?? open(name);
      group.entries++;
      group.length += weight * length;
      groupOf[slot] = group;
      weights[slot] = weight;
    },

    remove(slot, length) {
      const group = groupOf[slot];
      if (!group) return;
      groupOf[slot] = undefined;
      group.entries--;
      group.length -= (weights[slot] ?? 1) * length;
      if (group.entries > 0) return;
      groups.delete(group.name);
      freePlaces.push(group.place);
    },

    score(asked) {
      const found = new Map<string, number>();
      const average = averageLength(groups);
      for (const { posting, weight } of asked) {
        const touched = count(posting);
        const rarity = weight * rarityOf(touched.length, groups.size);
        for (const { entries, length, name, place } of touched) {
          const times = counts[place] ?? 0;
          counts[place] = 0;
          // A group of one adds nothing to its entry.
          if (entries > 1)
            found.set(name, (found.get(name) ?? 0) + rarity * saturate(times, length / average));
        }
      }
      return found;
    },
  };

  function open(name: string): Group {
    const group = { name, place: freePlaces.pop() ?? groups.size, entries: 0, length: 0 };
    groups.set(name, group);
    if (group.place >= counts.length) counts = new Float64Array(2 * counts.length);
    return group;
  }

  /** The groups that have the term. */
  function count(posting: Posting): Group[] {
    const touched: Group[] = [];
    for (let n = 0; n < posting.slots.length; n++) {
      const slot = posting.slots[n] ?? 0;
      const group = groupOf[slot];
      if (!group) continue;
      if (counts[group.place] === 0) touched.push(group);
      counts[group.place] = (counts[group.place] ?? 0) + (weights[slot] ?? 1) * (posting.counts[n] ?? 0);
    }
    return touched;
  }
}

function averageLength(groups: ReadonlyMap<string, Group>): number {
  let total = 0;
  for (const { length } of groups.values()) total += length;
  return total / groups.size;
}

/* BM25+ (Lv and Zhai 2011): the weight of a term, and its contribution to a text's score. */

/** Common values, as in Lucene. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.7;
const FLOOR = 0.5;

/** Inverse document frequency: `having` of `all` texts have the term. */
export function rarityOf(having: number, all: number): number {
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
}

/** Saturated weight of `count` occurrences. `length` is the text's length relative to the average. */
export function saturate(count: number, length: number): number {
  return (
    FLOOR + (count * (SATURATION + 1)) / (count + SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length))
  );
}

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
