/**
 * A store for the gate that writes new memories fifty at a time, so that an import does not look at every file for each
 * of them. What waits to be written counts as there: it is compared with, and written before it is changed.
 */

import type { FindSimilar } from "../../gate/gate.js";
import { planMemory } from "../../memory/draft.js";
import { formatID } from "../../memory/id.js";
import { type Memory, usersTypes } from "../../memory/memory.js";
import { formatMemoryFile, readTitle } from "../../memory/memory-file.js";
import { foldName, planName } from "../../memory/name.js";
import { splitPath } from "../../memory/path.js";
import type { MemoryCopy, MemoryStore, OpenMemories, Written } from "../../memory/store.js";
import { foldSentence } from "../../text.js";

export interface Bulk {
  memories: Pick<MemoryStore, "list" | "remember" | "update">;
  /** Also finds what waits. */
  withWaiting(findSimilar: FindSimilar): FindSimilar;
  /** Writes what waits. */
  flush(): Promise<void>;
  /** Why a memory that was taken for written could not be, by its id. */
  refused: ReadonlyMap<string, Written>;
}

export interface BulkOptions {
  /** The store, listed already. */
  store: OpenMemories;
  operation: string;
  run: string;
  /** Paths of all files in the place of a memory of the project. */
  paths: readonly string[];
  nowMs: number;
}

const WAITING_AT_MOST = 50;

export function createBulk({ nowMs, operation, paths, run, store }: BulkOptions): Bulk {
  const refused = new Map<string, Written>();
  const sentences = new Set(store.known().map(readSentence));
  const taken = groupNames(paths);
  let waiting: { copy: MemoryCopy; memory: Memory }[] = [];

  return {
    refused,
    flush,
    withWaiting: (findSimilar) => async (text, options) => [
      ...waiting.map(({ memory }) => memory),
      ...(await findSimilar(text, options)),
    ],

    memories: {
      list: async () => [...store.known(), ...waiting.map(({ memory }) => memory)],

      async update(id, change, cause) {
        if (waiting.some(({ memory }) => memory.id === id)) await flush();
        return store.update(id, change, cause);
      },

      /** The store itself decides about types that git may ignore, other places, and repeated sentences. */
      async remember(draft, cause) {
        const memory = planMemory(draft, readTitle, cause.saidMs ?? nowMs);
        const sentence = readSentence(memory);
        const isPlain = memory.scope === "project" && memory.sensitivity === "internal";
        if (!isPlain || usersTypes.has(memory.type) || sentences.has(sentence)) {
          await flush();
          return store.remember(draft, cause);
        }
        sentences.add(sentence);
        const names = taken.get(memory.type) ?? new Set();
        const name = planName(memory.title, memory.type, names);
        taken.set(memory.type, names.add(foldName(name)));
        const named = { ...memory, id: formatID({ ...memory, name }) };
        const copy = { id: named.id, isArchived: false, contents: formatMemoryFile(memory) };
        waiting.push({ copy, memory: named });
        if (waiting.length >= WAITING_AT_MOST) await flush();
        return { kind: "written", memory: named, path: "" };
      },
    },
  };

  async function flush(): Promise<void> {
    const all = waiting;
    waiting = [];
    if (all.length === 0) return;
    const written = await store.adoptAll(
      all.map(({ copy }) => copy),
      { operation, run },
    );
    for (const [n, one] of written.entries())
      if (one.kind === "refused") refused.set(all[n]?.copy.id ?? "", one);
  }
}

const readSentence = ({ content, title }: Memory): string =>
  foldSentence(content.trim() === "" ? title : content);

function groupNames(paths: readonly string[]): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  for (const { name, type } of paths.flatMap((path) => splitPath(path) ?? []))
    names.set(type, (names.get(type) ?? new Set()).add(foldName(name)));
  return names;
}
