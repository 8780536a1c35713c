/** Undo with obstacles: changed by hand, in one of two folders, in two clones, concurrent, gone. */
import { expect, it } from "vitest";
import { formatUndone } from "../../layers/6-dream/undo.js";
import type { Memory } from "../../src/memory/memory.js";
import type { OpenMemories } from "../../src/memory/store/store.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { draft, MEMORY, type MemoryWorld, openMemoryWorld, STATE } from "../support/memory-world.js";

const UNDO = { operation: "undo" };

async function openThree(): Promise<MemoryWorld> {
  const world = openMemoryWorld();
  for (const title of ["one", "two"])
    await world.store.remember(draft(`About ${title}.`, { title, type: "knowledge" }), {
      operation: "remember",
    });
  await world.store.remember(draft("About me.", { title: "me", type: "knowledge", sensitivity: "private" }), {
    operation: "remember",
  });
  world.clock.advance(1_000);
  return world;
}

/** Archives all of these in one run. */
async function archiveAll({ store }: MemoryWorld, run: string): Promise<void> {
  const planned = (await store.list()).map((before: Memory) => ({
    before,
    after: { ...before, status: "archived" as const },
  }));
  expect((await store.changeAll(planned, { operation: "dream", run })).kind).toBe("written");
}

const texts = ({ files, paths }: MemoryWorld): [string, string | undefined][] =>
  paths().map((path) => [path, files.text(`${MEMORY}/${path}`)]);

const put = ({ files }: MemoryWorld, path: string, text: string): void =>
  void files.contents.set(`${MEMORY}/${path}`, Buffer.from(text));

it("undo of a run changed entirely by hand says so once, and the next undo goes further back", async () => {
  const world = await openThree();
  await world.store.update("knowledge/one", (one) => ({ ...one, content: "Else." }), { operation: "edit" });
  world.clock.advance(1_000);
  put(world, "knowledge/one.md", "By hand, and another time.\n");
  const first = await world.store.undo(UNDO);
  expect(formatUndone(first)).toMatch(/^Nothing taken back: edit of /);
  expect(first).toMatchObject({ ids: [], left: [{ id: "knowledge/one" }] });
  expect(await world.store.undo(UNDO)).toMatchObject({ operation: "remember" });
  expect(world.files.text(`${MEMORY}/knowledge/one.md`)).toBe("By hand, and another time.\n");
});

it("two concurrent undos revert one run once", async () => {
  const world = await openThree();
  await archiveAll(world, "run-1");
  const other = world.reopen({ processID: 1, instance: "b" });
  const both = await Promise.all([world.store.undo(UNDO, "run-1"), other.store.undo(UNDO, "run-1")]);
  expect(both.flatMap((one) => (one.kind === "undone" ? one.left : []))).toEqual([]);
  expect((await world.store.list()).map(({ status }) => status)).toEqual(["active", "active", "active"]);
});

it("undo of a run in two folders, one of them gone, reverts the other and does not mention the missing one", async () => {
  const world = await openThree();
  await archiveAll(world, "run-1");
  for (const path of [...world.files.contents.keys()])
    if (path.startsWith(`${MEMORY}/private/`) || path.startsWith(`${STATE}/private/`))
      world.files.contents.delete(path);
  const later = world.reopen({ processID: 1, instance: "b" });
  expect(await later.store.undo(UNDO)).toMatchObject({ ids: ["knowledge/one", "knowledge/two"], left: [] });
  expect(await later.store.undo(UNDO, "run-1")).toEqual({
    kind: "nothing",
    why: "run-1 was undone already",
  });
});

it("undo of a run in two folders, one of them unwritable, is completed by the next undo", async () => {
  const world = await openThree();
  await archiveAll(world, "run-1");
  const create = world.files.create;
  world.files.create = async (path, data) => {
    if (path.includes("private/pending")) throw Object.assign(new Error("EROFS"), { code: "EROFS" });
    return create.call(world.files, path, data);
  };
  await expect(world.store.undo(UNDO)).rejects.toThrow("EROFS");
  world.files.create = create;
  expect(await world.store.undo(UNDO)).toMatchObject({ ids: ["private/knowledge/me"], left: [] });
  expect((await world.store.list()).map(({ status }) => status)).toEqual(["active", "active", "active"]);
});

it("undo in an unwritable folder fails with a sentence, and changes nothing", async () => {
  const world = await openThree();
  await archiveAll(world, "run-1");
  const before = [...world.files.contents].filter(([path]) => path.endsWith(".md"));
  const refuse = async (path: string): Promise<never> => {
    throw Object.assign(new Error(`EACCES: permission denied, '${path}'`), { code: "EACCES" });
  };
  Object.assign(world.files, { create: refuse, writeWhole: refuse, appendLine: refuse, rename: refuse });
  await expect(world.store.undo(UNDO)).rejects.toThrow("EACCES");
  expect([...world.files.contents].filter(([path]) => path.endsWith(".md"))).toEqual(before);
});

it("undo says so if the ledger no longer has a memory's earlier contents", async () => {
  const world = await openThree();
  await world.store.onIdle();
  world.files.contents.set(`${MEMORY}/knowledge/hand.md`, Buffer.from("By hand.\n"));
  await archiveAll(world, "run-1");
  const [ledger = ""] = world.paths().filter((path) => path.startsWith("ledger/"));
  const lines = (world.files.text(`${MEMORY}/${ledger}`) ?? "").split("\n");
  const kept = lines.filter((line) => !(line.includes("knowledge/hand") && line.includes('"by":"person"')));
  put(world, ledger, kept.join("\n"));
  const later = world.reopen({ processID: 1, instance: "b" });
  expect(await later.store.undo(UNDO)).toMatchObject({
    left: [{ id: "knowledge/hand", why: "the ledger does not have its earlier contents" }],
  });
});

it("undo in two clones with merged ledgers reverts each clone's changes, unless a later change follows", async () => {
  const world = await openThree();
  // The other clone begins with what is committed, and has a name of its own.
  const committed = [...world.files.contents].filter(
    ([path]) => !path.includes("/private/") && path.startsWith(MEMORY),
  );
  const clock = createFakeClock();
  const files = createMemoryFiles(
    Object.fromEntries(committed.map(([path, data]) => [path, data])),
    clock.now,
  );
  files.contents.set(`${STATE}/clone`, Buffer.from("0badcafe"));
  clock.advance(5_000);
  const clone = openMemoryWorld({ files, clock, instance: "clone" });
  await clone.store.update("knowledge/two", (two) => ({ ...two, content: "About two, there." }), {
    operation: "edit",
  });
  await world.store.update("knowledge/one", (one) => ({ ...one, content: "About one, here." }), {
    operation: "edit",
  });
  // Merged: the other's ledger and its file.
  for (const [path, data] of files.contents)
    if (path.includes("0badcafe") || path.endsWith("knowledge/two.md")) world.files.contents.set(path, data);
  const merged = world.reopen({ processID: 1, instance: "c" });
  await merged.store.list();
  const first = await merged.store.undo(UNDO);
  const second = await merged.store.undo(UNDO);
  const ids = [first, second].flatMap((one) => (one.kind === "undone" ? one.ids : []));
  expect(ids.sort()).toEqual(["knowledge/one", "knowledge/two"]);
  expect((await merged.store.read("knowledge/one"))?.content).toBe("About one.");
  expect((await merged.store.read("knowledge/two"))?.content).toBe("About two.");
});

it("undo restores all that one gc sweep removed from the archive", async () => {
  const world = await openThree();
  await archiveAll(world, "run-1");
  const archived = texts(world).filter(([path]) => path.startsWith("archive/"));
  world.clock.advance(1_000);
  const cause = { operation: "gc", run: "sweep" };
  for (const id of ["knowledge/one", "knowledge/two"])
    expect((await (world.store as OpenMemories).discard(id, cause)).kind).toBe("written");
  expect(await world.store.undo(UNDO)).toMatchObject({ ids: ["knowledge/one", "knowledge/two"], left: [] });
  expect(texts(world).filter(([path]) => path.startsWith("archive/"))).toEqual(archived);
});
