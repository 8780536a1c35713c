import type { Memory, MemoryDraft } from "../../src/memory/memory.js";
import type { Cause } from "../../src/memory/store/ledger.js";
import type { Memories, MemoryStore, Written } from "../../src/memory/store/store.js";
import { MORNING } from "./fake-clock.js";
import { memoryOf } from "./memory.js";

export interface FakeMemories extends MemoryStore, Pick<Memories, "noteUse"> {
  readonly contents: Map<string, Memory>;
  /** Operations in order: "remember decision/redis". */
  readonly done: string[];
  /** Errors thrown by the next writes, one each. */
  readonly failures: unknown[];
}

/** An in-memory memory store; tests may change its map. */
export function createFakeMemories(now: () => number = () => MORNING): FakeMemories {
  const contents = new Map<string, Memory>();
  const done: string[] = [];
  const failures: unknown[] = [];
  const put = (operation: string, memory: Memory): Written => {
    if (failures.length > 0) throw failures.shift();
    contents.set(memory.id, memory);
    done.push(`${operation} ${memory.id}`);
    return { kind: "written", memory, path: `/project/.opencode/memory/${memory.id}.md` };
  };
  const change = (id: string, edit: (memory: Memory) => Memory | undefined, operation: string): Written => {
    const current = contents.get(id);
    if (!current) return { kind: "refused", why: `there is no ${id}` };
    const next = edit(current);
    if (!next) return { kind: "unchanged", memory: current, path: `${id}.md` };
    return put(operation, { ...next, updated: new Date(now()).toISOString() });
  };
  const list = ({ archived = false } = {}): Memory[] =>
    [...contents.values()].filter(({ status }) => status === "active" || status === "resolved" || archived);
  return {
    contents,
    done,
    failures,
    read: async (id) => contents.get(id),
    list: async (options) => list(options),
    known: () => list(),
    remember: async (draft) => put("remember", fill(draft, freeID(draft, contents), now())),
    update: async (id, edit) => change(id, edit, "update"),
    archive: async (id) => change(id, (memory) => ({ ...memory, status: "archived" }), "archive"),
    restore: async (id) => change(id, (memory) => ({ ...memory, status: "active" }), "restore"),
    problems: () => [],
    onChange: () => {},
    noteUse: () => {},
  };
}

/** A memory from a draft, with all other fields filled in. */
export function fill(draft: MemoryDraft, id: string, nowMs: number): Memory {
  const time = new Date(nowMs).toISOString();
  const dates = { created: time, updated: time };
  return memoryOf({ title: draft.content.slice(0, 60), ...draft, id, status: "active", ...dates });
}

function freeID(
  { content, title = content, type }: MemoryDraft,
  taken: ReadonlyMap<string, unknown>,
): string {
  const name = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, 40);
  const names = [name, ...Array.from({ length: 100 }, (_, index) => `${name}-${index + 2}`)];
  return names.map((one) => `${type}/${one}`).find((id) => !taken.has(id)) ?? `${type}/full`;
}

export const CAUSE: Cause = { operation: "test" };
