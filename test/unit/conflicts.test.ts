/** Two instances remember the same thing differently. */
import { describe, expect, it } from "vitest";
import { createConflicts } from "../../layers/5-auto-memory/injection/conflicts.js";
import type { Memory, MemoryDraft } from "../../src/memory/memory.js";
import type { MemoryStore, Written } from "../../src/memory/store/store.js";
import { createFakeClock } from "../support/fake-clock.js";
import { memoryOf } from "../support/memory.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { MEMORY, type MemoryWorld, openMemoryWorld } from "../support/memory-world.js";

const FOLDER = "/project/.opencode/memory";

/** A store that is a map; it gives a second memory of a name another one, as the real one does. */
function openStore(beforeWriting: () => Promise<unknown> = async () => {}) {
  const memories = new Map<string, Memory>();
  const store: Pick<MemoryStore, "list" | "remember" | "update"> = {
    list: async () => [...memories.values()],
    async update(id, change) {
      const current = memories.get(id);
      if (!current) return { kind: "refused", why: `there is no ${id}` };
      const memory = change(current);
      if (!memory) return { kind: "unchanged", memory: current, path: `${FOLDER}/${id}.md` };
      memories.set(id, memory);
      return { kind: "written", memory, path: `${FOLDER}/${id}.md` };
    },
    async remember(draft: MemoryDraft): Promise<Written> {
      await beforeWriting();
      const name = `${draft.type}/${(draft.title ?? "none").toLowerCase().replace(/\W+/g, "-")}`;
      const id = memories.has(name) ? `${name}-2` : name;
      const memory = memoryOf({ title: "none", created: "", updated: "", ...draft, id });
      memories.set(id, memory);
      return { kind: "written", memory, path: `${FOLDER}/${id}.md` };
    },
  };
  return { memories, store };
}

const draft = (content: string, session: string, over: Partial<MemoryDraft> = {}): MemoryDraft => ({
  type: "decision",
  title: "The Database",
  content,
  provenance: { by: "agent", session },
  ...over,
});
const cause = (session: string) => ({ operation: "remember", session });

function openTwo(beforeWriting?: () => Promise<unknown>) {
  const clock = createFakeClock();
  const files = createMemoryFiles({}, clock.now);
  const { memories, store } = openStore(beforeWriting);
  const open = () => createConflicts({ clock, files, store, folder: FOLDER });
  return { a: open(), b: open(), clock, files, memories };
}

describe("what two instances remember differently", () => {
  it("what two instances remember differently is no conflict where this instance has seen what stands, says the same, or is about something else", async () => {
    const { a, b, memories } = openTwo();
    await a.remember(draft("Postgres", "ses_a"), cause("ses_a"));
    expect(await b.remember(draft("  postgres\n", "ses_b"), cause("ses_b"))).toMatchObject({
      kind: "written",
    });
    expect(await b.remember(draft("8080", "ses_b", { title: "Port" }), cause("ses_b"))).toMatchObject({
      kind: "written",
    });
    b.see([...memories.values()]);
    expect(await b.remember(draft("SQLite", "ses_b"), cause("ses_b"))).toMatchObject({ kind: "written" });
    expect(await b.open()).toEqual([]);
  });

  it("what two instances remember differently is not changed over what another instance has changed since it was seen here", async () => {
    const { a, b, files, memories } = openTwo();
    await a.remember(draft("Postgres", "ses_a"), cause("ses_a"));
    const id = "decision/the-database";
    const edit = (content: string) => (one: Memory) => ({ ...one, content });
    b.see([...memories.values()]);
    expect(await a.update(id, edit("Postgres 16"), cause("ses_a"))).toMatchObject({ kind: "written" });
    const answer = await b.update(id, edit("SQLite"), cause("ses_b"));
    expect(answer).toMatchObject({ kind: "conflict", existing: { content: "Postgres 16" } });
    expect(memories.get(id)?.content).toBe("Postgres 16");
    const text = files.text(answer.kind === "conflict" ? answer.path : "") ?? "";
    expect(text).toContain("Postgres 16");
    expect(text).toContain("SQLite");
    // What touches no words is no matter of opinion, and who was told may decide.
    expect(await a.update(id, (one) => ({ ...one, pinned: true }), cause("ses_a"))).toMatchObject({
      kind: "written",
    });
    expect(await b.update(id, edit("SQLite"), cause("ses_b"))).toMatchObject({ kind: "written" });
    expect(await b.open()).toEqual([]);
    expect(await b.update("decision/none", edit("x"), cause("ses_b"))).toMatchObject({ kind: "refused" });
  });

  it("in the real store: the records are no memories and no problem to it, before and after they are settled", async () => {
    const world = openMemoryWorld();
    const other = world.reopen({ instance: "b" });
    const open = ({ clock, files, store }: MemoryWorld) =>
      createConflicts({ clock, files, store, folder: MEMORY });
    const [a, b] = [open(world), open(other)];
    await a.remember(draft("Postgres", "ses_a"), cause("ses_a"));
    expect(await b.remember(draft("SQLite", "ses_b"), cause("ses_b"))).toMatchObject({ kind: "conflict" });
    expect(await b.open()).toHaveLength(1);
    expect(await world.store.list({ archived: true })).toHaveLength(1);
    await other.store.update(
      "decision/the-database",
      (memory) => ({ ...memory, content: "Both" }),
      cause("ses_b"),
    );
    expect(await a.open()).toEqual([]);
    expect(world.paths().filter((path) => path.startsWith("archive/conflicts/"))).toHaveLength(1);
    expect(await world.store.list({ archived: true })).toHaveLength(1);
    expect([...world.store.problems(), ...other.store.problems()]).toEqual([]);
  });
});
