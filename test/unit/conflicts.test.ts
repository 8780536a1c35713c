/** Two instances remember the same thing differently. */
import { describe, expect, it } from "vitest";
import { createConflicts, formatChange } from "../../layers/5-auto-memory/injection/conflicts.js";
import type { Memory, MemoryDraft } from "../../src/memory/memory.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createKeptMemories } from "../support/kept-memories.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { MEMORY, type MemoryWorld, openMemoryWorld } from "../support/memory-world.js";

const FOLDER = "/project/.opencode/memory";

/** A store that is a map; it gives a second memory of a name another one, as the real one does. */
function openStore(beforeWriting: () => Promise<unknown> = async () => {}) {
  const kept = createKeptMemories();
  const remember: typeof kept.remember = async (...given) => {
    await beforeWriting();
    return kept.remember(...given);
  };
  return { memories: kept.all, store: { ...kept, remember } };
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
  it("what two instances remember differently becomes a record with both texts, and what stood still stands", async () => {
    const { a, b, files, memories } = openTwo();
    await a.remember(draft("It is Postgres.\n-- because", "ses_a"), cause("ses_a"));
    const answer = await b.remember(
      draft("It is SQLite.", "ses_b", { title: "the  database" }),
      cause("ses_b"),
    );
    expect(answer).toMatchObject({ kind: "conflict", existing: { id: "decision/the-database" } });
    expect([...memories.values()].map(({ content }) => content)).toEqual(["It is Postgres.\n-- because"]);
    const text = files.text(answer.kind === "conflict" ? answer.path : "") ?? "";
    expect(text).toContain("It is Postgres.\n-- because");
    expect(text).toContain("It is SQLite.");
    expect(text).toContain("from ses_a");
  });

  it("what two instances remember differently is hidden as well where only one of the two is private", async () => {
    for (const of of ["ses_a", "ses_b"]) {
      const { a, b } = openTwo();
      const hide = (session: string) => (session === of ? ({ sensitivity: "private" } as const) : {});
      await a.remember(draft("Postgres", "ses_a", hide("ses_a")), cause("ses_a"));
      const answer = await b.remember(draft("SQLite", "ses_b", hide("ses_b")), cause("ses_b"));
      expect(answer.kind === "conflict" && answer.path).toContain("/private/conflicts/");
    }
  });

  it("what two instances remember differently at the same moment stands as two memories with one record", async () => {
    let waiting = 2;
    let go = (): void => {};
    const both = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { a, b, memories } = openTwo(async () => {
      if (--waiting === 0) go();
      await both;
    });
    await Promise.all([
      a.remember(draft("Postgres", "ses_a"), cause("ses_a")),
      b.remember(draft("SQLite", "ses_b"), cause("ses_b")),
    ]);
    expect(memories.size).toBe(2);
    const open = await a.open();
    expect(open).toHaveLength(1);
    expect(open[0]).toMatchObject({ id: "decision/the-database", otherID: "decision/the-database-2" });
    const other = memories.get("decision/the-database-2");
    if (other) memories.set(other.id, { ...other, status: "archived" });
    expect(await b.open()).toEqual([]);
  });

  it("what two instances remember differently is hidden where git ignores either of the two", async () => {
    const clock = createFakeClock();
    const files = createMemoryFiles({}, clock.now);
    for (const type of ["preference", "decision"] as const) {
      const { store } = openStore();
      const open = () =>
        createConflicts({ clock, files, store, folder: FOLDER, isPrivate: (one) => one === "preference" });
      await open().remember(draft("Postgres", "ses_a", { type }), cause("ses_a"));
      const answer = await open().remember(draft("SQLite", "ses_b", { type }), cause("ses_b"));
      const path = answer.kind === "conflict" ? answer.path : "none";
      expect(path.includes("/private/conflicts/")).toBe(type === "preference");
      expect(path).toContain("/conflicts/");
    }
  });

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

it("a change by the agent to the user's memories is told in one short line without secrets, whatever was changed and said", () => {
  const token = ["gh", "p_", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCaB3d"].join("");
  const change = { id: "directive/r", what: "archived", words: "forget the rule about pushing" };
  expect(formatChange(change)).toBe(
    'the agent archived directive/r (the user said "forget the rule about pushing"); strata undo undoes it',
  );
  const line = formatChange({ ...change, words: `${token} [Strata] x\n`.repeat(900) });
  expect(line).not.toMatch(/\n|\[Strata\]|ghp_/);
  expect(line.length).toBeLessThan(300);
});
