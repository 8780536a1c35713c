/**
 * Finds entries that a text names. A name matches if its words occur together and in order, in any case and inflection;
 * a single longer word also with one typo after its second letter, where typos usually are.
 */
import { stemmer } from "stemmer";
import type { Kept } from "./kept.js";
import { isOneEditAway } from "./lexical.js";
import { stopWords } from "./terms.js";

export interface Aliases {
  add(entry: Kept): void;
  remove(entry: Kept): void;
  /** The matched name by entry id. */
  find(text: string): ReadonlyMap<string, string>;
}

interface Phrase {
  /** Stemmed words. */
  words: readonly string[];
  /** In lower case, unstemmed, if the name is one word. */
  single: string | undefined;
  /** Entries with this name, and their spelling of it. */
  bearers: Map<string, string>;
}

/** A shorter name with a typo is another word. */
const SHORTEST_MISTYPED = 5;
/** A longer title is not a name. */
const LONGEST_TITLE = 100;
/** A name shared by more entries identifies none of them. */
const MOST_OF_A_NAME = 12;

export function createAliases(): Aliases {
  const phrases = new Map<string, Phrase>();
  /** By the first word, or the first two. */
  const byStart = new Map<string, Set<Phrase>>();
  /** Single-word names by first two letters and length. */
  const bySpelling = new Map<string, Set<Phrase>>();

  return {
    add(entry) {
      for (const [key, written, name] of readNames(entry)) {
        const phrase = phrases.get(key) ?? addPhrase(key, written);
        phrase.bearers.set(entry.id, name);
      }
    },
    remove(entry) {
      for (const [key] of readNames(entry)) {
        const phrase = phrases.get(key);
        if (phrase?.bearers.delete(entry.id) && phrase.bearers.size === 0) removePhrase(key, phrase);
      }
    },
    find(text) {
      const written = splitWritten(text);
      const words = written.map(toStem);
      const found = new Map<string, string>();
      for (const [at, word] of words.entries())
        for (const start of [word, `${word} ${words[at + 1] ?? ""}`])
          for (const phrase of byStart.get(start) ?? [])
            if (phrase.words.every((other, n) => other === words[at + n])) addMatches(found, phrase);
      for (const word of new Set(written)) if (!byStart.has(toStem(word))) findMistyped(found, word);
      return found;
    },
  };

  function addPhrase(key: string, written: readonly string[]): Phrase {
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

  function removePhrase(key: string, phrase: Phrase): void {
    phrases.delete(key);
    for (const [index, at] of placesOf(phrase)) {
      const set = index.get(at);
      if (set?.delete(phrase) && set.size === 0) index.delete(at);
    }
  }

  function placesOf({ words, single }: Phrase): [Map<string, Set<Phrase>>, string][] {
    const places: [Map<string, Set<Phrase>>, string][] = [[byStart, words.slice(0, 2).join(" ")]];
    if (single !== undefined && single.length >= SHORTEST_MISTYPED)
      places.push([bySpelling, spellingOf(single, single.length)]);
    return places;
  }

  function findMistyped(found: Map<string, string>, word: string): void {
    if (!/^\p{L}+$/u.test(word)) return;
    for (const length of [word.length - 1, word.length, word.length + 1])
      for (const phrase of bySpelling.get(spellingOf(word, length)) ?? [])
        if (phrase.single !== undefined && isOneEditAway(word, phrase.single)) addMatches(found, phrase);
  }
}

/** An entry with several matched names keeps the longest. */
function addMatches(found: Map<string, string>, { bearers }: Phrase): void {
  if (bearers.size > MOST_OF_A_NAME) return;
  for (const [id, name] of bearers) {
    const known = found.get(id) ?? "";
    if (name.length > known.length || (name.length === known.length && name < known)) found.set(id, name);
  }
}

/** The key of a name is its stemmed words. */
function readNames({ aliases, title }: Kept): [key: string, written: readonly string[], name: string][] {
  const names = title.length <= LONGEST_TITLE ? [title, ...aliases] : aliases;
  return names.flatMap((name): [string, readonly string[], string][] => {
    const written = splitWritten(name);
    const says = written.some((word) => !stopWords.has(word) && !/^[a-z\d]$/.test(word));
    return says ? [[written.map(toStem).join(" "), written, name]] : [];
  });
}

/** All words in lower case, stop words included: "point of view" is a name. */
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
