import type { Memory } from "../../src/memory/memory.js";
import type { MemoryStore } from "../../src/memory/store/store.js";
import { MORNING } from "./fake-clock.js";
import { memoryOf } from "./memory.js";

/** Memories in a list, with the methods that searches use. */
export interface ListedMemories extends Pick<MemoryStore, "list" | "known" | "onChange"> {
  readonly all: Map<string, Memory>;
  put(memory: Memory): void;
  remove(id: string): void;
  /** Error thrown by the next read. */
  failure: Error | undefined;
}

export function createListedMemories(...given: Memory[]): ListedMemories {
  const all = new Map(given.map((memory) => [memory.id, memory]));
  const listeners: ((changed: readonly string[]) => void)[] = [];
  const known = (): Memory[] => [...all.values()].filter(({ status }) => status !== "archived");
  const tell = (id: string): void => {
    for (const listener of listeners) listener([id]);
  };
  const listed: ListedMemories = {
    all,
    failure: undefined,
    put(memory) {
      all.set(memory.id, memory);
      tell(memory.id);
    },
    remove(id) {
      all.delete(id);
      tell(id);
    },
    known,
    async list({ archived = false } = {}) {
      const { failure } = listed;
      listed.failure = undefined;
      if (failure) throw failure;
      return archived ? [...all.values()] : known();
    },
    onChange: (listener) => void listeners.push(listener),
  };
  return listed;
}

/** A memory with this name and text. */
export function remembered(name: string, content: string, more: Partial<Memory> = {}): Memory {
  const type = more.type ?? "knowledge";
  const at = new Date(MORNING).toISOString();
  const dates = { created: at, updated: at };
  return memoryOf({ id: `${type}/${name}`, content, ...dates, provenance: { by: "user" }, ...more });
}
