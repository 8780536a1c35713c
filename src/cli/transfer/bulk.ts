/**
 * A store for the gate that writes several hundred new memories at a time and holds all memories in RAM, so that an
 * import needs no file access per memory. Memories that wait to be written count as stored. The gate decides as for one
 * memory after the other: it sees the same memories in the same order, without those irrelevant to its decision.
 */
import { planMemory } from "../../memory/draft.js";
import { createFindSimilar, MOST_SIMILAR, type ReadSimilar, toSearch } from "../../memory/gate/gate.js";
import { createRelated } from "../../memory/gate/related.js";
import { formatID, type Memory, type MemoryDraft, parseID, usersTypes } from "../../memory/memory.js";
import { formatMemoryFile, readTitle } from "../../memory/memory-file.js";
import { foldName, planName, splitPath } from "../../memory/path.js";
import type { MemorySearch } from "../../memory/search/search.js";
import type { MemoryCopy, MemoryStore, OpenMemories, Written } from "../../memory/store/store.js";
import { foldSentence } from "../../text/text.js";

export interface Bulk {
  memories: Pick<MemoryStore, "remember" | "update">;
  readSimilar: ReadSimilar;
  /** Writes the waiting memories. */
  flush(): Promise<void>;
  /** By memory id: why a memory reported as written could not be written. */
  refused: ReadonlyMap<string, Written>;
}

export interface BulkOptions {
  /** The store, already listed. */
  store: Pick<OpenMemories, "adoptAll" | "known" | "remember" | "update">;
  operation: string;
  run: string;
  /** Paths of all files where shared or global memories may be. */
  paths: Readonly<Record<Memory["scope"], readonly string[]>>;
  nowMs: number;
  /** Creates a search of these memories, at first use. */
  openSearch(memories: SearchedMemories): Promise<Pick<MemorySearch, "find">>;
}

export type SearchedMemories = Pick<MemoryStore, "known" | "list" | "onChange">;

interface Waiting {
  copy: MemoryCopy;
  memory: Memory;
}

/** Limits memory use to a few steps of the store. */
const WAITING_AT_MOST = 1_000;

export function createBulk({ nowMs, openSearch, operation, paths, run, store }: BulkOptions): Bulk {
  const refused = new Map<string, Written>();
  const known = createKnown(store.known());
  const sentences = new Set(store.known().map(readSentence));
  const names = createNames(paths);
  let waiting: Waiting[] = [];
  let search: ReturnType<typeof openSearch> | undefined;
  const findSimilar = createFindSimilar(known, {
    async find(query) {
      search ??= openSearch(known);
      const { find } = await search;
      known.tell();
      return find(query);
    },
  });

  return {
    refused,
    flush,

    async readSimilar(draft) {
      const related = known.findRelated(draft);
      if (related.length === 0) return [];
      const found = await findSimilar(toSearch(draft), { limit: MOST_SIMILAR });
      const ids = new Set(found.map(({ id }) => id));
      return related.filter(({ id }) => ids.has(id));
    },

    memories: {
      async update(id, change, cause) {
        const current = known.get(id);
        if (current && change(current) === undefined) return { kind: "unchanged", memory: current, path: "" };
        // Write the newer memory before the older one names it as its successor.
        await flush();
        return take(await store.update(id, change, cause));
      },

      async remember(draft, cause) {
        const memory = planMemory(draft, readTitle, cause.saidMs ?? nowMs);
        const sentence = readSentence(memory);
        if (!mayWait(memory) || sentences.has(sentence)) {
          await flush();
          return take(await store.remember(draft, cause));
        }
        sentences.add(sentence);
        const named = { ...memory, id: formatID({ ...memory, name: names.plan(memory) }) };
        waiting.push({
          copy: { id: named.id, isArchived: false, contents: formatMemoryFile(memory) },
          memory: named,
        });
        known.set(named);
        if (waiting.length >= WAITING_AT_MOST) await flush();
        return { kind: "written", memory: named, path: "" };
      },
    },
  };

  /** Leaves types that git may ignore, private memories, and links that may be dropped to the store. */
  function mayWait({ links, sensitivity, type }: Memory): boolean {
    const isPlain = sensitivity === "internal" && !usersTypes.has(type);
    return isPlain && links.every((id) => known.get(id)?.isKeptOut !== true);
  }

  function take(written: Written): Written {
    if (written.kind !== "written") return written;
    known.set(written.memory);
    names.take(written.memory.id);
    sentences.add(readSentence(written.memory));
    return written;
  }

  async function flush(): Promise<void> {
    const all = waiting;
    waiting = [];
    if (all.length === 0) return;
    const written = await store.adoptAll(
      all.map(({ copy }) => copy),
      { operation, run },
    );
    for (const [n, one] of written.entries()) {
      const id = all[n]?.copy.id ?? "";
      if (one.kind !== "refused") known.set(one.memory);
      else {
        refused.set(id, one);
        known.remove(id);
      }
    }
  }
}

type Known = SearchedMemories & {
  get(id: string): Memory | undefined;
  set(memory: Memory): void;
  remove(id: string): void;
  findRelated(draft: MemoryDraft): readonly Memory[];
  /** Reports changes since the last call to the listeners, such as a search index. */
  tell(): void;
};

/** The memories in use, as the store will list them. */
function createKnown(begin: readonly Memory[]): Known {
  const memories = new Map<string, Memory>();
  const related = createRelated();
  const changed = new Set<string>();
  const listeners: ((ids: readonly string[]) => void)[] = [];
  let list: readonly Memory[] | undefined;
  const listAll = (): readonly Memory[] => {
    list ??= [...memories.values()];
    return list;
  };
  for (const memory of begin) set(memory);
  changed.clear();

  return {
    get: (id) => memories.get(id),
    set,
    remove,
    findRelated: related.find,
    known: listAll,
    list: async () => listAll(),
    onChange: (listener) => void listeners.push(listener),

    tell() {
      if (changed.size > 0) for (const listener of listeners) listener([...changed]);
      changed.clear();
    },
  };

  function set(memory: Memory): void {
    if (memory.status === "active" || memory.status === "resolved") {
      memories.set(memory.id, memory);
      related.set(memory);
      touch(memory.id);
    } else remove(memory.id);
  }

  function remove(id: string): void {
    memories.delete(id);
    related.remove(id);
    touch(id);
  }

  function touch(id: string): void {
    list = undefined;
    changed.add(id);
  }
}

interface Names {
  /** Reserves an unused file name for this memory. */
  plan(memory: Memory): string;
  /** Reserves an id that the store has chosen itself. */
  take(id: string): void;
}

function createNames(paths: BulkOptions["paths"]): Names {
  const taken = new Map<string, Set<string>>();
  const takenOf = (scope: string, type: string): Set<string> => {
    const names = taken.get(`${scope} ${type}`) ?? new Set();
    taken.set(`${scope} ${type}`, names);
    return names;
  };
  for (const [scope, all] of Object.entries(paths))
    for (const { name, type } of all.flatMap((path) => splitPath(path) ?? []))
      takenOf(scope, type).add(foldName(name));
  return {
    plan({ scope, title, type }) {
      const names = takenOf(scope, type);
      const name = planName(title, type, names);
      names.add(foldName(name));
      return name;
    },

    take(id) {
      const place = parseID(id);
      if (place) takenOf(place.scope, place.type).add(foldName(place.name));
    },
  };
}

const readSentence = ({ content, title }: Memory): string =>
  foldSentence(content.trim() === "" ? title : content);
