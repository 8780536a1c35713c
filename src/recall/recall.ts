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
 * one of the best hits. The same entries give the same hits for the same query, whatever was added and removed in
 * between; only words such as "yesterday" depend on `now`.
 *
 * No query or text makes it throw, and it loads nothing before the first entry. Adding takes a fraction of a
 * millisecond: add many entries in slices if someone is waiting.
 */
import { systemClock } from "../io/clock.js";
import { findDateTerms } from "../text/dates.js";
import { findEntities } from "../text/entities.js";
import { createAliases } from "./aliases.js";
import {
  type Embedder,
  type Kept,
  keepEntry,
  type RecallEntry,
  type RecallHit,
  type SearchOptions,
  toBag,
} from "./kept.js";
import { createLexicalIndex, putIn, takeFrom } from "./lexical.js";
import { createSplitter, hasIdentifiers, splitTerms } from "./terms.js";
import {
  createEmbedderLikeness,
  createWordLikeness,
  createWordVectors,
  type Likenesses,
  type WordVectors,
} from "./vectors.js";
import {
  ALIKE,
  createGroups,
  inOrder,
  type Judgement,
  planMatch,
  type Structure,
  weighEntries,
} from "./weigh.js";

export type { Embedder, RecallEntry, RecallHit, SearchOptions } from "./kept.js";
export type { WordVectors } from "./vectors.js";

export interface RecallOptions {
  /** Compares meaning in `searchByMeaning`, instead of the built-in table of word vectors. */
  readonly embedder?: Embedder;
  /** The built-in table, which several indexes may share; `false` disables it. */
  readonly wordVectors?: WordVectors | false;
  /** Milliseconds since 1970, for "yesterday" and "last week". */
  readonly now?: () => number;
}

export type Recall = ReturnType<typeof createRecall>;

/** Number of best word hits that are scored by structure. */
const MOST_CANDIDATES = 500;
const MOST_MATCHED = 100;
const MOST_SHOWN = 8;
const USUAL_LIMIT = 10;
const MOST_HITS = 1_000;

export function createRecall(options: RecallOptions = {}) {
  const { embedder, now = systemClock.now, wordVectors = createWordVectors() } = options;
  const entries = new Map<string, Kept>();
  const split = createSplitter();
  const lexical = createLexicalIndex();
  const groups = createGroups();
  const links = createLinks();
  const aliases = createAliases();
  const meaning = createMeaning({ embedder, wordVectors });
  const structure: Structure = {
    entry: (id) => entries.get(id),
    neighbours: ({ group, id }) => (group === undefined ? [] : groups.neighbours(group, id)),
    follow: links.follow,
  };
  const ask = (query: string): Asked => readQuery(query, now());
  let added = 0;

  return {
    get size(): number {
      return entries.size;
    },
    has: (id: string): boolean => entries.has(id),
    /** Replaces an entry with the same id. */
    add(entry: RecallEntry): void {
      remove(entry.id);
      const kept = keepEntry(entry, added++);
      entries.set(kept.id, kept);
      lexical.add(toBag(kept, split));
      if (kept.group !== undefined) groups.add(kept.group, kept);
      links.add(kept);
      aliases.add(kept);
      meaning.add(kept, entry.isPrivate === true);
    },
    remove,
    /** Entries that match the query, best first. Empty if the query is empty or has only stop words. */
    search(query: string, options?: SearchOptions): RecallHit[] {
      const asked = ask(query);
      return find(asked, limitOf(options), asked.isProse ? meaning.judgeByWords(asked.text) : []);
    },
    /** Embeds entries added since the last call. Rejects with the embedder's error; the next call retries the rest. */
    embed: (): Promise<void> => meaning.embed(),
    /** `search`, with the embedder's similarities for embedded entries; plain `search` if the embedder fails. */
    async searchByMeaning(query: string, options?: SearchOptions): Promise<RecallHit[]> {
      const asked = ask(query);
      return find(asked, limitOf(options), asked.isProse ? await meaning.judge(asked.text) : []);
    },
    match,
    /** `match`, then the entries that certainly mean the same by the embedder's vectors; plain `match` if it fails. */
    async matchByMeaning(text: string, options?: SearchOptions): Promise<RecallHit[]> {
      const asked = ask(text);
      const alike = asked.isProse ? await meaning.matchAll(asked.text) : [];
      // Words last: what they find may have changed meanwhile.
      const matches = match(text, options);
      const known = new Set(matches.map(({ id }) => id));
      const more = alike.filter(({ id }) => entries.has(id) && !known.has(id));
      return [...matches, ...more].slice(0, limitOf(options));
    },
  };

  /** The few entries that are certainly meant, to be shown unasked; no hit is better than a wrong one. */
  function match(text: string, options?: SearchOptions): RecallHit[] {
    const { isWeighed, text: asked, words } = ask(text);
    const given = { guess: false, limit: MOST_MATCHED, isWeighed, withGroups: false };
    const matches = planMatch({
      ...lexical.search(words, given),
      named: findNamed(asked, { aliases, links }),
      linked: (id) => (entries.get(id)?.links ?? []).filter((other) => entries.has(other)),
      spell: createSpelling(asked),
      size: entries.size,
    });
    return matches.slice(0, limitOf(options));
  }

  /** Removes the entry without trace. Does nothing if there is none. */
  function remove(id: string): void {
    const kept = entries.get(id);
    if (!kept) return;
    entries.delete(id);
    lexical.remove(toBag(kept, split));
    if (kept.group !== undefined) groups.remove(kept.group, id);
    links.remove(kept);
    aliases.remove(kept);
    meaning.remove(id);
  }

  function find(asked: Asked, limit: number, judgements: readonly Judgement[]): RecallHit[] {
    const { isWeighed, terms, text } = asked;
    const most = Math.max(MOST_CANDIDATES, limit);
    const fit = lexical.search(terms, { guess: true, limit: most, isWeighed, withGroups: true });
    return weighEntries({ fit, judgements, structure, limit, isWeighed, spell: createSpelling(text) });
  }
}

/** By entry id, the alias in the text, or the issue, merge request or file that both text and entry name. */
function findNamed(
  text: string,
  { aliases, links }: { aliases: ReturnType<typeof createAliases>; links: ReturnType<typeof createLinks> },
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

/* Reads a query: its terms, and what they say about how to search. */

interface Asked {
  text: string;
  /** Terms of the query. */
  words: readonly string[];
  /** `words` and the terms of mentioned times. */
  terms: readonly string[];
  /** False if the query has identifiers: those match only as written, never by similarity. */
  isProse: boolean;
  /** False if it asks for the assistant's own words: then both sides of a chat count alike. */
  isWeighed: boolean;
}

/** Characters read of a query; the rest of a long message is repetition or a paste. */
const MOST_OF_A_QUERY = 4_000;
const MOST_TERMS = 64;

/** "You once recommended", "did you say", "your summary", "in our last conversation". */
const ASSISTANTS_WORDS = new RegExp(
  [
    "\\byou(?:'ve| have| had)? (?:\\w+ )?(?:said|told|gave|given|wrote|written|recommended|suggested|proposed|explained|described|mentioned|listed|provided|showed|shown|found|reported|answered|shared|advised|concluded)\\b",
    "\\b(?:did|do) you (?:\\w+ )?(?:say|tell|give|write|recommend|suggest|propose|explain|describe|mention|list|provide|show|find|report|answer|share|advise|conclude)\\b",
    "\\byour (?:\\w+ )?(?:answer|suggestion|recommendation|advice|explanation|proposal|summary|report|review|list|reply|response)s?\\b",
    "\\bour (?:last|previous|earlier|past) (?:chat|conversation|discussion|session)s?\\b",
  ].join("|"),
  "i",
);

function readQuery(query: string, nowMs: number): Asked {
  const text = query.slice(0, MOST_OF_A_QUERY);
  const words = [...new Set(splitTerms(text))].slice(0, MOST_TERMS);
  return {
    text,
    words,
    terms: [...new Set([...words, ...findDateTerms(text, nowMs)])],
    isProse: words.length > 0 && !hasIdentifiers(text),
    isWeighed: !ASSISTANTS_WORDS.test(text),
  };
}

/* Links between entries: one names the other, or both name the same issue, merge request or file. */

/** An entity named by more entries says nothing about any of them. */
const HUB = 20;

function createLinks() {
  const byEntity = new Map<string, Map<string, true>>();
  /** Naming entries by the id of the named entry. */
  const namedBy = new Map<string, Map<string, true>>();

  return {
    add(entry: Kept): void {
      for (const entity of entry.entities) putIn(byEntity, entity, entry.id, true);
      for (const link of entry.links) putIn(namedBy, link, entry.id, true);
    },
    remove(entry: Kept): void {
      for (const entity of entry.entities) takeFrom(byEntity, entity, entry.id);
      for (const link of entry.links) takeFrom(namedBy, link, entry.id);
    },
    /** Entries one step away, with the id or entity that leads there; skips entities shared by too many. */
    follow({ id, entities, links }: Kept): ReadonlyMap<string, string> {
      const found = new Map<string, string>();
      for (const other of [...links, ...(namedBy.get(id)?.keys() ?? [])]) found.set(other, id);
      for (const entity of entities) {
        for (const other of bearersOf(entity)) if (!found.has(other)) found.set(other, entity);
      }
      found.delete(id);
      return found;
    },
    naming: bearersOf,
  };

  /** Entries that name this entity; none if too many do. */
  function bearersOf(entity: string): readonly string[] {
    const bearers = byEntity.get(entity);
    return bearers && bearers.size <= HUB ? [...bearers.keys()] : [];
  }
}

/*
 * Similarity in meaning of entries to a query: by the embedder's vectors where an entry has one, by the built-in word
 * vectors otherwise.
 */

/** Weight of the most similar entry by word vectors; an embedder names its own weight. */
const MEANING_WEIGHT = 0.2;

function createMeaning({
  embedder,
  wordVectors,
}: Required<Pick<RecallOptions, "wordVectors">> & { embedder: Embedder | undefined }) {
  const byWords = wordVectors ? createWordLikeness(wordVectors) : undefined;
  const byEmbedder = embedder && createEmbedderLikeness(embedder);
  const compareWords = (text: string): Likenesses => {
    const alike = byWords?.compare(text);
    return alike && spread(alike);
  };
  const toJudgements = (alike: Likenesses, weight = MEANING_WEIGHT): Judgement[] =>
    alike ? [{ alike, weight }] : [];

  return {
    /** An entry that is withheld is never given to the embedder. */
    add({ id, text, title }: Kept, isWithheld: boolean): void {
      byWords?.add(id, `${title}\n${text}`);
      if (!isWithheld) byEmbedder?.add(id, `${title}\n${text}`);
    },
    remove(id: string): void {
      byWords?.remove(id);
      byEmbedder?.remove(id);
    },
    embed: async () => byEmbedder?.fill(),
    judgeByWords: (text: string): Judgement[] => toJudgements(compareWords(text)),
    /** `judgeByWords` if the embedder fails. Never rejects. */
    async judge(text: string): Promise<Judgement[]> {
      const embedded = await byEmbedder?.compare(text);
      const others = compareWords(text);
      if (!embedded) return toJudgements(others);
      const rest = others && new Map([...others].filter(([id]) => !byEmbedder?.has(id)));
      return [...toJudgements(embedded, embedder?.weight), ...toJudgements(rest)];
    },
    /** Best first, scored below those that share words. Never rejects. */
    async matchAll(text: string): Promise<RecallHit[]> {
      const alike = [...((await byEmbedder?.compareStrictly(text)) ?? [])];
      return inOrder(alike.map(([id, value]) => ({ id, score: value / 2, why: ALIKE })));
    },
  };
}

/** Scales so that the best is 1 and the worst 0; equal ones become 1. */
function spread(scores: ReadonlyMap<string, number>): Map<string, number> {
  const values = [...scores.values()];
  const best = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const worst = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const range = best - worst;
  return new Map([...scores].map(([id, score]) => [id, range > 0 ? (score - worst) / range : 1]));
}
