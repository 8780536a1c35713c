/**
 * A recall index of the memories, built in the background and kept current.
 *
 *     open          reads the memories, then indexes them in slices, so that no turn waits long
 *     a change      updates the index as soon as the background queue is free
 *     a failure     is logged once; the next use retries
 *
 * Until a change is indexed, searches see the earlier state: none waits.
 */
import type PQueue from "p-queue";
import { formatError } from "../../base/error.js";
import type { Clock } from "../../io/clock.js";
import type { Log } from "../../io/log.js";
import { formatWordsOnly } from "../../recall/embedder.js";
import type { Recall, RecallEntry } from "../../recall/recall.js";
import type { Memory } from "../memory.js";
import type { MemoryStore } from "../store/store.js";

export interface MemoryIndexOptions {
  memories: Pick<MemoryStore, "list" | "known" | "onChange">;
  clock: Clock;
  log: Log;
  background: PQueue;
  createIndex: () => Promise<Recall>;
  /** May the memory be given to the index's embedder? Default: none may. */
  mayEmbed?: ((memory: Memory) => boolean) | undefined;
}

export interface MemoryIndex {
  /** Starts indexing, once. Never waits, never throws. */
  open(): void;
  /** Resolves when everything known at the call is indexed, or indexing failed. */
  whenCurrent(): Promise<void>;
  /** Resolves when everything known at the call is also embedded, or the embedder failed. Never rejects. */
  whenEmbedded(): Promise<void>;
  /** The indexed memories by id. */
  readonly memories: ReadonlyMap<string, Memory>;
  /** `undefined` until its code is loaded. */
  readonly recall: Recall | undefined;
}

/** Number of memories indexed at a time: takes a few milliseconds, twenty if all are long. */
const SLICE = 50;

export function createMemoryIndex(options: MemoryIndexOptions): MemoryIndex {
  const { memories, clock, log, background, createIndex, mayEmbed = () => false } = options;
  const indexed = new Map<string, Memory>();
  const changed = new Set<string>();
  let recall: Recall | undefined;
  let work: Promise<void> | undefined;
  let isFilled = false;
  let complaint: string | undefined;
  memories.onChange((ids) => {
    for (const id of ids) changed.add(id);
    if (isFilled) start();
  });

  return {
    open() {
      if (!isFilled) start();
      else void embed();
    },
    whenCurrent,
    async whenEmbedded() {
      await whenCurrent();
      await embed();
    },
    memories: indexed,
    get recall() {
      return recall;
    },
  };

  async function whenCurrent(): Promise<void> {
    if (!isFilled || changed.size > 0) start();
    await work;
  }

  function start(): void {
    work ??= background.add(update).catch(handleFailure);
  }

  async function update(): Promise<void> {
    recall ??= await createIndex();
    if (!isFilled) await fill(recall);
    while (changed.size > 0) await applyChanges(recall);
    work = undefined;
    void embed();
  }

  /** No search waits for it: until it is done, memories are found by their words. Asks again for those that failed. */
  async function embed(): Promise<void> {
    try {
      await recall?.embed();
      complaint = undefined;
    } catch (thrown) {
      const message = formatWordsOnly(thrown);
      if (message !== complaint) log.warn("recall", message);
      complaint = message;
    }
  }

  function handleFailure(thrown: unknown): void {
    work = undefined;
    isFilled = false;
    log.error("recall", `memories may not be found until the next attempt: ${formatError(thrown)}`);
  }

  async function fill(index: Recall): Promise<void> {
    changed.clear();
    const all = await memories.list();
    const ids = new Set(all.map(({ id }) => id));
    for (const id of indexed.keys()) if (!ids.has(id)) removeFrom(index, id);
    await indexAll(index, all);
    isFilled = true;
  }

  async function applyChanges(index: Recall): Promise<void> {
    const ids = new Set(changed);
    changed.clear();
    const known = memories.known().filter(({ id }) => ids.has(id));
    for (const { id } of known) ids.delete(id);
    for (const id of ids) removeFrom(index, id);
    await indexAll(index, known);
  }

  function removeFrom(index: Recall, id: string): void {
    index.remove(id);
    indexed.delete(id);
  }

  async function indexAll(index: Recall, all: readonly Memory[]): Promise<void> {
    // The first read of a folder reports all its memories as changed; most are indexed by then.
    const others = all.filter((memory) => indexed.get(memory.id) !== memory);
    for (let start = 0; start < others.length; start += SLICE) {
      if (start > 0) await new Promise<void>((resolve) => clock.after(0, resolve));
      for (const memory of others.slice(start, start + SLICE)) {
        index.add(toEntry(memory, mayEmbed(memory)));
        indexed.set(memory.id, memory);
      }
    }
  }
}

/**
 * A memory as an index entry. Its entities go with the text, not under `paths`: those describe work, which ages; a
 * decision about a file does not. Memories of one session share a group. Without `mayEmbed`, no embedder gets it.
 */
export function toEntry(memory: Memory, mayEmbed = false): RecallEntry {
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
    isPrivate: !mayEmbed,
    ...(provenance.session !== undefined && { group: provenance.session }),
  };
}
