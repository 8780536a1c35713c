/**
 * Compares the store with a map as its model: remember, edit, archive, restore, edit and remove by hand, crash at any
 * file operation, and reopen, in any order. The store always shows what the model holds, and the ledger restores the
 * files.
 */
import { expect, it } from "vitest";
import { replayLedger } from "../../src/memory/store/ledger.js";
import type { Memories, Written } from "../../src/memory/store/store.js";
import { type DyingFiles, withDeath } from "../support/dying-files.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { draft, ledger, MEMORY, type MemoryWorld, openMemoryWorld } from "../support/memory-world.js";
import { fc, runs } from "../support/property.js";

interface Known {
  content: string;
  isArchived: boolean;
}
type Model = Map<string, Known>;

const word = fc.constantFrom("port", "Port", "PORT", "端口", "con", "é", "e\u0301", "..", "a/b", "");
const which = fc.nat(7);
const text = fc.oneof(
  fc.string({ maxLength: 40, unit: "grapheme" }).map((one) => one.replaceAll("\0", "")),
  fc.constantFrom("---", "a\n---\nb", "# x", "key: value", "- [ ] x", "two\n\nlines\n", "{}", "\t", '"'),
);
const command = fc.oneof(
  fc.record({ do: fc.constant("remember" as const), title: word, content: text }),
  fc.record({ do: fc.constantFrom("edit" as const, "editByHand" as const), which, content: text }),
  fc.record({ do: fc.constantFrom("archive" as const, "restore" as const, "removeByHand" as const), which }),
  // Changes one and archives another, in one step.
  fc.record({ do: fc.constant("changeAll" as const), which, other: which, content: text }),
  fc.record({ do: fc.constantFrom("reopen" as const, "list" as const) }),
  // Number of file operations after which the next writing command crashes.
  fc.record({ do: fc.constant("die" as const), after: fc.nat(30) }),
  fc.record({ do: fc.constant("turn" as const), clockMs: fc.integer({ min: -86_400_000, max: 86_400_000 }) }),
);

type Command = typeof command extends fc.Arbitrary<infer One> ? One : never;

const CAUSE = { operation: "test" };

/** One disk, the processes that come and go on it, and its expected contents. */
function openStage() {
  const clock = createFakeClock();
  const files = createMemoryFiles({}, clock.now);
  let processID = 1;
  let dying: DyingFiles;
  const open = (): MemoryWorld =>
    openMemoryWorld({
      clock,
      files,
      processID: processID++,
      instance: `i${processID}`,
      wrap: (inner) => {
        dying = withDeath(inner);
        return dying.files;
      },
    });
  let world = open();
  return {
    clock,
    files,
    store: () => world.store,
    dying: () => dying,
    reopen: () => {
      // The earlier process is gone, and its timers never fire.
      dying.dieAfter(0);
      world = open();
    },
  };
}

type Stage = ReturnType<typeof openStage>;

async function changeTwo(
  stage: Stage,
  model: Model,
  { id, otherID, content }: { id: string; otherID: string; content: string },
): Promise<Model> {
  const store = stage.store();
  const after = new Map(model)
    .set(id, { isArchived: model.get(id)?.isArchived === true, content })
    .set(otherID, { content: model.get(otherID)?.content ?? "", isArchived: true });
  const change = async (): Promise<Written> => {
    const [one, other] = await Promise.all([store.read(id), store.read(otherID)]);
    if (!one || !other) throw new Error("a memory is not there");
    const planned = [
      { before: one, after: { ...one, content, title: "t" } },
      { before: other, after: { ...other, status: "archived" as const } },
    ];
    const allChanged = await store.changeAll(planned, { ...CAUSE, run: "r" });
    return allChanged.kind === "written" ? { kind: "written", memory: one, path: "" } : allChanged;
  };
  return settle(stage, model, after, change());
}

/** Updates the model from the disk, which has either all of a change or none. */
async function settle(stage: Stage, model: Model, after: Model, change: Promise<Written>): Promise<Model> {
  try {
    const written = await change;
    return written.kind === "written" ? after : model;
  } catch (thrown) {
    if (!stage.dying().isDead) throw thrown;
    stage.reopen();
    const there = await readModel(stage.store());
    const seen = [...there.entries()].sort();
    const possible = [model, after].map((one) => JSON.stringify([...one.entries()].sort()));
    // A new memory may get its name only now.
    expect(possible).toContain(JSON.stringify(seen));
    return there;
  }
}

async function readModel(store: Memories): Promise<Model> {
  const memories = await store.list({ archived: true });
  return new Map(
    memories.map(({ id, content, status }) => [id, { content, isArchived: status === "archived" }] as const),
  );
}

const pathOf = (id: string, { isArchived }: Known): string =>
  `${MEMORY}/${isArchived ? "archive/" : ""}${id}.md`;

async function step(stage: Stage, model: Model, command: Command): Promise<Model> {
  const store = stage.store();
  const id = "which" in command ? [...model.keys()][command.which] : undefined;
  const known = id === undefined ? undefined : model.get(id);
  const withThis = (changed: Known): Model => new Map(model).set(id ?? "", changed);
  switch (command.do) {
    case "remember":
      return rememberOne(stage, model, command);
    case "edit": {
      if (!id || !known) return model;
      const content = command.content.trim();
      const change = store.update(id, (one) => ({ ...one, content, title: "t" }), CAUSE);
      return settle(stage, model, withThis({ ...known, content }), change);
    }
    case "archive":
    case "restore": {
      if (!id || !known) return model;
      const isArchived = command.do === "archive";
      return settle(stage, model, withThis({ ...known, isArchived }), store[command.do](id, CAUSE));
    }
    case "changeAll": {
      const otherID = [...model.keys()][command.other];
      const other = otherID === undefined ? undefined : model.get(otherID);
      if (!id || !known || !otherID || !other || id === otherID) return model;
      return changeTwo(stage, model, { id, otherID, content: command.content.trim() });
    }
    case "editByHand": {
      if (!id || !known) return model;
      const content = command.content.trim() || "x";
      stage.files.contents.set(pathOf(id, known), Buffer.from(`---\ntitle: by hand\n---\n${content}\n`));
      return withThis({ ...known, content });
    }
    case "removeByHand": {
      if (!id || !known) return model;
      stage.files.contents.delete(pathOf(id, known));
      return new Map([...model].filter(([other]) => other !== id));
    }
    case "list": {
      const seen = await readModel(store).catch(() => undefined);
      // A process that died while reading has shown nothing.
      if (stage.dying().isDead) stage.reopen();
      else expect(seen).toEqual(model);
      return model;
    }
    case "reopen":
      stage.reopen();
      return model;
    case "die":
      stage.dying().dieAfter(command.after);
      return model;
    case "turn":
      stage.clock.advance(command.clockMs);
      return model;
  }
}

async function rememberOne(
  stage: Stage,
  model: Model,
  given: { title: string; content: string },
): Promise<Model> {
  const content = given.content.trim();
  try {
    const written = await stage.store().remember(draft(content, { title: given.title }), CAUSE);
    if (written.kind !== "written") return model;
    expect(model.has(written.memory.id)).toBe(false);
    return new Map(model).set(written.memory.id, { content, isArchived: false });
  } catch (thrown) {
    if (!stage.dying().isDead) throw thrown;
    stage.reopen();
    const there = await readModel(stage.store());
    const added = [...there].filter(([id]) => !model.has(id));
    expect(added.length).toBeLessThanOrEqual(1);
    for (const [, one] of added) expect(one).toEqual({ content, isArchived: false });
    expect(new Map([...there].filter(([id]) => model.has(id)))).toEqual(model);
    return there;
  }
}

it("any order of changes, edits by hand, crashes and restarts gives the model's state, and the ledger restores the files", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 30 }), async (commands) => {
      const stage = openStage();
      let model: Model = new Map();
      for (const one of commands) model = await step(stage, model, one);
      stage.reopen();
      expect(await readModel(stage.store())).toEqual(model);
      const onDisk = [...stage.files.contents.keys()].filter((path) =>
        /\/memory\/(archive\/)?decision\//.test(path),
      );
      const files = new Map(onDisk.map((path) => [path.slice(MEMORY.length + 1), stage.files.text(path)]));
      expect(replayLedger(ledger(stage))).toEqual(files);
      // No lock is stuck, and no change is unfinished.
      await stage.store().remember(draft("the last"), CAUSE);
      const state = [...stage.files.contents.keys()].filter((path) => /\/(lock|pending\.json)$/.test(path));
      expect(state).toEqual([]);
    }),
    { numRuns: runs(60, 150, "lives of a memory store") },
  );
});
