/**
 * Every file operation of a store's day fails once, and the disk fills up at every one of them: what was promised is
 * there, what was refused has a clear reason, and the store goes on.
 */
import { expect, it } from "vitest";
import { StrataError } from "../../src/base/error.js";
import { type LedgerLine, replayLedger } from "../../src/memory/store/ledger.js";
import type { Written } from "../../src/memory/store/store.js";
import { type FaultyFiles, spreadFaults, withFault } from "../support/faulty-files.js";
import { createMemoryFiles, systemError } from "../support/memory-files.js";
import { BY_TEST, draft, MEMORY, type MemoryWorld, openMemoryWorld, STATE } from "../support/memory-world.js";
import { patiently } from "../support/patience.js";

/** What the one memory of the day is after each step, as `read` tells it. */
const steps: [after: string, step: (world: MemoryWorld) => Promise<Written>][] = [
  ["one active", ({ store }) => store.remember(draft("one", { title: "x" }), BY_TEST)],
  ["two active", ({ store }) => store.update("decision/x", (one) => ({ ...one, content: "two" }), BY_TEST)],
  ["two archived", ({ store }) => store.archive("decision/x", BY_TEST)],
  ["two active", ({ store }) => store.restore("decision/x", BY_TEST)],
  [
    "three active",
    ({ store }) => store.update("decision/x", (one) => ({ ...one, content: "three" }), BY_TEST),
  ],
];

async function readState({ store }: MemoryWorld): Promise<string> {
  const memory = await store.read("decision/x");
  return memory ? `${memory.content} ${memory.status}` : "nothing";
}

async function playWithFault(fault: { at: number; code: string; lasting: boolean }) {
  const files = createMemoryFiles();
  let faulty: FaultyFiles | undefined;
  const world = openMemoryWorld({ files, wrap: (inner) => (faulty = withFault(inner, fault)) });
  /** What may be there: what was promised last, and what was begun after that. */
  let possible = ["nothing"];
  const failures: unknown[] = [];
  for (const [after, step] of steps) {
    try {
      const written = await step(world);
      // A step that has nothing to work on, because an earlier one failed, is refused.
      if (written.kind === "written") possible = [`${written.memory.content} ${written.memory.status}`];
    } catch (thrown) {
      failures.push(thrown);
      // Where an earlier step has failed it is changed in the archive.
      possible.push(after, after.replace("active", "archived"));
    }
    await world.store.list().catch((thrown) => failures.push(thrown));
    await world.store.onIdle();
  }
  return { world, files, possible, failures, hasFailed: faulty?.hasFailed ?? false };
}

function readLedger(world: MemoryWorld): LedgerLine[] {
  const texts = world
    .paths()
    .filter((path) => path.startsWith("ledger/"))
    .map((path) => world.files.text(`${MEMORY}/${path}`));
  return texts.flatMap((text = "") =>
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as LedgerLine),
  );
}

const faults = [
  { code: "ENOSPC", lasting: true },
  { code: "EIO", lasting: false },
];
const operationsOf = spreadFaults({ faults: 2, usual: 1, in: "fault/memories.test.ts" });
for (const [nth, { code, lasting }] of faults.entries()) {
  const what = `${code} at any file operation${lasting ? " and at every write after it" : ""}`;
  it(
    `a store that meets ${what} keeps what it promised, says why it refuses, and goes on`,
    async () => {
      let last = 0;
      for (const at of operationsOf(nth)) {
        last = at;
        const { world, files, possible, failures, hasFailed } = await playWithFault({ at, code, lasting });
        for (const failure of failures) {
          expect(String((failure as Error).message), `operation ${at}`).toContain(code);
          if (failure instanceof StrataError)
            expect(["ENOTWRITTEN", "EUNFINISHED"], failure.message).toContain(failure.code);
        }
        // The next process, on a disk that has room again.
        const later = world.reopen({ processID: 2, instance: "b" });
        const healed = openMemoryWorld({ files, clock: later.clock, processID: 2, instance: "b" });
        await healed.store.list();
        expect(possible, `operation ${at}`).toContain(await readState(healed));
        expect((await healed.store.remember(draft("last"), BY_TEST)).kind).toBe("written");
        await healed.store.onIdle();
        const memories = healed.paths().filter((path) => /^(archive\/)?decision\//.test(path));
        const onDisk = new Map(memories.map((path) => [path, files.text(`${MEMORY}/${path}`)]));
        expect(replayLedger(readLedger(healed)), `operation ${at}`).toEqual(onDisk);
        expect(files.contents.has(`${STATE}/internal/pending.json`)).toBe(false);
        if (!hasFailed) break;
      }
      expect(last).toBeGreaterThan(60);
    },
    patiently(60_000),
  );
}

it("a memory keeps its id and its history on a disk that ignores capitals or takes letters apart", async () => {
  const world = openMemoryWorld();
  const written = await world.store.remember(draft("한국어 йод: one", { title: "한국어 йод" }), BY_TEST);
  await world.store.onIdle();
  const id = "decision/한국어-йод";
  expect(written).toMatchObject({ kind: "written", memory: { id } });
  const later = world.reopen({ processID: 2, instance: "b" });
  expect((await later.store.list()).map((one) => one.id)).toEqual([id]);
  await later.store.update(id, (one) => ({ ...one, content: "two" }), BY_TEST);
  await later.store.onIdle();
  const history = await later.store.history(id);
  expect([history.length, history.map(({ by }) => by).includes("person")]).toEqual([2, false]);
  expect(replayLedger(readLedger(later)).size).toBe(1);
});

it("a store on a disk that has failed once goes on with the next change in the same process, and finishes what was begun", async () => {
  for (let at = 1; at < 60; at++) {
    const files = createMemoryFiles();
    const world = openMemoryWorld({
      files,
      wrap: (inner) => withFault(inner, { at, code: "EIO", lasting: false }),
    });
    await world.store.remember(draft("one", { title: "x" }), BY_TEST).catch(() => {});
    await world.store.remember(draft("two", { title: "y" }), BY_TEST).catch(() => {});
    const third = await world.store
      .remember(draft("three", { title: "z" }), BY_TEST)
      .catch((thrown) => thrown);
    const fourth = await world.store.remember(draft("four", { title: "a" }), BY_TEST);
    expect(third instanceof Error || third.kind === "written").toBe(true);
    expect(fourth.kind, `operation ${at}`).toBe("written");
    expect(files.contents.has(`${STATE}/internal/pending.json`)).toBe(false);
    expect(files.contents.has(`${STATE}/internal/lock`)).toBe(false);
  }
});

it("a file of a store that another program has open is changed or refused with the reason, and later is whole", async () => {
  for (let n = 0, all = 1; n < all; n++) {
    const world = openMemoryWorld();
    await world.store.remember(draft("one", { title: "x" }), BY_TEST);
    await world.store.onIdle();
    const paths = [...world.files.contents.keys()];
    all = paths.length;
    world.files.held.set(paths[n] ?? "", true);
    const change = await world.store
      .update("decision/x", (one) => ({ ...one, content: "two" }), BY_TEST)
      .catch((thrown: Error) => thrown);
    if (change instanceof Error) expect(change.message, paths[n]).toContain("EBUSY");
    await world.store.onIdle();
    world.files.held.clear();
    const later = world.reopen({ processID: 2, instance: "b" });
    await later.store.list();
    const possible = change instanceof Error ? ["one active", "two active"] : ["two active"];
    expect(possible, paths[n]).toContain(await readState(later));
    expect((await later.store.remember(draft("last"), BY_TEST)).kind, paths[n]).toBe("written");
    await later.store.onIdle();
    expect(world.files.contents.has(`${STATE}/internal/pending.json`), paths[n]).toBe(false);
    if (n === all - 1) expect(all).toBeGreaterThan(4);
  }
});

const readOnly = (code: string) => (files: ReturnType<typeof createMemoryFiles>) => ({
  ...files,
  writeWhole: async (path: string) => Promise.reject(systemError(code, path)),
  create: async (path: string) => Promise.reject(systemError(code, path)),
  appendLine: async (path: string) => Promise.reject(systemError(code, path)),
  rename: async (path: string) => Promise.reject(systemError(code, path)),
});

it("a folder that cannot be written to is read all the same, said once, and a change has a clear error and changes nothing", async () => {
  const files = createMemoryFiles({ [`${MEMORY}/decision/x.md`]: "by hand" });
  const before = new Map(files.contents);
  const world = openMemoryWorld({ files, wrap: () => readOnly("EROFS")(files) });
  for (let n = 0; n < 3; n++)
    expect((await world.store.list()).map(({ content }) => content)).toEqual(["by hand"]);
  const change = world.store.update("decision/x", (one) => ({ ...one, content: "mine" }), BY_TEST);
  await expect(change).rejects.toThrow(/EROFS/);
  await expect(world.store.remember(draft("new"), BY_TEST)).rejects.toThrow(/EROFS/);
  await world.store.onIdle();
  expect(new Map(files.contents)).toEqual(before);
  expect(world.log.lines.filter((line) => line.includes("changed by hand"))).toHaveLength(1);
  expect(world.log.lines.filter((line) => line.includes("MEMORY.md"))).toHaveLength(1);
});
