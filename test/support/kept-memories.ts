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
  /** Changes in order: "remember decision/redis". */
  readonly done: string[];
  /** Errors thrown by the next writes, one each. */
  readonly failures: unknown[];
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
    done: [],
    failures: [],
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
        .replace(/[^\p{L}\p{N}]+/gu, "-")
        .slice(0, 40);
      const names = [name, ...[2, 3, 4, 5].map((n) => `${name}-${n}`)];
      const free = names.find((one) => !all.has(`${type}/${one}`)) ?? name;
      const created = { ...memory(free, content, { ...draft, type }), provenance };
      return write({ ...created, created: new Date(MORNING).toISOString() }, cause, "remember");
    },
    update: async (id, change, cause) => changeOne(id, change, cause, "update"),
    archive: async (id, cause) => changeOne(id, (one) => ({ ...one, status: "archived" }), cause, "archive"),
    restore: async (id, cause) => changeOne(id, (one) => ({ ...one, status: "active" }), cause, "restore"),
    async changeAll(planned, cause) {
      for (const { after } of planned) write(after, cause, "change");
      return { kind: "written", ids: planned.map(({ before }) => before.id) };
    },
    undo: async () => ({ kind: "nothing", why: "there is nothing to undo" }),
    problems: () => [],
    onChange: (listener) => void listeners.push(listener),
  };
  return fake;

  function changeOne(
    id: string,
    change: (one: Memory) => Memory | undefined,
    cause: Cause,
    operation: string,
  ): Written {
    const current = all.get(id);
    if (!current) return { kind: "refused", why: `There is no memory ${id}.` };
    const changed = change(current);
    if (!changed) return { kind: "unchanged", memory: current, path: pathOf(current) };
    return write(changed, cause, operation);
  }

  function write(changed: Memory, cause: Cause, operation: string): Written {
    if (fake.failures.length > 0) throw fake.failures.shift();
    if (fake.refuse) return fake.refuse;
    causes.push(cause);
    fake.done.push(`${operation} ${changed.id}`);
    fake.put(changed);
    return { kind: "written", memory: changed, path: pathOf(changed) };
  }
}
