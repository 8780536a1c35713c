/** What a dream leaves alone: what was taken back, what is contested, and what stands in the place of its own files. */
import { expect, it } from "vitest";
import { createConflicts } from "../../layers/5-auto-memory/injection/conflicts.js";
import { undoChange } from "../../layers/6-dream/page.js";
import { planFolders } from "../../src/project/folders.js";
import { openDreamWorld, putMemory } from "../support/dream-world.js";
import { PROJECT } from "../support/fake-host.js";
import { MEMORY } from "../support/memory-world.js";

const folders = planFolders(PROJECT);

it("an undone change is not repeated by the next dream until the memory's text changes", async () => {
  const world = openDreamWorld();
  for (const n of [1, 2]) putMemory(world, `knowledge/same-${n}`, "The api keeps its settings in vault-1.");
  putMemory(world, "event/dated", "It was released yesterday.");
  await world.store.list();
  const before = [...world.texts()];
  const { clock, files, log, store: memories } = world;
  await world.dream();
  expect((await undoChange({ clock, files, folders, log, memories }, {})).kind).toBe("undone");
  expect([...world.texts()]).toEqual(before);
  const again = await world.dream();
  expect(again.kind === "done" && again.report.changes).toEqual([]);
  expect([...world.texts()]).toEqual(before);
  for (const n of [1, 2])
    putMemory(world, `knowledge/same-${n}`, "The api keeps its settings in another vault.");
  const third = await world.dream();
  expect(third.kind === "done" && third.report.changes).toHaveLength(2);
});

it("folders instead of a dream's state file and page do not keep it from tidying, and the log says so", async () => {
  const world = openDreamWorld();
  world.files.contents.set(`${folders.dreamState}/x`, Buffer.from("x"));
  world.files.contents.set(`${MEMORY}/DREAMS.md/x`, Buffer.from("x"));
  for (const n of [1, 2]) putMemory(world, `knowledge/same-${n}`, "The api keeps its settings in vault-1.");
  const outcome = await world.dream();
  expect(outcome.kind === "done" && outcome.report.changes).toHaveLength(2);
  expect(world.log.lines.join("\n")).toContain("its state cannot be written");
  expect(world.log.lines.join("\n")).toContain("DREAMS.md");
});

it("a dream does not change memories in an open conflict", async () => {
  const world = openDreamWorld();
  for (const n of [1, 2, 3])
    putMemory(world, `knowledge/m${n}`, "The api listens on port 8080, since yesterday.");
  const { store, files, clock } = world;
  const conflicts = createConflicts({ clock, files, folder: MEMORY, store });
  conflicts.see([...(await store.list())].filter(({ id }) => id.endsWith("m2")));
  putMemory(world, "knowledge/m2", "The api listens on port 9090, since yesterday.");
  clock.advance(1_000);
  await conflicts.update("knowledge/m2", (one) => ({ ...one, content: "It listens on 7070." }), {
    operation: "edit",
  });
  expect(await conflicts.open()).toHaveLength(1);
  await world.dream();
  expect(await conflicts.open()).toHaveLength(1);
  expect((await store.read("knowledge/m2"))?.content).not.toContain("2026");
  expect((await store.list()).map(({ id }) => id)).toHaveLength(2);
});
