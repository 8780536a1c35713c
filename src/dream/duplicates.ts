/**
 * Memories that say the same, and those that say the opposite.
 *
 * Two say the same when they share nearly all of their words and all that a fact hangs on: numbers, names in code,
 * paths, negations. "The port is 8080" and "the port is 8081" share nearly all words and say different things.
 */
import type { Memory } from "../memory/memory.js";

export interface Cluster {
  /** The one that stays. */
  survivor: Memory;
  /** Those that it takes in. */
  others: readonly Memory[];
  isExact: boolean;
}

/** Ids of memories that may say the same as this one; found by the recall index. */
export type SimilarTo = (memory: Memory) => readonly string[];

/** Shared words of all words, from which on two texts are the same but for their wording. */
const NEARLY_ALL = 0.8;
/** Very short texts share most of their words by chance. */
const LEAST_WORDS = 4;

/** Clusters of memories that say the same, each memory in one at most. Only of one kind, scope and sensitivity. */
export function findDuplicates(memories: readonly Memory[], similarTo: SimilarTo): Cluster[] {
  const byID = new Map(memories.map((memory) => [memory.id, memory]));
  const groups = createGroups(memories.map(({ id }) => id));
  const firstOf = new Map<string, string>();
  for (const memory of memories) {
    const exact = `${kindOf(memory)} ${normalise(memory.content)}`;
    const first = firstOf.get(exact);
    if (first === undefined) firstOf.set(exact, memory.id);
    else groups.join(first, memory.id);
    for (const id of similarTo(memory)) {
      const other = byID.get(id);
      if (other && other !== memory && isSame(memory, other)) groups.join(memory.id, id);
    }
  }
  return groups.list().flatMap((ids) => {
    const members = ids.map((id) => byID.get(id)).filter((one) => one !== undefined);
    const [survivor, ...others] = members.sort(compareWorth);
    if (!survivor || others.length === 0) return [];
    const isExact = members.every(({ content }) => normalise(content) === normalise(survivor.content));
    return [{ survivor, others, isExact }];
  });
}

/** Do two memories of a kind say the same in other words? */
export function isSame(one: Memory, other: Memory): boolean {
  if (kindOf(one) !== kindOf(other)) return false;
  const [words, others] = [readWords(one.content), readWords(other.content)];
  if (!isEqual(readPivots(one.content), readPivots(other.content))) return false;
  return Math.min(words.size, others.size) >= LEAST_WORDS && overlap(words, others) >= NEARLY_ALL;
}

/** Do two memories of a kind agree in their subject and all words but one number, name or "not"? */
export function isContradiction(one: Memory, other: Memory): boolean {
  if (kindOf(one) !== kindOf(other) || normalise(one.title) !== normalise(other.title)) return false;
  return !isEqual(readPivots(one.content), readPivots(other.content));
}

const kindOf = ({ scope, sensitivity, type }: Memory): string => `${scope} ${sensitivity} ${type}`;

/** The text without what wording is free in: case, punctuation, spaces. */
export function normalise(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

const SMALL_WORDS = new Set(
  "the a an is are was were be of to in on at for and or we our it its this that".split(" "),
);

function readWords(text: string): ReadonlySet<string> {
  return new Set(
    normalise(text)
      .split(" ")
      // Chinese has no spaces: each pair of characters counts as a word.
      .flatMap((word) => (/\p{Script=Han}/u.test(word) ? pairsOf(word) : [word]))
      .filter((word) => word !== "" && !SMALL_WORDS.has(word)),
  );
}

const pairsOf = (word: string): string[] =>
  [...word].map((character, index, all) => character + (all[index + 1] ?? ""));

/** What a fact hangs on: words that turn it round, and what is spelt as no prose is. */
const TURNING =
  /\b(?:not|no|never|without|don't|doesn't|isn't|aren't|can't|cannot|won't|instead|always|only)\b|[不没无非禁]/gi;
const SPELT = /`[^`]+`|[\w./@:-]*[\d/_@][\w./@:-]*|\b[a-z]+[A-Z]\w*\b/g;

/** Numbers, names in code, paths and negations, in lower case. */
export function readPivots(text: string): ReadonlySet<string> {
  const found = [...(text.match(TURNING) ?? []), ...(text.match(SPELT) ?? [])];
  return new Set(found.map((pivot) => pivot.replace(/^`|[`.:,;]+$/g, "").toLowerCase()));
}

/** How much of what the first text says, the second says too: its words that are there, 0 to 1. */
export function coverage(text: string, by: string): number {
  const [words, others] = [readWords(text), readWords(by)];
  const there = [...words].filter((word) => others.has(word)).length;
  return words.size === 0 ? 1 : there / words.size;
}

/** Shared words of all words of two texts, 0 to 1. */
export function overlapOf(one: string, other: string): number {
  return overlap(readWords(one), readWords(other));
}

const isEqual = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((word) => other.has(word));

function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared / (one.size + other.size - shared);
}

/** The user's own words first, then what is pinned, weighs more, or was said last; the id makes it definite. */
function compareWorth(one: Memory, other: Memory): number {
  const rank = ({ provenance }: Memory): number => (["user", "person"].includes(provenance.by) ? 0 : 1);
  return (
    Number(other.pinned) - Number(one.pinned) ||
    rank(one) - rank(other) ||
    other.importance - one.importance ||
    other.updated.localeCompare(one.updated) ||
    one.id.localeCompare(other.id)
  );
}

/** Sets that grow together. */
function createGroups(ids: readonly string[]) {
  const parents = new Map(ids.map((id) => [id, id]));
  const rootOf = (id: string): string => {
    const parent = parents.get(id) ?? id;
    if (parent === id) return id;
    const root = rootOf(parent);
    parents.set(id, root);
    return root;
  };
  return {
    join: (one: string, other: string) => void parents.set(rootOf(other), rootOf(one)),
    list(): string[][] {
      const groups = new Map<string, string[]>();
      for (const id of ids) groups.set(rootOf(id), [...(groups.get(rootOf(id)) ?? []), id]);
      return [...groups.values()].filter((group) => group.length > 1);
    },
  };
}
