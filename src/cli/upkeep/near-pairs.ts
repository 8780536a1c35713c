/**
 * Finds pairs of memories that share most of their words, without comparing every pair: a similar memory has at least
 * one of the rarest words. Pure.
 */
import type { Memory } from "../../memory/memory.js";
import { countShared, readWords } from "../../statement/words.js";

/** Number of a memory's rarest words used to find others. */
const RAREST = 4;
/** Words in more memories find too many. */
const MOST_HAVING = 100;
/** Maximum number of pairs per memory, most similar first. */
const MOST_OF_ONE = 8;
/** Minimum share of the shorter memory's words in the longer one. */
const SHARED = 0.6;

export type Pair = readonly [one: Memory, other: Memory];

/** Each pair once, in the order of the memories. */
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
