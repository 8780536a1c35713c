/**
 * Finds memories that say the same, contradict each other or share most words, and merges the metadata of those that
 * become one. Pure.
 *
 * Two memories say the same if they differ only in wording (see src/text/compare.ts). Sharing nearly all words is not
 * enough: "the port is 8080" and "the port is 8081" share them, and so do a reset in staging and one in production.
 */
import { createHash } from "node:crypto";
import { groupBy } from "../base/group.js";
import { readMeaning, readWording } from "../text/compare.js";
import { countShared, FILLERS, readPivots, readWords } from "../text/words.js";
import { type Memory, readSessions } from "./memory.js";

export interface Duplicates {
  /** The memory that stays. */
  survivor: Memory;
  /** The memories that it absorbs. */
  others: readonly Memory[];
  /** The same word for word. */
  isExact: boolean;
}

/** Groups of memories of one kind and status that say the same; each memory is in at most one. */
export function findDuplicates(memories: readonly Memory[]): Duplicates[] {
  return [...groupBy(memories, keyOf).values()].flatMap((members) => {
    const [survivor, ...others] = members.sort(compareWorth);
    if (!survivor || others.length === 0) return [];
    const isExact = members.every(({ content }) => readWording(content) === readWording(survivor.content));
    return [{ survivor, others, isExact }];
  });
}

/** Equal for memories that say the same; `undefined` for a memory without meaning. */
function keyOf(memory: Memory): string | undefined {
  const { content, status } = memory;
  const meaning = readMeaning(content);
  if (meaning === "") return undefined;
  return JSON.stringify([kindOf(memory), status, readSubject(memory, meaning), meaning]);
}

/** The title if it adds to the text, or "": "It listens on 8080" means something else under another title. */
function readSubject({ content, title }: Memory, meaning = readMeaning(content)): string {
  const words = readMeaning(title).replace(/…$/, "").split(" ");
  const said = new Set(meaning.split(" "));
  const isSaid = words.every((word) => said.has(word) || FILLERS.has(word));
  return isSaid ? "" : words.join(" ");
}

export type Pair = readonly [one: Memory, other: Memory];

/** Maximum number of pairs per memory, most similar first. */
const MOST_OF_ONE = 8;

/** Pairs of one kind and title with different numbers, names or negations. */
export function findContradictions(memories: readonly Memory[]): Pair[] {
  const groups = groupBy(memories, (memory) => `${kindOf(memory)} ${readMeaning(memory.title)}`);
  return [...groups.values()].flatMap((group) =>
    group.flatMap((one, n) =>
      group
        .slice(n + 1, n + 1 + MOST_OF_ONE)
        .filter((other) => isContradiction(one, other))
        .map((other) => [one, other] as const),
    ),
  );
}

/**
 * Are both of one kind and subject, with different numbers, names or negations? False for two memories that link to
 * each other: a person has decided that both hold.
 */
function isContradiction(one: Memory, other: Memory): boolean {
  if (areBothKept(one, other)) return false;
  if (kindOf(one) !== kindOf(other) || readMeaning(one.title) !== readMeaning(other.title)) return false;
  const [pivots, others] = [readPivots(one.content), readPivots(other.content)];
  return pivots.size !== others.size || countShared(pivots, others) < pivots.size;
}

/** Do they link to each other, as `strata reconcile --keep both` leaves them? */
export const areBothKept = (one: Memory, other: Memory): boolean =>
  one.links.includes(other.id) && other.links.includes(one.id);

/** Are both of one kind, status and subject? */
export const isOfOneKind = (one: Memory, other: Memory): boolean =>
  kindOf(one) === kindOf(other) && one.status === other.status && readSubject(one) === readSubject(other);

/** A memory that git sees and one that it ignores are never merged. */
const kindOf = ({ scope, sensitivity, type }: Memory): string => `${scope} ${sensitivity} ${type}`;

/** Number of a memory's rarest words used to find others. */
const RAREST = 4;
/** Words in more memories find too many. */
const MOST_HAVING = 100;
/** Minimum share of the shorter memory's words in the longer one. */
const SHARED = 0.6;

/**
 * Pairs that share most of their words, each once, in the order of the memories. Does not compare every pair: a similar
 * memory has at least one of the rarest words.
 */
export function findNearPairs(memories: readonly Memory[]): Pair[] {
  const words = memories.map(({ content, title }) => readWords(content.trim() === "" ? title : content));
  const having = new Map<string, number[]>();
  for (const [n, own] of words.entries())
    for (const word of own) {
      const list = having.get(word);
      if (list) list.push(n);
      else having.set(word, [n]);
    }
  const pairs = new Map<string, Pair>();
  for (const [n, own] of words.entries()) {
    const rarest = [...own].sort((a, b) => countOf(having, a) - countOf(having, b)).slice(0, RAREST);
    const others = new Set(
      rarest.filter((word) => countOf(having, word) <= MOST_HAVING).flatMap((word) => having.get(word) ?? []),
    );
    others.delete(n);
    const near = [...others]
      .map((other) => ({ other, share: shareOf(own, words[other]) }))
      .filter(({ share }) => share >= SHARED)
      .sort((a, b) => b.share - a.share || a.other - b.other)
      .slice(0, MOST_OF_ONE);
    for (const { other } of near) {
      const [first, second] = n < other ? [n, other] : [other, n];
      const [one, two] = [memories[first], memories[second]];
      if (one && two) pairs.set(`${first} ${second}`, [one, two]);
    }
  }
  return [...pairs.values()];
}

const countOf = (having: ReadonlyMap<string, readonly number[]>, word: string): number =>
  having.get(word)?.length ?? 0;

/** Share of the smaller set's words in the other set. */
function shareOf(one: ReadonlySet<string>, other: ReadonlySet<string> = new Set()): number {
  const [small, large] = one.size < other.size ? [one, other] : [other, one];
  return small.size === 0 ? 0 : countShared(small, large) / small.size;
}

/** Pinned first, then the user's own words, then the more important, then the newer; the id breaks ties. */
export function compareWorth(one: Memory, other: Memory): number {
  const rank = ({ provenance }: Memory): number => (["user", "person"].includes(provenance.by) ? 0 : 1);
  return (
    Number(other.pinned) - Number(one.pinned) ||
    rank(one) - rank(other) ||
    other.importance - one.importance ||
    other.updated.localeCompare(one.updated) ||
    one.id.localeCompare(other.id)
  );
}

/** Names a memory by its present wording: changes when a person changes its text. */
export function nameWords({ content, id, title }: Memory): string {
  return createHash("sha256")
    .update(JSON.stringify([id, title, content]))
    .digest("hex")
    .slice(0, 12);
}

const PROTECTED_TYPES: ReadonlySet<Memory["type"]> = new Set(["directive", "decision", "feedback"]);

/** Pinned, or what a person has ordered, decided or corrected: neither removed nor reworded without being asked for. */
export function isProtected({ pinned, type }: Memory): boolean {
  return pinned || PROTECTED_TYPES.has(type);
}

/**
 * Merges the metadata of absorbed memories into the survivor, which keeps its own text and lives as long as the longest
 * of them.
 */
export function mergeMetadata(survivor: Memory, absorbed: readonly Memory[]): Memory {
  const all = [survivor, ...absorbed];
  const union = (pick: (memory: Memory) => readonly string[]): string[] => [...new Set(all.flatMap(pick))];
  const ids = new Set(all.map(({ id }) => id));
  const titles = absorbed.map(({ title }) => title).filter((title) => title !== survivor.title);
  const sessions = union(readSessions);
  const { expires: _, ...lasting } = survivor;
  // One that never expires makes the result so.
  const expires = all
    .map((memory) => memory.expires)
    .reduce((one, other) => (one === undefined || other === undefined ? undefined : later(one, other)));
  return {
    ...lasting,
    ...(expires !== undefined && { expires }),
    aliases: [...new Set([...union(({ aliases }) => aliases), ...titles])],
    tags: union(({ tags }) => tags),
    entities: union(({ entities }) => entities),
    links: union(({ links }) => links).filter((id) => !ids.has(id)),
    when: union(({ when }) => when),
    importance: Math.max(...all.map(({ importance }) => importance)),
    // The newest time, so that the result is not forgotten before any of them would have been.
    updated: all.map(({ updated }) => updated).reduce(later),
    extra: { ...survivor.extra, ...(sessions.length > 0 && { sessions }) },
  };
}

const later = (one: string, other: string): string => (Date.parse(one) >= Date.parse(other) ? one : other);
