/** Finds memories: a few precise ones for a message, more on request, with notes of earlier sessions. */
import type PQueue from "p-queue";
import { formatError } from "../../base/error.js";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import type { Log } from "../../io/log.js";
import type { SeenSessions } from "../../project/own.js";
import type { Embedder, Recall, RecallEntry, RecallHit, WordVectors } from "../../recall/recall.js";
import { findEntities, mayBeSame, normalizePath, parseEntityName } from "../../text/entities.js";
import { clamp } from "../fields.js";
import { isActive, type Memory, type MemoryType } from "../memory.js";
import { effectiveImportance } from "../rank.js";
import type { Memories, MemoryStore } from "../store/store.js";
import { createPastNotes, type PastHit, type PastNotes } from "./past-notes.js";

export interface MemorySearchOptions {
  memories: Pick<Memories, "list" | "known" | "onChange" | "useOf">;
  clock: Clock;
  files: Files;
  log: Log;
  background: PQueue;
  /** Folder of the session notes. */
  sessionMemory: string;
  /** Tells which of these sessions were held on this machine. */
  sessions: Pick<SeenSessions, "filter">;
  /** Adds search by meaning, of the memories that it may receive; never receives notes. */
  embedder?: (Embedder & { mayEmbed(memory: Memory): boolean }) | undefined;
}

/** Search criteria; a memory must match all that are given. */
export interface MemoryQuery {
  text?: string | undefined;
  /** An id, or a unique ending of one: `port-8080` for `decision/port-8080`. */
  id?: string;
  /** `!12`, `#34`, `&5` or a path relative to the project. */
  entity?: string | undefined;
  type?: MemoryType | undefined;
  /** Asks no embedder: for texts that may be private. */
  byWords?: true;
  /** Includes archived memories. */
  archived?: boolean | undefined;
  /** Default 20. */
  limit?: number;
  /** Omits the notes on this session: it knows what it said. */
  exceptSession?: string;
}

export type Found =
  | { kind: "memory"; memory: Memory; why: string }
  /** A line of an earlier session's notes: the user's words or the machine's record of events. */
  | ({ kind: "session" } & Omit<PastHit, "score">);

export type MemorySearch = ReturnType<typeof createMemorySearch>;

const USUAL_LIMIT = 20;
/** Maximum number of hits that are filtered by type and entity. */
const MOST_SIFTED = 1_000;
const ALL = { limit: MOST_SIFTED };
const MOST_MATCHES = 20;
/** Share of the results reserved for past sessions, even if memories would fill the list. */
const SESSIONS_SHARE = 0.25;
/**
 * Share of the best score below which a hit is left out of a list. Measured by `npm run bench:recall`: on
 * PrecisionMemBench precision of 20 hits rises from .27 to .31, and no evidence is lost there or in the conversation; at
 * .15 some is.
 */
const LEAST_SHARE = 0.1;
/** Maximum relative effect of importance on a score: it decides between equally good matches. */
const IMPORTANCE_SWING = 0.15;

/** The same sentence for the same error, so that it is logged once. */
export const formatWordsOnly = (thrown: unknown): string =>
  `memories are found by words only, not by meaning: ${formatError(thrown)}`;

export function createMemorySearch(options: MemorySearchOptions) {
  const { memories, clock, files, embedder, sessionMemory: folder, sessions } = options;
  let wordVectors: WordVectors | undefined;
  const createIndex = async (judge?: Embedder): Promise<Recall> => {
    const { createRecall } = await import("../../recall/recall.js");
    const { createWordVectors } = await import("../../recall/vectors.js");
    wordVectors ??= createWordVectors();
    return createRecall({ now: clock.now, wordVectors, ...(judge && { embedder: judge }) });
  };
  const active = createMemoryIndex({ ...options, createIndex: () => createIndex(embedder) });
  const past = createPastNotes({ files, folder, sessions, createIndex });
  let archive: MemoryIndex | undefined;
  memories.onChange(() => {
    archive = undefined;
  });

  return {
    /** Starts reading and indexing in the background, once. */
    open: active.open,
    /** Resolves when all that the embedder may receive is embedded, or the embedder failed. Never rejects. */
    whenEmbedded: active.whenEmbedded,

    /** Memories first, then lines of past sessions, each best first; without a text the newest first. */
    async find(query: MemoryQuery): Promise<readonly Found[]> {
      const limit = Math.max(0, Math.min(query.limit ?? USUAL_LIMIT, MOST_SIFTED));
      if (query.archived) archive ??= openArchive();
      const collections = query.archived && archive ? [active, archive] : [active];
      const found = await Promise.all(collections.map((collection) => searchIndex(collection, query)));
      const isRanked = query.text !== undefined || query.entity !== undefined;
      const sorted = found.flat().sort(byScore);
      const memoryHits = isRanked ? dropIrrelevant(sorted) : sorted;
      const pastHits = await findPastLines(past, query, limit);
      const room = Math.max(Math.floor(limit * SESSIONS_SHARE), limit - memoryHits.length);
      const pastLines = pastHits.slice(0, room);
      const shown = memoryHits.slice(0, limit - pastLines.length);
      return [...shown.map(({ memory, why }): Found => ({ kind: "memory", memory, why })), ...pastLines];
    },

    /** Memories that the text certainly means, best first, from what is indexed now. Never waits; often empty. */
    match(text: string): readonly Memory[] {
      active.open();
      return listMatched(active.recall()?.match(text, { limit: MOST_MATCHES }) ?? []);
    },

    /** The same with those that mean it in other words, by the embedder; waits for that one. Never rejects. */
    async matchByMeaning(text: string): Promise<readonly Memory[]> {
      active.open();
      return listMatched((await active.recall()?.matchByMeaning(text, { limit: MOST_MATCHES })) ?? []);
    },
  };

  function listMatched(hits: readonly RecallHit[]): readonly Memory[] {
    const matched = weigh(hits, active).filter(({ memory }) => isActive(memory, clock.now()));
    return matched.sort(byScore).map(({ memory }) => memory);
  }

  /** Rebuilt after a change: archive searches are rare. */
  function openArchive(): MemoryIndex {
    const list = async () =>
      (await memories.list({ archived: true })).filter(({ status }) => status === "archived");
    const collection = { list, known: () => [], onChange: () => {} };
    return createMemoryIndex({ ...options, memories: collection, createIndex });
  }

  async function searchIndex(collection: MemoryIndex, query: MemoryQuery): Promise<Weighed[]> {
    await collection.whenCurrent();
    if (query.id !== undefined) return findByID(collection, query.id);
    const { byWords, entity, text, type } = query;
    const asked = text ?? entity;
    const recall = collection.recall();
    const found =
      asked === undefined || recall === undefined
        ? listByTime(collection)
        : weigh(await (byWords ? recall.search : recall.searchByMeaning)(asked, ALL), collection);
    return found.filter(
      ({ memory }) =>
        (type === undefined || memory.type === type) && (entity === undefined || isAbout(memory, entity)),
    );
  }

  function weigh(hits: readonly RecallHit[], collection: MemoryIndex): Weighed[] {
    return hits.flatMap(({ id, score, why }) => {
      const memory = collection.memories.get(id);
      if (!memory) return [];
      const importance = clamp(effectiveImportance(memory, memories.useOf(id), clock.now()));
      return [{ memory, why, score: score * (1 + IMPORTANCE_SWING * (2 * importance - 1)) }];
    });
  }
}

type IndexOptions = Pick<MemorySearchOptions, "background" | "embedder" | "log"> & {
  memories: Pick<MemoryStore, "list" | "known" | "onChange">;
  createIndex: () => Promise<Recall>;
};

type MemoryIndex = ReturnType<typeof createMemoryIndex>;

/**
 * A recall index, built in the background and kept current: until a change is indexed, searches see the earlier state. A
 * failure is logged, and the next use tries again.
 */
function createMemoryIndex({ background, createIndex, embedder, log, memories }: IndexOptions) {
  const indexed = new Map<string, Memory>();
  let recall: Recall | undefined;
  let work: Promise<void> | undefined;
  let isFilled = false;
  let isStale = false;
  memories.onChange(() => {
    isStale = true;
    if (isFilled) start();
  });

  return {
    whenCurrent,
    /** The indexed memories by id. */
    memories: indexed as ReadonlyMap<string, Memory>,
    /** `undefined` until its code is loaded. */
    recall: () => recall,

    /** Never waits, never throws. */
    open(): void {
      if (!isFilled) start();
      else void embed();
    },

    /** Resolves when everything known at the call is also embedded, or the embedder failed. Never rejects. */
    async whenEmbedded(): Promise<void> {
      await whenCurrent();
      await embed();
    },
  };

  /** Resolves when everything known at the call is indexed, or indexing failed. */
  async function whenCurrent(): Promise<void> {
    while (!isFilled || isStale) {
      start();
      await work;
      if (!isFilled) return;
    }
  }

  function start(): void {
    work ??= background
      .add(update)
      .catch((thrown) => {
        isFilled = false;
        log.error("recall", `memories may not be found until the next attempt: ${formatError(thrown)}`);
      })
      .finally(() => {
        work = undefined;
        if (isFilled && isStale) start();
      });
  }

  async function update(): Promise<void> {
    recall ??= await createIndex();
    do {
      isStale = false;
      follow(recall, indexed, isFilled ? memories.known() : await memories.list(), embedder);
      isFilled = true;
    } while (isStale);
    void embed();
  }

  /** No search waits for it: until it is done, memories are found by their words. Asks again for those that failed. */
  async function embed(): Promise<void> {
    try {
      await recall?.embed();
    } catch (thrown) {
      log.warn("recall", formatWordsOnly(thrown));
    }
  }
}

/** A memory that has not changed is the same object. */
function follow(
  index: Recall,
  indexed: Map<string, Memory>,
  all: readonly Memory[],
  embedder: MemorySearchOptions["embedder"],
): void {
  const ids = new Set(all.map(({ id }) => id));
  for (const id of [...indexed.keys()].filter((one) => !ids.has(one))) {
    index.remove(id);
    indexed.delete(id);
  }
  for (const memory of all.filter((one) => indexed.get(one.id) !== one)) {
    index.add({ ...toEntry(memory), isPrivate: !embedder?.mayEmbed(memory) });
    indexed.set(memory.id, memory);
  }
}

/**
 * A memory as an index entry. Its entities go with the text, not under `paths`: those describe work, which ages; a
 * decision about a file does not. Memories of one session share a group.
 */
function toEntry(memory: Memory): RecallEntry {
  const { aliases, content, created, entities, id, links, provenance, supersededBy, tags, title, type } =
    memory;
  return {
    id,
    title,
    text: [content, tags.join(", "), entities.join(" "), type].join("\n"),
    aliases,
    date: created,
    links: supersededBy === undefined ? links : [...links, supersededBy],
    order: Date.parse(created) || 0,
    ...(provenance.session !== undefined && { group: provenance.session }),
  };
}

/** Lines of past sessions; none if the query names an id or a type. */
async function findPastLines(
  past: PastNotes,
  { entity, exceptSession, id, text, type }: MemoryQuery,
  limit: number,
): Promise<Found[]> {
  const asked = text ?? entity;
  if (asked === undefined || id !== undefined || type !== undefined) return [];
  const hits = await past.find(asked, { limit, exceptSession });
  return dropIrrelevant(hits)
    .filter((hit) => entity === undefined || hasEntity(findEntities(hit.text), entity))
    .map(({ score: _, ...hit }) => ({ kind: "session", ...hit }));
}

interface Weighed {
  memory: Memory;
  score: number;
  why: string;
}

/** `hits` come best first. */
function dropIrrelevant<T extends { score: number }>(hits: readonly T[]): T[] {
  const least = LEAST_SHARE * (hits[0]?.score ?? 0);
  return hits.filter(({ score }) => score >= least);
}

function byScore(a: Weighed, b: Weighed): number {
  return b.score - a.score || (a.memory.id < b.memory.id ? -1 : 1);
}

function findByID({ memories }: MemoryIndex, id: string): Weighed[] {
  const exact = memories.get(id);
  const ending = [...memories.values()].filter((memory) => memory.id.endsWith(`/${id}`));
  const memory = exact ?? (ending.length === 1 ? ending[0] : undefined);
  return memory ? [{ memory, score: 1, why: "id" }] : [];
}

/** Scores by time: newest first. */
function listByTime({ memories }: MemoryIndex): Weighed[] {
  return [...memories.values()].map((memory) => ({
    memory,
    score: Date.parse(memory.updated) || 0,
    why: memory.type,
  }));
}

/** A key of another tracker, such as PROJ-12, matches as a word. */
const TICKET = /^[A-Z][A-Z0-9]{1,9}-\d{1,7}$/;

function isAbout(memory: Memory, entity: string): boolean {
  if (TICKET.test(entity))
    return new RegExp(`(?<![\\w-])${entity}(?![\\w-])`).test(
      [memory.title, memory.content, ...memory.entities, ...memory.tags].join("\n"),
    );
  return (
    hasEntity(memory.entities, entity) ||
    hasEntity(findEntities(`${memory.title}\n${memory.content}`), entity)
  );
}

/** A path also matches by its ending, `#34` also as `acme/shop#34` and as a URL. */
function hasEntity(entities: readonly string[], entity: string): boolean {
  const name = parseEntityName(entity);
  if (name)
    return entities.some((one) => {
      const other = parseEntityName(one);
      return other !== undefined && mayBeSame(name, other);
    });
  const asked = normalizePath(entity);
  return entities.map(normalizePath).some((one) => one === asked || one.endsWith(`/${asked}`));
}
