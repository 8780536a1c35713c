/**
 * Finds entries that a text names. A name matches if its words occur together and in order, in any case and inflection;
 * a single longer word also with one typo after its second letter, where typos usually are.
 */
import { stemmer } from "stemmer";
import type { Kept } from "./kept.js";
import { isOneEditAway, putIn, takeFrom } from "./lexical.js";
import { stopWords } from "./terms.js";

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

export function createAliases() {
  /** By the first two letters of the name's first word, in lower case and stemmed; in each, by the stemmed words. */
  const byStart = new Map<string, Map<string, Phrase>>();

  return {
    add(entry: Kept): void {
      for (const { key, name, single, start, words } of readNames(entry)) {
        const known = byStart.get(start)?.get(key);
        const phrase = known ?? { words, single, bearers: new Map<string, string>() };
        putIn(byStart, start, key, phrase);
        phrase.bearers.set(entry.id, name);
      }
    },

    remove(entry: Kept): void {
      for (const { key, start } of readNames(entry)) {
        const phrase = byStart.get(start)?.get(key);
        if (phrase?.bearers.delete(entry.id) && phrase.bearers.size === 0) takeFrom(byStart, start, key);
      }
    },

    /** The matched name by entry id. */
    find(text: string): ReadonlyMap<string, string> {
      const written = splitWritten(text);
      const stems = written.map(toStem);
      const found = new Map<string, string>();
      for (const [at, word] of stems.entries()) {
        const phrases = [...(byStart.get(startOf(word))?.values() ?? [])];
        const exact = phrases.filter(({ words }) => words.every((other, n) => other === stems[at + n]));
        const isKnown = phrases.some(({ words }) => words.length === 1 && words[0] === word);
        const mistyped = isKnown ? [] : phrases.filter((one) => isMistyped(written[at] ?? "", one));
        for (const phrase of [...exact, ...mistyped]) addMatches(found, phrase);
      }
      return found;
    },
  };
}

const startOf = (stem: string): string => stem.slice(0, 2);

const isMistyped = (word: string, { single }: Phrase): boolean =>
  single !== undefined &&
  single.length >= SHORTEST_MISTYPED &&
  /^\p{L}+$/u.test(word) &&
  isOneEditAway(word, single);

/** An entry with several matched names keeps the longest. */
function addMatches(found: Map<string, string>, { bearers }: Phrase): void {
  if (bearers.size > MOST_OF_A_NAME) return;
  for (const [id, name] of bearers) {
    const known = found.get(id) ?? "";
    if (name.length > known.length || (name.length === known.length && name < known)) found.set(id, name);
  }
}

function readNames({ aliases, title }: Kept) {
  const names = title.length <= LONGEST_TITLE ? [title, ...aliases] : aliases;
  return names.flatMap((name) => {
    const written = splitWritten(name);
    const words = written.map(toStem);
    const says = written.some((word) => !stopWords.has(word) && !/^[a-z\d]$/.test(word));
    const single = written.length === 1 ? written[0] : undefined;
    return says ? [{ key: words.join(" "), start: startOf(words[0] ?? ""), name, words, single }] : [];
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

const toStem = (word: string): string => (/^[a-z]{3,}$/.test(word) ? stemmer(word) : word);
