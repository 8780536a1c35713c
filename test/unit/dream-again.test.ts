/** What a dream leaves alone: what was taken back, what is contested, and what stands in the place of its own files. */
import { expect, it } from "vitest";
import { createConflicts } from "../../layers/5-auto-memory/injection/conflicts.js";
import { findObstacle, planBackoff } from "../../layers/6-dream/gates.js";
import { addDream, type DreamReport, undoChange } from "../../layers/6-dream/page.js";
import type { DreamState } from "../../src/project/dream-state.js";
import { planFolders } from "../../src/project/folders.js";
import { openDreamWorld, putMemory } from "../support/dream-world.js";
import { PROJECT } from "../support/fake-host.js";
import { memoryOf } from "../support/memory.js";
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

const HOUR = 3_600_000;
const NOW = 100 * HOUR;
const open = { lastSuccessMs: 98 * HOUR, failures: 0, changed: 5, isBusy: false };

it.each([
  ["all is well", {}, undefined],
  ["there was none yet", { lastSuccessMs: 0 }, undefined],
  ["the interval is not over", { lastSuccessMs: 99.5 * HOUR }, "not long ago"],
  ["the clock was set back since", { lastSuccessMs: 500 * HOUR }, undefined],
  ["little has changed", { changed: 4 }, "only 4"],
  ["little has changed in a day", { changed: 0, lastSuccessMs: 76 * HOUR }, undefined],
  ["a session is busy", { isBusy: true }, "busy"],
  ["it has just failed", { failures: 1, lastFailureMs: 99.9 * HOUR }, "failed"],
  ["it failed a while ago", { failures: 1, lastFailureMs: 99 * HOUR }, undefined],
  ["it failed again and again", { failures: 6, lastFailureMs: 97 * HOUR }, "failed"],
])("whether there is a dream, where %s", (_, given, why) => {
  const { changed, isBusy, ...state } = { ...open, ...given };
  const updated = new Date(99 * HOUR).toISOString();
  const world = {
    clock: { now: () => NOW },
    config: { dream: { interval: HOUR } },
    memories: {
      known: () => Array.from({ length: changed }, () => memoryOf({ id: "knowledge/a", updated })),
    },
  };
  const obstacle = findObstacle(world as never, state as DreamState, isBusy);
  if (why === undefined) expect(obstacle).toBeUndefined();
  else expect(obstacle).toContain(why);
});

it("the wait doubles after each failure, and is a day at most", () => {
  expect([1, 2, 3, 50].map((failures) => planBackoff(failures) / 60_000)).toEqual([10, 20, 40, 1_440]);
});

const before = memoryOf({ id: "knowledge/a" });
const report = (id: string, changes = 1): DreamReport => ({
  id,
  time: "2026-11-21T10:00:00.000Z",
  changes: Array.from({ length: changes }, (_, n) => ({
    before,
    after: before,
    kind: "merged",
    reason: `the same\n## no heading ${n}`,
  })),
  contradictions: [],
  stale: [],
  moves: [],
  refused: ["entry 1: `8080` would be lost"],
  usedModel: true,
});

it("the page has the newest dream on top, once, on its own lines", () => {
  const page = addDream(addDream("", report("one")), report("two"));
  expect(page.match(/^## .*$/gm)).toEqual(["## 2026-11-21 10:00 · two", "## 2026-11-21 10:00 · one"]);
  expect(page.match(/^# Dreams$/gm)).toHaveLength(1);
  expect(page).toContain("1 merged, with a model.");
  expect(page).toContain("- merged `knowledge/a`: the same ## no heading 0\n");
  expect(page).toContain("- not taken from the model: entry 1: `8080` would be lost");
});
