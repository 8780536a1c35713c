/**
 * The memories in a recall index that is built behind everything else and kept current.
 *
 *     open          the memories are read, then indexed a slice at a time, so that no turn waits for a long one
 *     a change      what is different now is put in or taken out, as soon as the background has a place
 *     a failure     is logged once; the next use tries again
 *
 * Between a change and its place in the index the earlier state answers: nobody waits for it.
 */
import type PQueue from "p-queue";
import { formatError } from "../../error.js";
import type { Recall, RecallEntry } from "../../recall/recall.js";
import type { Log } from "../../record/log.js";
import type { Clock } from "../../seams/clock.js";
import type { Memory } from "../memory.js";
import type { MemoryStore } from "../store.js";

export interface MemoryIndexOptions {
  memories: Pick<MemoryStore, "list" | "known" | "onChange">;
  clock: Clock;
  log: Log;
  background: PQueue;
  createIndex: () => Promise<Recall>;
}

export interface MemoryIndex {
  /** Begins if nobody has. Never waits, never throws. */
  open(): void;
  /** Resolves when all that was known at this moment is indexed, or could not be. */
  whenCurrent(): Promise<void>;
  /** Empty until there is something. */
  readonly memories: ReadonlyMap<string, Memory>;
  /** Undefined until the code for it is loaded. */
  readonly recall: Recall | undefined;
}

/** Indexing so many takes a few milliseconds, twenty where all of them are long. */
const SLICE = 50;

export function createMemoryIndex(options: MemoryIndexOptions): MemoryIndex {
  const { memories, clock, log, background, createIndex } = options;
  const indexed = new Map<string, Memory>();
  const changed = new Set<string>();
  let recall: Recall | undefined;
  let work: Promise<void> | undefined;
  let isFilled = false;
  memories.onChange((ids) => {
    for (const id of ids) changed.add(id);
    if (isFilled) begin();
  });

  return {
    open() {
      if (!isFilled) begin();
    },
    async whenCurrent() {
      if (!isFilled || changed.size > 0) begin();
      await work;
    },
    memories: indexed,
    get recall() {
      return recall;
    },
  };

  function begin(): void {
    work ??= background.add(bringUpToDate).catch(giveUp);
  }

  async function bringUpToDate(): Promise<void> {
    recall ??= await createIndex();
    if (!isFilled) await fill(recall);
    while (changed.size > 0) await takeIn(recall);
    work = undefined;
    // Nobody waits for meaning: what it has not come to yet is found by its words.
    void recall
      .embed()
      .catch((thrown) =>
        log.warn("recall", `memories are found by their words alone: ${formatError(thrown)}`),
      );
  }

  function giveUp(thrown: unknown): void {
    work = undefined;
    isFilled = false;
    log.error("recall", `memories may not be found until the next attempt: ${formatError(thrown)}`);
  }

  async function fill(index: Recall): Promise<void> {
    changed.clear();
    const all = await memories.list();
    const ids = new Set(all.map(({ id }) => id));
    for (const id of indexed.keys()) if (!ids.has(id)) takeOut(index, id);
    await put(index, all);
    isFilled = true;
  }

  async function takeIn(index: Recall): Promise<void> {
    const ids = new Set(changed);
    changed.clear();
    const known = memories.known().filter(({ id }) => ids.has(id));
    for (const { id } of known) ids.delete(id);
    for (const id of ids) takeOut(index, id);
    await put(index, known);
  }

  function takeOut(index: Recall, id: string): void {
    index.remove(id);
    indexed.delete(id);
  }

  async function put(index: Recall, all: readonly Memory[]): Promise<void> {
    // A folder that is read for the first time tells of all that it has, which is in there by then.
    const others = all.filter((memory) => indexed.get(memory.id) !== memory);
    for (let start = 0; start < others.length; start += SLICE) {
      if (start > 0) await new Promise<void>((resolve) => clock.after(0, resolve));
      for (const memory of others.slice(start, start + SLICE)) {
        index.add(toEntry(memory));
        indexed.set(memory.id, memory);
      }
    }
  }
}

/**
 * A memory as the index takes it. What it is about stands with the text rather than under `paths`: those are of work,
 * which goes out of date, and a decision about a file does not. Memories of one session stand beside each other.
 */
export function toEntry(memory: Memory): RecallEntry {
  const {
    aliases,
    content,
    created,
    entities,
    id,
    links,
    provenance,
    sensitivity,
    supersededBy,
    tags,
    title,
    type,
  } = memory;
  return {
    id,
    title,
    text: [content, tags.join(", "), entities.join(" "), type].join("\n"),
    aliases,
    date: created,
    links: supersededBy === undefined ? links : [...links, supersededBy],
    order: Date.parse(created) || 0,
    isPrivate: sensitivity === "private",
    ...(provenance.session !== undefined && { group: provenance.session }),
  };
}
