/**
 * The words of a statement: how a text is spelt for comparing, which words say what it is about, and how far two texts
 * share them. Pure.
 */

import { NEGATIVE_WORD } from "./negations.js";

/** One spelling of what is typed in several ways: wide characters, signs, invisible marks. Case and spaces stay. */
export function normalise(text: string): string {
  return (
    text
      // Not NFKC: it makes 105 of 10⁵.
      .normalize("NFC")
      .replace(/\p{Cf}/gu, "")
      .replace(/[！-～]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
      .replaceAll("−", "-")
      .replaceAll("’", "'")
  );
}

const WORD = /[#!&]\d+|[\p{L}\p{N}][\p{L}\p{N}_./@'-]*/gu;
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u;
const RUNS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+/gu;

/** Words that any statement may have. */
export const FILLERS: ReadonlySet<string> = new Set(
  "the a an is are was were be of to in on at for and or we it this that".split(" "),
);
/** Words in which an agent's wording differs from the user's. */
const PERSONS = new Set("these those with as by i you he she they please s t".split(" "));

/**
 * Words in their simplest form, names and paths whole; of scripts without spaces, pairs of characters. Not those that say
 * nothing, of which a customer may know more, nor those that only turn a statement round.
 */
export const readWords = (text: string, empty?: ReadonlySet<string>): Set<string> =>
  split(text, { simplify: toSingular, splitRun: pairsOf, empty });

/**
 * For finding what a text is about: "pushing" is "push", and of scripts without spaces each character is a word. Too much
 * falls together in it to say that two texts say the same.
 */
export const readStems = (text: string): Set<string> =>
  split(text, { simplify: toStem, splitRun: (characters) => [...characters], empty: PERSONS });

interface Splitting {
  simplify(word: string): string;
  splitRun(characters: readonly string[]): string[];
  empty?: ReadonlySet<string> | undefined;
}

function split(text: string, { empty, simplify, splitRun }: Splitting): Set<string> {
  const isSaying = (word: string): boolean =>
    word !== "" && !FILLERS.has(word) && !empty?.has(word) && !NEGATIVE_WORD.test(word);
  const words = (normalise(text).toLowerCase().match(WORD) ?? [])
    .filter(isSaying)
    .flatMap((word) => word.match(RUNS) ?? [])
    .flatMap((run) => (UNSPACED.test(run) ? splitRun([...run]) : [simplify(run)]));
  return new Set(words.filter(isSaying));
}

/** "Tests'" is "test". */
function toSingular(word: string): string {
  const bare = word.replace(/[./'-]+$/, "").replace(/'s$/, "");
  return bare.length > 3 && /^[\p{L}-]+[^s]s$/u.test(bare) ? bare.slice(0, -1) : bare;
}

const toStem = (word: string): string => toSingular(word).replace(/(?<=\p{L}{3})(s|es|ed|ing)$/u, "");

const pairsOf = (characters: readonly string[]): string[] =>
  characters.slice(1).map((character, index) => `${characters[index]}${character}`);

export function countShared(wanted: ReadonlySet<string>, given: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of wanted) if (given.has(word)) shared++;
  return shared;
}

/** Of the words of both together, the share that both have: 0 to 1 (Jaccard). */
export function overlapOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = countShared(one, other);
  const all = one.size + other.size - shared;
  return all === 0 ? 0 : shared / all;
}

/** Of the words of the first, the share that the second has too: 0 to 1; 1 where there are none. */
export function coverageOf(words: ReadonlySet<string>, by: ReadonlySet<string>): number {
  return words.size === 0 ? 1 : countShared(words, by) / words.size;
}
