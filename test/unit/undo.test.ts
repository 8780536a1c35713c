/** Many changes in one step, and undoing them, with obstacles: changed by hand, in two folders, in two clones, gone. */
import { expect, it } from "vitest";
import type { Memory } from "../../src/memory/memory.js";
import { replayLedger } from "../../src/memory/store/ledger.js";
import { withDeath } from "../support/dying-files.js";
import { draft, ledger, MEMORY, type MemoryWorld, openMemoryWorld } from "../support/memory-world.js";

const UNDO = { operation: "undo" };
const EDIT = { operation: "edit" };

/** Four memories, the last of them private. */
async function openFour(): Promise<{ world: MemoryWorld; memories: readonly Memory[] }> {
  const world = openMemoryWorld();
  for (const title of ["one", "two", "three", "me"]) {
    const hidden = title === "me" ? { sensitivity: "private" as const } : {};
    await world.store.remember(draft(`About ${title}.`, { title, type: "knowledge", ...hidden }), {
      operation: "remember",
    });
    world.clock.advance(1_000);
  }
  return { world, memories: await world.store.list() };
}

/** The first is reworded, the second archived with its successor, the third archived, the private one reworded. */
function plan([one, three, two, me]: readonly Memory[]) {
  if (!one || !two || !three || !me) throw new Error("four memories are expected");
  return [
    { before: one, after: { ...one, content: "About one and two." }, reason: "takes in two" },
    { before: two, after: { ...two, status: "archived" as const, supersededBy: one.id } },
    { before: three, after: { ...three, status: "archived" as const } },
    { before: me, after: { ...me, content: "About me, really." } },
  ];
}

const texts = ({ files, paths }: MemoryWorld): [string, string | undefined][] =>
  paths()
    .filter((path) => path.endsWith(".md") && !path.endsWith("MEMORY.md"))
    .sort()
    .map((path) => [path, files.text(`${MEMORY}/${path}`)]);
const put = ({ files }: MemoryWorld, path: string, text: string): void =>
  void files.contents.set(`${MEMORY}/${path}`, Buffer.from(text));
const reword = ({ store }: MemoryWorld, id: string, content: string) =>
  store.update(id, (one) => ({ ...one, content }), EDIT);

/** Archives all of these in one run. */
async function archiveAll({ store }: MemoryWorld, run: string): Promise<void> {
  const planned = (await store.list()).map((before) => ({
    before,
    after: { ...before, status: "archived" as const },
  }));
  expect((await store.changeAll(planned, { operation: "dream", run })).kind).toBe("written");
}

it("changes made together are one step per folder with a ledger line each, and one undo restores the bytes", async () => {
  const { world, memories } = await openFour();
  const before = texts(world);
  const cause = { operation: "dream", run: "run-1" };
  expect((await world.store.changeAll(plan(memories), cause)).kind).toBe("written");
  expect(await world.store.read("knowledge/one")).toMatchObject({
    content: "About one and two.",
    updated: memories[0]?.updated,
  });
  expect(await world.store.read("knowledge/two")).toMatchObject({
    status: "archived",
    supersededBy: "knowledge/one",
  });
  const history = await world.store.history("knowledge/two");
  expect(history.map(({ operation, run = "" }) => `${operation} ${run}`)).toEqual([
    "remember ",
    "dream run-1",
    "dream run-1",
  ]);
  expect((await world.store.history("knowledge/one")).at(-1)?.reason).toBe("takes in two");
  const undone = await world.store.undo({ ...UNDO, session: "ses_1" });
  expect(undone).toMatchObject({ kind: "undone", operation: "dream", run: "run-1", left: [] });
  expect(texts(world)).toEqual(before);
  expect([...replayLedger(ledger(world)).keys()].sort()).toEqual(
    ["one", "three", "two"].map((name) => `knowledge/${name}.md`),
  );
});

it("changes made together are complete in each folder or absent, whichever file operation kills them", async () => {
  for (let after = 0; ; after++) {
    const { world, memories } = await openFour();
    const before = texts(world);
    const dying = withDeath(world.files);
    dying.dieAfter(after);
    const killed = openMemoryWorld({ ...world, wrap: () => dying.files, processID: 7, instance: "b" });
    const cause = { operation: "dream", run: "r" };
    const changed = await killed.store.changeAll(plan(memories), cause).catch(() => undefined);
    const again = openMemoryWorld({ ...world, processID: 8, instance: "c" });
    await again.store.list();
    const histories = ["one", "two", "three"].map((name) => again.store.history(`knowledge/${name}`));
    const done = (await Promise.all(histories)).map((lines) => lines.length > 1);
    expect(new Set(done).size, `killed after ${after} operations`).toBe(1);
    const undone = await again.store.undo(UNDO, "r");
    expect(texts(again), `killed after ${after} operations`).toEqual(before);
    expect(undone.kind).toBe(done[0] ? "undone" : "nothing");
    if (changed) break;
  }
});

it("undo goes further back each time: it neither repeats nor reverts an undo, and says when nothing is left", async () => {
  const { world } = await openFour();
  await reword(world, "knowledge/one", "Two.");
  world.clock.advance(1);
  await world.store.archive("knowledge/three", { operation: "archive" });
  expect(await world.store.undo(UNDO)).toMatchObject({ operation: "archive", ids: ["knowledge/three"] });
  expect((await world.store.read("knowledge/three"))?.status).toBe("active");
  expect(await world.store.undo(UNDO)).toMatchObject({ operation: "edit", ids: ["knowledge/one"] });
  expect((await world.store.read("knowledge/one"))?.content).toBe("About one.");
  expect(await world.store.undo(UNDO)).toMatchObject({
    operation: "remember",
    ids: ["private/knowledge/me"],
  });
  expect((await world.store.read("private/knowledge/me"))?.status).toBe("archived");
  const { store } = openMemoryWorld();
  expect(await store.undo(UNDO)).toEqual({ kind: "nothing", why: "there is nothing to undo" });
  expect(await store.undo(UNDO, "x")).toEqual({ kind: "nothing", why: "no change is named x" });
});

it("undo leaves memories that have changed since, says so once, and the next one goes further back", async () => {
  const { world, memories } = await openFour();
  await world.store.changeAll(plan(memories), { operation: "dream", run: "run-1" });
  put(world, "knowledge/one.md", "By hand.\n");
  const left = [{ id: "knowledge/one", why: "it has been changed since" }];
  expect(await world.store.undo(UNDO)).toMatchObject({ left });
  expect((await world.store.read("knowledge/one"))?.content).toBe("By hand.");
  expect((await world.store.read("knowledge/two"))?.status).toBe("active");
  const again = { kind: "nothing", why: "run-1 was undone already" };
  expect(await world.store.undo(UNDO, "run-1")).toEqual(again);
  expect(await world.store.undo(UNDO)).toMatchObject({ operation: "remember" });
});

it("undo of a run in two folders, one of them unwritable, is completed by the next undo", async () => {
  const { world } = await openFour();
  await archiveAll(world, "run-1");
  const create = world.files.create;
  world.files.create = async (path, data) => {
    if (path.includes("private/pending")) throw Object.assign(new Error("EROFS"), { code: "EROFS" });
    return create.call(world.files, path, data);
  };
  await expect(world.store.undo(UNDO)).rejects.toThrow("EROFS");
  world.files.create = create;
  expect(await world.store.undo(UNDO)).toMatchObject({ ids: ["private/knowledge/me"], left: [] });
  expect(await world.store.list()).toHaveLength(4);
});
