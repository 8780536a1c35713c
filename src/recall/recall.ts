/**
 * The search index `opencode-strata/recall`: needs neither a model nor the network.
 *
 *     const recall = createRecall();
 *     recall.add({ id: "d1", title: "Port of the dev server", text: "We moved it to 8080.", date: "2026-03-01" });
 *     recall.search("which port do we use");     // [{ id: "d1", score: 1, why: "port" }]
 *     recall.match("start it on the usual port") // hits fit to show unasked, often none
 *
 * Scores combine words (BM25+ over title, aliases, text, paths and date), neighbours of a hit in its group, the match
 * of the group as a whole, the meaning of words, and links: entries that name the same issue, merge request or file as
 * one of the best hits. Older work counts less. The same entries give the same hits for the same query, whatever was
 * added and removed in between; only words such as "yesterday" depend on `now`.
 *
 * No query or text makes it throw, and it loads nothing before the first entry. Adding takes a fraction of a
 * millisecond: add many entries in slices if someone is waiting.
 */
import { systemClock } from "../io/clock.js";
import { createAges } from "./ages.js";
import { type Aliases, createAliases } from "./aliases.js";
import type { Embedder } from "./embedder.js";
import { findEntities } from "./entities.js";
import type { RecallEntry, RecallHit, SearchOptions } from "./entry.js";
import { createGroups } from "./groups.js";
import { type Kept, keepEntry, toBag } from "./kept.js";
import { createLexicalIndex } from "./lexical.js";
import { createLinks, type Links } from "./links.js";
import { planMatch } from "./match.js";
import { createMeaning } from "./meaning.js";
import { type Asked, readQuery } from "./query.js";
import { createSplitter, splitTerms } from "./terms.js";
import { type Judgement, type Structure, weighEntries } from "./weigh.js";
import { createWordVectors, type WordVectors } from "./word-vectors.js";

export type { Embedder } from "./embedder.js";
export type { RecallEntry, RecallHit, SearchOptions } from "./entry.js";
export type { WordVectors } from "./word-vectors.js";

export interface RecallOptions {
  /** Compares meaning in `searchByMeaning`, instead of the built-in table of word vectors. */
  readonly embedder?: Embedder;
  /** The built-in table, which several indexes may share; `false` disables it. */
  readonly wordVectors?: WordVectors | false;
  /** Milliseconds since 1970, for "yesterday" and "last week". */
  readonly now?: () => number;
}

export interface Recall {
  /** Number of entries. */
  readonly size: number;
  has(id: string): boolean;
  /** Replaces an entry with the same id. */
  add(entry: RecallEntry): void;
  /** Removes the entry without trace. Does nothing if there is none. */
  remove(id: string): void;
  /** Entries that match the query, best first. Empty if the query is empty or has only stop words. */
  search(query: string, options?: SearchOptions): RecallHit[];
  /** Embeds entries added since the last call. Rejects with the embedder's error; the next call retries the rest. */
  embed(): Promise<void>;
  /** `search`, with the embedder's similarities for embedded entries; plain `search` if the embedder fails. */
  searchByMeaning(query: string, options?: SearchOptions): Promise<RecallHit[]>;
  /** The few entries that are certainly meant, to be shown unasked; no hit is better than a wrong one. */
  match(text: string, options?: SearchOptions): RecallHit[];
}

/** Number of best word hits that are scored by structure. */
const MOST_CANDIDATES = 500;
const MOST_MATCHED = 100;
const MOST_SHOWN = 8;
const USUAL_LIMIT = 10;
const MOST_HITS = 1_000;

export function createRecall(options: RecallOptions = {}): Recall {
  const { embedder, now = systemClock.now, wordVectors = createWordVectors() } = options;
  const entries = new Map<string, Kept>();
  const split = createSplitter();
  const lexical = createLexicalIndex();
  const groups = createGroups();
  const links = createLinks();
  const aliases = createAliases();
  const ages = createAges();
  const meaning = createMeaning({ embedder, wordVectors });
  const structure: Structure = {
    entry: (id) => entries.get(id),
    neighbours: ({ group, id }) => (group === undefined ? [] : groups.neighbours(group, id)),
    follow: links.follow,
    weighAge: ages.weigh,
  };
  const ask = (query: string): Asked => readQuery(query, now());
  let added = 0;

  return {
    get size() {
      return entries.size;
    },
    has: (id) => entries.has(id),
    add(entry) {
      remove(entry.id);
      const kept = keepEntry(entry, added++);
      entries.set(kept.id, kept);
      lexical.add(toBag(kept, split));
      if (kept.group !== undefined) groups.add(kept.group, kept);
      links.add(kept);
      aliases.add(kept);
      ages.add(kept);
      meaning.add(kept, entry.isPrivate === true);
    },
    remove,
    search(query, options) {
      const asked = ask(query);
      return find(asked, limitOf(options), asked.isProse ? meaning.judgeByWords(asked.text) : []);
    },
    embed: meaning.embed,
    async searchByMeaning(query, options) {
      const asked = ask(query);
      return find(asked, limitOf(options), asked.isProse ? await meaning.judge(asked.text) : []);
    },
    match(text, options) {
      const asked = ask(text);
      const { frequency, hits } = lexical.search(asked.words, {
        guess: false,
        limit: MOST_MATCHED,
        isWeighed: asked.isWeighed,
        withGroups: false,
      });
      const spell = createSpelling(asked.text);
      const linked = (id: string): string[] =>
        (entries.get(id)?.links ?? []).filter((other) => entries.has(other));
      const named = findNamed(asked.text, { aliases, links });
      return planMatch({ named, hits, frequency, linked, spell, size: entries.size }).slice(
        0,
        limitOf(options),
      );
    },
  };

  function remove(id: string): void {
    const kept = entries.get(id);
    if (!kept) return;
    entries.delete(id);
    lexical.remove(toBag(kept, split));
    if (kept.group !== undefined) groups.remove(kept.group, id);
    links.remove(kept);
    aliases.remove(kept);
    ages.remove(kept);
    meaning.remove(id);
  }

  function find(asked: Asked, limit: number, judgements: readonly Judgement[]): RecallHit[] {
    const fit = lexical.search(asked.terms, {
      guess: true,
      limit: Math.max(MOST_CANDIDATES, limit),
      isWeighed: asked.isWeighed,
      withGroups: true,
    });
    const { isWeighed, text } = asked;
    return weighEntries({ fit, judgements, structure, limit, isWeighed, spell: createSpelling(text) });
  }
}

/** By entry id, the alias in the text, or the issue, merge request or file that both text and entry name. */
function findNamed(
  text: string,
  { aliases, links }: { aliases: Aliases; links: Links },
): Map<string, string> {
  const named = new Map(aliases.find(text));
  for (const entity of findEntities(text))
    for (const id of links.naming(entity)) if (!named.has(id)) named.set(id, entity);
  return named;
}

function limitOf({ limit = USUAL_LIMIT }: SearchOptions = {}): number {
  return Number.isNaN(limit) ? USUAL_LIMIT : Math.max(0, Math.min(MOST_HITS, Math.floor(limit)));
}

/** Formats terms as the query spells them, not as stems. */
function createSpelling(text: string): (terms: readonly string[]) => string {
  let written: Map<string, string> | undefined;
  return (terms) => {
    written ??= new Map(
      text.split(/\s+/).flatMap((word) => splitTerms(word).map((term) => [term, trimWord(word)] as const)),
    );
    const shown = terms.slice(0, MOST_SHOWN).map((term) => written?.get(term) ?? term);
    return [...new Set(shown)].join(", ");
  };
}

function trimWord(word: string): string {
  return word.replace(/^[^\p{L}\p{N}!#&@_/]+|[^\p{L}\p{N}_/)]+$/gu, "").slice(0, 60);
}
