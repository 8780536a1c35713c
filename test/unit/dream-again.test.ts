/** What a dream does not do again: ask about what was asked, tell what was told, redo what was taken back. */
import { expect, it } from "vitest";
import type { AskModel } from "../../layers/6-dream/ask-model.js";
import { undoChange } from "../../layers/6-dream/undo.js";
import { DAY_MS } from "../../src/base/days.js";
import { planFolders } from "../../src/project/folders.js";
import { type DreamWorld, openDreamWorld, putMemory } from "../support/dream-world.js";
import { PROJECT } from "../support/fake-host.js";
import { MEMORY } from "../support/memory-world.js";

const folders = planFolders(PROJECT);

function putAlike(world: DreamWorld, name: string, when: string): void {
  putMemory(world, `knowledge/${name}`, `The worker reads the mail queue ${when}.`);
}

/** A model that always says this; what it was shown, by id. */
function counting(text: string): { askModel: AskModel; shown: string[][] } {
  const shown: string[][] = [];
  const askModel: AskModel = async (groups) => {
    shown.push(...groups.map((group) => group.map(({ id }) => id)));
    return { kind: "answered", text, asked: groups };
  };
  return { askModel, shown };
}

it("a dream's model is not shown a group again after a usable answer, until the words of one change", async () => {
  const world = openDreamWorld();
  putAlike(world, "a", "once a day");
  putAlike(world, "b", "at night");
  const useless = counting("I have tidied it all, thank you!");
  const good = counting("[]");
  for (const { askModel } of [useless, good, good]) {
    await world.dream({ askModel });
    world.clock.advance(2 * DAY_MS);
  }
  expect([useless.shown.length, good.shown.length]).toEqual([1, 1]);
  putAlike(world, "b", "at noon");
  await world.dream(good);
  expect(good.shown).toHaveLength(2);
});

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

it.each([
  ["garbage", "{ no JSON"],
  ["another thing", "[1, 2]"],
  ["of another kind inside", '{"v":1,"seen":7,"days":{},"told":null,"failures":"x","lastSuccessMs":"y"}'],
])("a record of dreams that is %s is as none", async (_, text) => {
  const world = openDreamWorld();
  world.files.contents.set(folders.dreamState, Buffer.from(text));
  for (const n of [1, 2]) putMemory(world, `knowledge/same-${n}`, "The api keeps its settings in vault-1.");
  expect((await world.dream()).kind).toBe("done");
  expect((await world.dreamState()).lastSuccessMs).toBe(world.clock.now());
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
