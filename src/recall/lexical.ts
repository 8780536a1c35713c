/** Words: BM25 over the fields of the entries, by MiniSearch. */
import MiniSearch, { type SearchResult } from "minisearch";
import { splitTerms } from "./terms.js";

/** The fields of an entry as text; `date` is made of terms that are taken as they are. */
export interface IndexedText {
  readonly id: string;
  readonly title: string;
  readonly aliases: string;
  readonly text: string;
  readonly paths: string;
  readonly date: string;
}

export interface LexicalHit {
  readonly id: string;
  readonly score: number;
  /** The terms of the query that were met. */
  readonly terms: readonly string[];
}

/** Removing takes what was added: the same object, not only the same id. */
export interface LexicalIndex {
  add(text: IndexedText): void;
  remove(text: IndexedText): void;
  /** Best first. With `guess`, where no term is met as it is, its beginning or a letter or two off will do. */
  search(terms: readonly string[], options: { guess: boolean }): LexicalHit[];
}

const FIELDS = ["title", "aliases", "text", "paths", "date"];
const BOOST = { title: 2, aliases: 2 };
/** A shorter term is the beginning of too many others. */
const SHORTEST_GUESSED = 4;

export function createLexicalIndex(): LexicalIndex {
  const index = new MiniSearch<IndexedText>({
    fields: FIELDS,
    tokenize: (text, field) => (field === "date" ? text.split(" ") : splitTerms(text)),
    processTerm: (term) => term || null,
    // What was added is what is removed, so that there is nothing to warn of; and the screen is the host's.
    logger: () => {},
  });

  return {
    add: (text) => index.add(text),
    remove: (text) => index.remove(text),
    search(terms, { guess }) {
      if (terms.length === 0) return [];
      const exact = query(terms, {});
      if (exact.length > 0 || !guess) return exact;
      const guessed = terms.filter((term) => term.length >= SHORTEST_GUESSED);
      return guessed.length === 0 ? [] : query(guessed, { prefix: true, fuzzy: 0.2, maxFuzzy: 2 });
    },
  };

  function query(terms: readonly string[], options: object): LexicalHit[] {
    const results = index.search("query", { ...options, tokenize: () => [...terms], boost: BOOST });
    const hits = results.map(({ id, score, queryTerms }: SearchResult) => ({
      id: String(id),
      score: Math.round(score * 1e6) / 1e6,
      terms: queryTerms,
    }));
    return hits.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
  }
}
