/**
 * Which entries a text calls by name. A name fits where its words stand together and in order, in any case and with any
 * ending; one of a single longer word also with one letter wrong behind the second, which is how names are mistyped.
 */
import { stemmer } from "stemmer";
import type { Kept } from "./kept.js";
import { stopWords } from "./stop-words.js";

export interface Aliases {
  add(entry: Kept): void;
  remove(entry: Kept): void;
  /** By entry the name under which it was called. */
  find(text: string): ReadonlyMap<string, string>;
}

interface Phrase {
  /** Without their endings. */
  words: readonly string[];
  /** In small letters, with its ending, where it is one word. */
  single: string | undefined;
  /** Whose name it is, and how it is written there. */
  bearers: Map<string, string>;
}

/** A shorter name with a letter wrong is another word. */
const SHORTEST_MISTYPED = 5;
/** A name that so many bear calls none of them. */
const MOST_OF_A_NAME = 12;

export function createAliases(): Aliases {
  const phrases = new Map<string, Phrase>();
  /** By first word. */
  const byFirst = new Map<string, Set<Phrase>>();
  /** Of one word, by its first two letters and its length. */
  const bySpelling = new Map<string, Set<Phrase>>();

  return {
    add(entry) {
      for (const [key, written, name] of readNames(entry)) {
        const phrase = phrases.get(key) ?? begin(key, written);
        phrase.bearers.set(entry.id, name);
      }
    },
    remove(entry) {
      for (const [key] of readNames(entry)) {
        const phrase = phrases.get(key);
        if (phrase?.bearers.delete(entry.id) && phrase.bearers.size === 0) end(key, phrase);
      }
    },
    find(text) {
      const written = splitWritten(text);
      const words = written.map(toStem);
      const found = new Map<string, string>();
      for (const [at, word] of words.entries())
        for (const phrase of byFirst.get(word) ?? [])
          if (phrase.words.every((other, n) => other === words[at + n])) take(found, phrase);
      for (const word of new Set(written)) if (!byFirst.has(toStem(word))) findMistyped(found, word);
      return found;
    },
  };

  function begin(key: string, written: readonly string[]): Phrase {
    const single = written.length === 1 ? written[0] : undefined;
    const phrase = { words: written.map(toStem), single, bearers: new Map<string, string>() };
    phrases.set(key, phrase);
    for (const [index, at] of placesOf(phrase)) {
      const set = index.get(at);
      if (set) set.add(phrase);
      else index.set(at, new Set([phrase]));
    }
    return phrase;
  }

  function end(key: string, phrase: Phrase): void {
    phrases.delete(key);
    for (const [index, at] of placesOf(phrase)) {
      const set = index.get(at);
      if (set?.delete(phrase) && set.size === 0) index.delete(at);
    }
  }

  function placesOf({ words, single }: Phrase): [Map<string, Set<Phrase>>, string][] {
    const places: [Map<string, Set<Phrase>>, string][] = [[byFirst, words[0] ?? ""]];
    if (single !== undefined && single.length >= SHORTEST_MISTYPED)
      places.push([bySpelling, spellingOf(single, single.length)]);
    return places;
  }

  function findMistyped(found: Map<string, string>, word: string): void {
    if (!/^\p{L}+$/u.test(word)) return;
    for (const length of [word.length - 1, word.length, word.length + 1])
      for (const phrase of bySpelling.get(spellingOf(word, length)) ?? [])
        if (phrase.single !== undefined && isOneEditAway(word, phrase.single)) take(found, phrase);
  }
}

/** An entry called by several names was called by the longest. */
function take(found: Map<string, string>, { bearers }: Phrase): void {
  if (bearers.size > MOST_OF_A_NAME) return;
  for (const [id, name] of bearers) {
    const known = found.get(id) ?? "";
    if (name.length > known.length || (name.length === known.length && name < known)) found.set(id, name);
  }
}

/** A name is known by its words without their endings. */
function readNames({ names }: Kept): [key: string, written: readonly string[], name: string][] {
  return names.flatMap((name): [string, readonly string[], string][] => {
    const written = splitWritten(name);
    const says = written.some((word) => !stopWords.has(word) && !/^[a-z\d]$/.test(word));
    return says ? [[written.map(toStem).join(" "), written, name]] : [];
  });
}

/** All words in small letters, those that say nothing too: "point of view" is a name as it stands. */
function splitWritten(text: string): string[] {
  const plain = text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase();
  return plain.match(/\p{Script=Han}|[\p{L}\p{N}]+/gu) ?? [];
}

function toStem(word: string): string {
  return /^[a-z]{3,}$/.test(word) ? stemmer(word) : word;
}

function spellingOf(word: string, length: number): string {
  return `${word.slice(0, 2)}${length}`;
}

/** One letter more, less or other, or two that changed places. */
function isOneEditAway(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let endA = a.length;
  let endB = b.length;
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  const [left, other] = [a.slice(start, endA), b.slice(start, endB)];
  if (left.length <= 1 && other.length <= 1) return true;
  return left.length === 2 && other === `${left[1]}${left[0]}`;
}
