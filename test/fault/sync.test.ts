/** A machine that applies another one's changes, and whose process dies at each file operation in turn. */
import { expect, it } from "vitest";
import { replayLedger } from "../../src/memory/store/ledger.js";
import type { OpenMemories, Shared } from "../../src/memory/store/store.js";
import { withDeath } from "../support/dying-files.js";
import { createFakeClock } from "../support/fake-clock.js";
import { withFault } from "../support/faulty-files.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { BY_TEST, draft, ledger, MEMORY, openMemoryWorld } from "../support/memory-world.js";

const clock = createFakeClock();

/** A copy of a whole disk, to start again from. */
async function copyOf(files: MemoryFiles): Promise<MemoryFiles> {
  const copy = createMemoryFiles({}, clock.now);
  for (const [path, bytes] of files.contents) await copy.writeWhole(path, bytes);
  return copy;
}

const edit = (store: OpenMemories, id: string, fields: object) =>
  store.update(id, (memory) => ({ ...memory, ...fields }), BY_TEST);

async function take(store: OpenMemories, from: Shared, shared: ReadonlySet<string>) {
  const ids = new Set([...shared, ...from.lines.map(({ line }) => line.id)]);
  return store.exchange.take("project", from.lines, { isShared: (id) => ids.has(id), isForeign: false });
}

/** Two machines that start alike and change separately: added, merged, moved, removed, in conflict. */
async function openStory(): Promise<{ here: MemoryFiles; theirs: Shared; common: ReadonlySet<string> }> {
  const first = openMemoryWorld({ clock });
  for (const title of ["kept", "edited", "both", "texts", "moved", "gone"])
    await first.store.remember(draft(`the first text of ${title}`, { title }), BY_TEST);
  await first.store.archive("decision/gone", BY_TEST);
  await first.store.onIdle();
  const common = new Set((await first.store.exchange.read("project")).lines.map(({ line }) => line.id));
  const here = await copyOf(first.files);
  clock.advance(1_000);
  const there = openMemoryWorld({ clock, files: await copyOf(first.files), instance: "there" });
  // Another clone names its ledger files differently.
  await there.files.writeWhole(`${MEMORY.replace("/memory", "/strata/state/memory")}/clone`, "0000beef");
  await edit(there.store, "decision/edited", { content: "theirs" });
  await edit(there.store, "decision/both", { tags: ["theirs"] });
  await edit(there.store, "decision/texts", { content: "their text" });
  await there.store.archive("decision/moved", BY_TEST);
  await there.store.discard("decision/gone", BY_TEST);
  await there.store.remember(draft("new from there", { title: "new" }), BY_TEST);
  clock.advance(1_000);
  const own = openMemoryWorld({ clock, files: here, instance: "here" });
  await edit(own.store, "decision/both", { pinned: true });
  await edit(own.store, "decision/texts", { content: "our text" });
  await own.store.onIdle();
  return { here, theirs: await there.store.exchange.read("project"), common };
}

const readFiles = (files: MemoryFiles): Record<string, string> =>
  Object.fromEntries(
    [...files.contents.keys()]
      .filter((path) => /\/memory\/(archive\/)?decision\//.test(path))
      .sort()
      .map((path) => [path.slice(MEMORY.length + 1), files.text(path) ?? ""]),
  );

const conflictsOf = (files: MemoryFiles): string[] =>
  [...files.contents.keys()].filter((path) => path.startsWith(`${MEMORY}/conflicts/`));

/** The disk of a machine that applies all of it. */
async function takeAll({ common, here, theirs }: Awaited<ReturnType<typeof openStory>>) {
  const files = await copyOf(here);
  const { store } = openMemoryWorld({ clock, files, processID: 2, instance: "whole" });
  const taken = await take(store, theirs, common);
  await store.onIdle();
  return { files, store, taken };
}

const strip = (text = ""): string => text.replace(/^updated: .*$/m, "");

/** The disk has all of the story, once. */
function expectWhole(files: MemoryFiles, expected: Record<string, string>, at: number): void {
  const now = readFiles(files);
  expect(Object.keys(now), `operation ${at}`).toEqual(Object.keys(expected));
  for (const [path, text] of Object.entries(now))
    expect(strip(text), `operation ${at}`).toBe(strip(expected[path]));
  const lines = ledger({ files });
  expect(Object.fromEntries(replayLedger(lines)), `operation ${at}`).toEqual(now);
  expect(lines.filter(({ by }) => by === "person")).toEqual([]);
  expect(conflictsOf(files), `operation ${at}`).toHaveLength(1);
  const state = [...files.contents.keys()].filter((path) => /\/(lock|pending\.json)$/.test(path));
  expect(state, `operation ${at}`).toEqual([]);
}

it("a machine applies what another one added, changed, moved and removed, and merges it with its own changes", async () => {
  const story = await openStory();
  const { files: whole, store, taken } = await takeAll(story);
  expect(taken.deferred).toEqual([]);
  expect(taken.conflicts).toHaveLength(1);
  const files = readFiles(whole);
  expect(files["decision/both.md"]).toMatch(/pinned: true[\s\S]*tags: \[ theirs \]/);
  expect(Object.keys(files)).toEqual([
    "archive/decision/moved.md",
    ...["both", "edited", "kept", "new", "texts"].map((name) => `decision/${name}.md`),
  ]);
  // Applied a second time, they change nothing.
  const again = await take(store, story.theirs, story.common);
  expect(again).toEqual({ ids: [], conflicts: [], deferred: [] });
  expect(readFiles(whole)).toEqual(files);
});

it("a machine that dies at any file operation while it applies changes ends in the same state as one that does not", async () => {
  const story = await openStory();
  const { common, here, theirs } = story;
  const { files: whole } = await takeAll(story);
  let at = 0;
  for (; ; at++) {
    const files = await copyOf(here);
    const dying = withDeath(files);
    const killed = openMemoryWorld({
      clock,
      files,
      wrap: () => dying.files,
      processID: 3,
      instance: "killed",
    });
    await killed.store.list();
    dying.dieAfter(at);
    const isDone = await take(killed.store, theirs, common).then(
      () => !dying.isDead,
      () => false,
    );
    dying.dieAfter(-1);
    const healed = openMemoryWorld({ clock, files, processID: 4, instance: "healed" });
    await take(healed.store, theirs, common);
    await healed.store.onIdle();
    expectWhole(files, readFiles(whole), at);
    if (isDone) break;
  }
  expect(at).toBeGreaterThan(50);
});

it("a machine whose disk fails once while it applies changes succeeds with the next try, in the same process", async () => {
  const story = await openStory();
  const { common, here, theirs } = story;
  const { files: whole } = await takeAll(story);
  let at = 1;
  for (; ; at++) {
    const files = await copyOf(here);
    const faulty = withFault(files, { at, code: "EIO", lasting: false });
    const { store } = openMemoryWorld({
      clock,
      files,
      wrap: () => faulty,
      processID: 3,
      instance: "failing",
    });
    await take(store, theirs, common).catch(() => undefined);
    if (!faulty.hasFailed) break;
    await take(store, theirs, common);
    await store.onIdle();
    expectWhole(files, readFiles(whole), at);
  }
  expect(at).toBeGreaterThan(50);
});
