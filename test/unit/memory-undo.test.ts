/** Many changes in one step, and undoing them. */
import { describe, expect, it } from "vitest";
import type { Memory, MemoryDraft } from "../../src/memory/memory.js";
import { replayLedger } from "../../src/memory/store/ledger-line.js";
import type { Memories } from "../../src/memory/store/store.js";
import { withDeath } from "../support/dying-files.js";
import { draft, MEMORY, type MemoryWorld, openMemoryWorld } from "../support/memory-world.js";

const CAUSE = { operation: "dream" };

/** Five memories, one of them private. */
async function openFive(): Promise<{ world: MemoryWorld; memories: readonly Memory[] }> {
  const world = openMemoryWorld();
  const remember = (title: string, given: Partial<MemoryDraft> = {}) =>
    world.store.remember(draft(`About ${title}.`, { title, type: "knowledge", ...given }), {
      operation: "remember",
    });
  for (const title of ["one", "two", "three", "four"]) await remember(title);
  world.clock.advance(1);
  await remember("five", { sensitivity: "private" });
  return { world, memories: await world.store.list() };
}

/** The first is reworded, the second archived with its successor, the third archived, the private one reworded. */
function plan(memories: readonly Memory[]) {
  const named = (title: string): Memory => {
    const found = memories.find((memory) => memory.title === title);
    if (!found) throw new Error(`no memory ${title}`);
    return found;
  };
  const [one, two, three, five] = ["one", "two", "three", "five"].map(named) as [
    Memory,
    Memory,
    Memory,
    Memory,
  ];
  return [
    { before: one, after: { ...one, content: "About one and two." }, reason: "takes in two" },
    { before: two, after: { ...two, status: "archived" as const, supersededBy: one.id } },
    { before: three, after: { ...three, status: "archived" as const } },
    { before: five, after: { ...five, content: "About five, really." } },
  ];
}

const texts = ({ files, paths }: MemoryWorld): [string, string | undefined][] =>
  paths()
    .filter((path) => path.endsWith(".md") && !path.endsWith("MEMORY.md"))
    .sort()
    .map((path) => [path, files.text(`${MEMORY}/${path}`)]);

describe("swap", () => {
  it("swap makes all changes in one step per folder, with a ledger line each", async () => {
    const { world, memories } = await openFive();
    const allChanged = await world.store.changeAll(plan(memories), { ...CAUSE, run: "run-1" });
    expect(allChanged.kind).toBe("written");
    expect((await world.store.read("knowledge/one"))?.content).toBe("About one and two.");
    expect(await world.store.read("knowledge/two")).toMatchObject({
      status: "archived",
      supersededBy: "knowledge/one",
    });
    const history = await world.store.history("knowledge/two");
    expect(history.map(({ operation, run }) => `${operation} ${run ?? ""}`)).toEqual([
      "remember ",
      "dream run-1",
      "dream run-1",
    ]);
    expect((await world.store.history("knowledge/one")).at(-1)?.reason).toBe("takes in two");
  });

  it("swap makes no change if one memory has changed since", async () => {
    const { world, memories } = await openFive();
    const planned = plan(memories);
    await world.store.update("knowledge/three", (one) => ({ ...one, content: "Else." }), {
      operation: "edit",
    });
    const before = texts(world);
    expect(await world.store.changeAll(planned, { ...CAUSE, run: "r" })).toEqual({
      kind: "refused",
      why: "knowledge/three has changed since",
    });
    expect(texts(world)).toEqual(before);
  });

  it("swap leaves the dates of changed memories to its caller", async () => {
    const { world, memories } = await openFive();
    world.clock.advance(1_000_000);
    await world.store.changeAll(plan(memories), { ...CAUSE, run: "r" });
    expect((await world.store.read("knowledge/one"))?.updated).toBe(memories[0]?.updated);
  });

  it("swap is complete in each folder or absent, whichever file operation kills it", async () => {
    for (let after = 0; ; after++) {
      const { world, memories } = await openFive();
      const planned = plan(memories);
      const before = texts(world);
      const dying = withDeath(world.files);
      dying.dieAfter(after);
      const killed = openMemoryWorld({ ...world, wrap: () => dying.files, processID: 7, instance: "b" });
      const allChanged = await killed.store.changeAll(planned, { ...CAUSE, run: "r" }).catch(() => undefined);
      const again = openMemoryWorld({ ...world, processID: 8, instance: "c" });
      await again.store.list();
      const isDone = await Promise.all(
        ["knowledge/one", "knowledge/two", "knowledge/three"].map((id) => isChanged(again.store, id)),
      );
      expect(new Set(isDone).size, `killed after ${after} operations`).toBe(1);
      const lines = await again.store.undo({ operation: "undo" }, "r");
      expect(texts(again), `killed after ${after} operations`).toEqual(before);
      expect(lines.kind).toBe(isDone[0] ? "undone" : "nothing");
      if (allChanged) break;
    }
  });
});

async function isChanged(store: Memories, id: string): Promise<boolean> {
  const [first, ...rest] = await store.history(id);
  return first !== undefined && rest.some(({ undoes }) => undoes === undefined);
}

describe("undo", () => {
  it("undo restores the bytes, whatever a run did", async () => {
    const { world, memories } = await openFive();
    const before = texts(world);
    await world.store.changeAll(plan(memories), { ...CAUSE, run: "run-1" });
    expect(texts(world)).not.toEqual(before);
    const undone = await world.store.undo({ operation: "undo", session: "ses_1" });
    expect(undone).toMatchObject({ kind: "undone", operation: "dream", run: "run-1", left: [] });
    expect(texts(world)).toEqual(before);
    const ledger = world
      .paths()
      .filter((path) => path.startsWith("ledger/"))
      .flatMap((path) => (world.files.text(`${MEMORY}/${path}`) ?? "").trimEnd().split("\n"))
      .map((line) => JSON.parse(line));
    expect([...replayLedger(ledger).keys()].sort()).toEqual(
      ["knowledge/four.md", "knowledge/one.md", "knowledge/three.md", "knowledge/two.md"].sort(),
    );
  });

  it("undo goes further back each time: it neither repeats nor reverts an undo", async () => {
    const { world } = await openFive();
    world.clock.advance(1);
    await world.store.update("knowledge/one", (one) => ({ ...one, content: "Two." }), { operation: "edit" });
    world.clock.advance(1);
    await world.store.archive("knowledge/four", { operation: "archive" });
    const undo = () => world.store.undo({ operation: "undo" });
    expect(await undo()).toMatchObject({ operation: "archive", ids: ["knowledge/four"] });
    expect((await world.store.read("knowledge/four"))?.status).toBe("active");
    expect(await undo()).toMatchObject({ operation: "edit", ids: ["knowledge/one"] });
    expect((await world.store.read("knowledge/one"))?.content).toBe("About one.");
    expect(await undo()).toMatchObject({ operation: "remember", ids: ["private/knowledge/five"] });
    expect((await world.store.read("private/knowledge/five"))?.status).toBe("archived");
  });

  it("undo leaves memories that have changed since, and says so", async () => {
    const { world, memories } = await openFive();
    await world.store.changeAll(plan(memories), { ...CAUSE, run: "run-1" });
    world.files.contents.set(`${MEMORY}/knowledge/one.md`, Buffer.from("By hand.\n"));
    const undone = await world.store.undo({ operation: "undo" });
    expect(undone).toMatchObject({ left: [{ id: "knowledge/one", why: "it has been changed since" }] });
    expect((await world.store.read("knowledge/one"))?.content).toBe("By hand.");
    expect((await world.store.read("knowledge/two"))?.status).toBe("active");
    expect(await world.store.undo({ operation: "undo" }, "run-1")).toEqual({
      kind: "nothing",
      why: "run-1 was undone already",
    });
  });

  it("undo says so if there is nothing to undo", async () => {
    const { store } = openMemoryWorld();
    expect(await store.undo({ operation: "undo" })).toMatchObject({ kind: "nothing" });
    expect(await store.undo({ operation: "undo" }, "x")).toEqual({
      kind: "nothing",
      why: "no change is named x",
    });
  });
});
