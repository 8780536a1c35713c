import { expect, it } from "vitest";
import { createConflicts } from "../../layers/5-auto-memory/injection/conflicts.js";
import { openDreamWorld, putMemory } from "../support/dream-world.js";
import { MEMORY } from "../support/memory-world.js";

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
