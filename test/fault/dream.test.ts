/**
 * Every file operation of a dream, and of taking it back, fails once, and the disk fills up at every one of them: memory
 * is whole, what is said is true, and the next one works.
 */
import { expect, it } from "vitest";
import { formatUndone, undoChange } from "../../layers/6-dream/page.js";
import { formatError } from "../../src/base/error.js";
import { planFolders } from "../../src/project/folders.js";
import { type DreamWorld, openDreamWorld, putMemory } from "../support/dream-world.js";
import { PROJECT } from "../support/fake-host.js";
import { type Fault, spreadFaults, withFault } from "../support/faulty-files.js";

/** Two that say the same here, and two that are private; one that gets a date, one that has ended. */
function plant(world: DreamWorld): void {
  for (const n of [1, 2]) {
    putMemory(world, `knowledge/same-${n}`, "The api keeps its settings in vault-1.");
    putMemory(world, `private/knowledge/same-${n}`, "The salary file is in the second drawer.");
  }
  putMemory(world, "event/dated", "It was released yesterday.");
  putMemory(world, "plan/ended", "Sprint goal.", { expires: "2026-11-01" });
}

const KINDS: readonly Omit<Fault, "at">[] = [
  { code: "ENOSPC", lasting: true },
  { code: "EACCES", lasting: false },
  { code: "EIO", lasting: false },
];
const operationsOf = spreadFaults({ faults: 3, usual: 1, in: "fault/dream.test.ts" });
const idOf = (path: string): string => path.replace("archive/", "");

async function play() {
  const world = openDreamWorld();
  plant(world);
  await world.store.list();
  const before = new Map(world.texts());
  return { world, before };
}

/** Each is there once, in use or in the archive; what goes has a successor that lives. */
async function expectWhole({ store, texts }: DreamWorld, before: ReadonlyMap<string, string>, at: string) {
  const paths = [...texts().keys()];
  expect(paths.map(idOf).sort(), at).toEqual([...before.keys()].map(idOf).sort());
  const all = new Map((await store.list({ archived: true })).map((memory) => [memory.id, memory]));
  expect(all.size, at).toBe(before.size);
  for (const { id, status, supersededBy } of all.values())
    if (status === "archived" && id.includes("same"))
      expect(all.get(supersededBy ?? "")?.status, `${at}: ${id}`).toBe("active");
}

it.each(KINDS)(
  "a dream that meets $code at any file operation leaves memory whole, tells the truth, and the next one works",
  async (kind) => {
    const done = await play();
    await done.world.dream();
    const after = [...done.world.texts()];
    let operations = 0;
    for (const at of operationsOf(KINDS.indexOf(kind))) {
      const { before, world } = await play();
      const faulty = withFault(world.files, { at, ...kind });
      const unlucky = openDreamWorld({ ...world, wrap: () => faulty, processID: 7, instance: "b" });
      const outcome = await unlucky.dream();
      await unlucky.store.onIdle();
      if (!faulty.hasFailed) break;
      operations = at;
      const where = `${kind.code} at ${at}: ${JSON.stringify(outcome)}`;
      expect(["done", "failed"], where).toContain(outcome.kind);
      if (outcome.kind === "failed") expect(outcome.why, where).toContain(kind.code);
      const said = unlucky.log.lines.join("\n");
      if (said.includes("memory is unchanged")) expect([...world.texts()], where).toEqual([...before]);
      const next = openDreamWorld({ ...world, processID: 8, instance: "c" });
      await next.store.list();
      await expectWhole(next, before, where);
      expect((await next.dream()).kind, where).toBe("done");
      expect([...next.texts()], where).toEqual(after);
    }
    expect(operations).toBeGreaterThan(60);
  },
);

it.each(KINDS)(
  "taking a dream back with $code at any file operation leaves memory whole, and the next try works",
  async (kind) => {
    let operations = 0;
    for (const at of operationsOf(KINDS.indexOf(kind))) {
      const { before, world } = await play();
      await world.dream();
      const faulty = withFault(world.files, { at, ...kind });
      const unlucky = openDreamWorld({ ...world, wrap: () => faulty, processID: 7, instance: "b" });
      const { clock, log } = world;
      const take = ({ store: memories }: DreamWorld, files: DreamWorld["files"]) =>
        undoChange({ clock, files, folders: planFolders(PROJECT), log, memories }, {}).then(
          formatUndone,
          formatError,
        );
      const told = await take(unlucky, faulty as unknown as DreamWorld["files"]);
      await unlucky.store.onIdle();
      if (!faulty.hasFailed) break;
      operations = at;
      const where = `${kind.code} at ${at}: ${told}`;
      expect(told, where).toMatch(new RegExp(`^Taken back: dream of|${kind.code}`));
      const next = openDreamWorld({ ...world, processID: 8, instance: "c" });
      await next.store.list();
      await expectWhole(next, before, where);
      await take(next, world.files);
      expect([...next.texts()], where).toEqual([...before]);
    }
    expect(operations).toBeGreaterThan(40);
  },
);
