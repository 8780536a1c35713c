import type { Memory } from "../../src/memory/memory.js";
import type { Cause } from "../../src/memory/store/ledger.js";
import type { Memories, Written } from "../../src/memory/store/store.js";
import { MORNING } from "./fake-clock.js";
import { PROJECT } from "./fake-host.js";
import { memory } from "./memories.js";

export interface KeptMemories extends Memories {
  readonly all: Map<string, Memory>;
  /** Reasons of the changes, in order. */
  readonly causes: Cause[];
  /** Handles writes instead of the store. */
  refuse: Written | undefined;
  /** Adds a memory as an editor would. */
  put(...memories: Memory[]): void;
  /** Removes it as a person would. */
  remove(id: string): void;
  /** Memories that were shown or read, in order. */
  readonly used: string[];
}

/** Memories in a map. */
export function createKeptMemories(...given: Memory[]): KeptMemories {
  const all = new Map(given.map((one) => [one.id, one]));
  const listeners: ((changed: readonly string[]) => void)[] = [];
  const causes: Cause[] = [];
  const pathOf = ({ id }: Pick<Memory, "id">): string => `${PROJECT}/.opencode/memory/${id}.md`;
  const known = (): Memory[] => [...all.values()].filter(({ status }) => status !== "archived");
  const fake: KeptMemories = {
    all,
    causes,
    refuse: undefined,
    used: [],
    noteUse: (ids) => void fake.used.push(...ids),
    isDeciding: () => false,
    foreign: () => [],
    accept: async () => [],
    revoke: async () => undefined,
    mendAfterUndo: async () => [],
    useOf: () => undefined,
    history: async () => [],
    locate: async (id) => (all.has(id) ? pathOf({ id }) : undefined),
    onIdle: async () => {},
    put(...memories) {
      for (const one of memories) all.set(one.id, one);
      for (const tell of listeners) tell(memories.map(({ id }) => id));
    },
    remove(id) {
      all.delete(id);
      for (const tell of listeners) tell([id]);
    },
    read: async (id) => all.get(id),
    list: async ({ archived = false } = {}) => (archived ? [...all.values()] : known()),
    known,
    async remember({ content, provenance, type, ...draft }, cause) {
      const name = (draft.title ?? content)
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .slice(0, 40);
      const created = { ...memory(name, content, { ...draft, type }), provenance };
      const dated = { ...created, created: new Date(MORNING).toISOString() };
      return write(dated, cause);
    },
    update: async (id, change, cause) => changeOne(id, change, cause),
    archive: async (id, cause) => changeOne(id, (one) => ({ ...one, status: "archived" }), cause),
    restore: async (id, cause) => changeOne(id, (one) => ({ ...one, status: "active" }), cause),
    async changeAll(planned, cause) {
      for (const { after } of planned) write(after, cause);
      return { kind: "written", ids: planned.map(({ before }) => before.id) };
    },
    undo: async () => ({ kind: "nothing", why: "there is nothing to undo" }),
    problems: () => [],
    onChange: (listener) => void listeners.push(listener),
  };
  return fake;

  function changeOne(id: string, change: (one: Memory) => Memory | undefined, cause: Cause): Written {
    const current = all.get(id);
    if (!current) return { kind: "refused", why: `There is no memory ${id}.` };
    const changed = change(current);
    if (!changed) return { kind: "unchanged", memory: current, path: pathOf(current) };
    return write(changed, cause);
  }

  function write(changed: Memory, cause: Cause): Written {
    if (fake.refuse) return fake.refuse;
    causes.push(cause);
    fake.put(changed);
    return { kind: "written", memory: changed, path: pathOf(changed) };
  }
}
