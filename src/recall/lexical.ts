/**
 * Scores the words of entries against the terms of a query: BM25+ (Lv and Zhai 2011) over one bag of terms per entry, in
 * which title and aliases count twice. The same postings score groups, as if the texts of a group's entries were one text.
 */

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

interface FitOptions {
  limit: number;
  /** If the index has none of the terms, match terms that begin with one or differ in one letter. */
  guess: boolean;
  /** Score groups too. */
  withGroups: boolean;
  /** Entries count by their weight; else all count alike. */
  isWeighed: boolean;
}

/** The entries that have a term, with its count in each. */
type Posting = ReadonlyMap<string, number>;

/** A term of the query, with the posting it matches. */
interface Asked {
  term: string;
  posting: Posting;
  weight: number;
}

interface Entry {
  group: string | undefined;
  length: number;
  weight: number;
}

/** What the index counts, so that adding and removing an entry leaves nothing. */
interface Index {
  postings: Map<string, Map<string, number>>;
  entries: Map<string, Entry>;
  groups: Map<string, { entries: number; length: number }>;
  totalLength: number;
}

export function createLexicalIndex() {
  const index: Index = { postings: new Map(), entries: new Map(), groups: new Map(), totalLength: 0 };
  const { entries, postings } = index;

  return {
    add({ counts, group, id, weight }: Bag): void {
      const length = sum(counts.values());
      const entry = { group, length, weight };
      entries.set(id, entry);
      count(index, entry, 1);
      for (const [term, times] of counts) putIn(postings, term, id, times);
    },

    /** It must be the bag that was added. */
    remove({ counts, id }: Bag): void {
      const entry = entries.get(id);
      if (!entry) return;
      entries.delete(id);
      count(index, entry, -1);
      for (const term of counts.keys()) takeFrom(postings, term, id);
    },

    search(terms: readonly string[], { guess, isWeighed, limit, withGroups }: FitOptions): Fit {
      const exact = terms.flatMap((term) => {
        const posting = postings.get(term);
        return posting ? [{ term, posting, weight: 1 }] : [];
      });
      const asked = exact.length > 0 || !guess ? exact : terms.flatMap((term) => guessTerm(index, term));
      return {
        hits: scoreEntries(index, asked, isWeighed).slice(0, limit),
        groups: withGroups ? scoreGroups(index, asked) : new Map(),
        frequency: new Map(asked.map(({ term, posting }) => [term, posting.size])),
      };
    },
  };
}

function count(index: Index, { group: name, length, weight }: Entry, sign: 1 | -1): void {
  index.totalLength += sign * length;
  if (name === undefined) return;
  const group = index.groups.get(name) ?? { entries: 0, length: 0 };
  const next = { entries: group.entries + sign, length: group.length + sign * weight * length };
  if (next.entries === 0) index.groups.delete(name);
  else index.groups.set(name, next);
}

/** Adds a value by two keys. */
export function putIn<T>(maps: Map<string, Map<string, T>>, key: string, id: string, value: T): void {
  maps.set(key, (maps.get(key) ?? new Map<string, T>()).set(id, value));
}

/** Removes it, and with the last value of a key that key. */
export function takeFrom(maps: Map<string, Map<string, unknown>>, key: string, id: string): void {
  const map = maps.get(key);
  if (map?.delete(id) && map.size === 0) maps.delete(key);
}

/** Best first, ties by id. */
function scoreEntries(
  { entries, totalLength }: Index,
  asked: readonly Asked[],
  isWeighed: boolean,
): LexicalHit[] {
  const found = scoreTexts(entries, totalLength, asked);
  const weightOf = (id: string): number => (isWeighed ? (entries.get(id)?.weight ?? 1) : 1);
  const hits = [...found].map(([id, { score, terms }]) => ({
    id,
    score: weightOf(id) * score,
    terms: [...terms],
  }));
  return hits.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}

/** A group of one adds nothing to its entry, so it has no score. */
function scoreGroups({ entries, groups }: Index, asked: readonly Asked[]): Map<string, number> {
  const inGroups = asked.map((one) => {
    const posting = new Map<string, number>();
    for (const [id, times] of one.posting) {
      const { group, weight = 1 } = entries.get(id) ?? {};
      if (group !== undefined) posting.set(group, (posting.get(group) ?? 0) + weight * times);
    }
    return { ...one, posting };
  });
  const totalLength = sum([...groups.values()].map(({ length }) => length));
  const found = [...scoreTexts(groups, totalLength, inGroups)];
  const isOfSeveral = (name: string): boolean => (groups.get(name)?.entries ?? 0) > 1;
  return new Map(found.flatMap(([name, { score }]) => (isOfSeveral(name) ? [[name, score]] : [])));
}

/** What the terms give to each text that has them, a text being an entry or a group. */
function scoreTexts(
  texts: ReadonlyMap<string, { length: number }>,
  totalLength: number,
  asked: readonly Asked[],
): Map<string, { score: number; terms: Set<string> }> {
  const average = totalLength / texts.size;
  const found = new Map<string, { score: number; terms: Set<string> }>();
  for (const { posting, term, weight } of asked) {
    const rarity = weight * rarityOf(posting.size, texts.size);
    for (const [id, times] of posting) {
      const hit = found.get(id) ?? { score: 0, terms: new Set<string>() };
      hit.score += rarity * saturate(times, (texts.get(id)?.length ?? 0) / average);
      hit.terms.add(term);
      found.set(id, hit);
    }
  }
  return found;
}

/** Shorter terms are a prefix of too many others. A guessed term counts half. */
const SHORTEST_GUESSED = 4;
const MOST_GUESSES = 20;
const GUESS_WEIGHT = 0.5;

/** Terms that begin with it or differ from it in one letter. */
function guessTerm({ postings }: Index, term: string): Asked[] {
  if (term.length < SHORTEST_GUESSED) return [];
  return [...postings]
    .filter(([other]) => other.startsWith(term) || isOneEditAway(term, other))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, MOST_GUESSES)
    .map(([, posting]) => ({ term, posting, weight: GUESS_WEIGHT }));
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

/** Common values, as in Lucene. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.7;
const FLOOR = 0.5;

/** Inverse document frequency: `having` of `all` texts have the term. */
const rarityOf = (having: number, all: number): number => Math.log(1 + (all - having + 0.5) / (having + 0.5));

/** Saturated weight of `times` occurrences. `length` is the text's length relative to the average. */
const saturate = (times: number, length: number): number =>
  FLOOR + (times * (SATURATION + 1)) / (times + SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length));

/** True for one inserted, deleted or replaced letter, or two swapped neighbours. */
export function isOneEditAway(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  if (endA - start <= 1 && endB - start <= 1) return true;
  return endA - start === 2 && endB - start === 2 && a[start] === b[start + 1] && a[start + 1] === b[start];
}
