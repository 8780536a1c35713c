/** Every file operation of publishing a preference, and of undoing that, fails once: nothing is lost, and nothing leaks. */
import { expect, it } from "vitest";
import { withFault } from "../support/faulty-files.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { BY_TEST, draft, MEMORY, openMemoryWorld } from "../support/memory-world.js";
import { patiently } from "../support/patience.js";

const ID = "private/preference/tabs";
const SEEN = "preference/tabs";
const WORDS = "Tabs, please.";
const MOST_OPERATIONS = 300;

/** A preference with two versions, and a decision that git sees. */
async function begin(files: MemoryFiles) {
  const world = openMemoryWorld({ files });
  await world.store.remember(draft("Spaces.", { type: "preference", title: "tabs" }), BY_TEST);
  await world.store.update(ID, (one) => ({ ...one, content: WORDS }), { operation: "edit" });
  await world.store.remember(draft("We deploy on Fridays."), BY_TEST);
  await world.store.onIdle();
  return world;
}

/** Is nothing of it where git sees it? */
const isHidden = (files: MemoryFiles): boolean =>
  [...files.contents.keys()]
    .filter((path) => path.startsWith(`${MEMORY}/`) && !path.startsWith(`${MEMORY}/private/`))
    .every((path) => path.endsWith("MEMORY.md") || !files.text(path)?.includes(WORDS));

for (const [what, fault] of [
  ["EIO at any file operation", { code: "EIO", lasting: false }],
  ["ENOSPC at any file operation and every write after it", { code: "ENOSPC", lasting: true }],
] as const)
  it(
    `publishing that meets ${what} is done or not done, can be done again, and be undone`,
    async () => {
      let at = 1;
      for (let hasFailed = true; hasFailed && at < MOST_OPERATIONS; at++) {
        const files = createMemoryFiles();
        const { clock } = await begin(files);
        let faulty: { hasFailed: boolean } | undefined;
        const failing = openMemoryWorld({
          files,
          clock,
          instance: "b",
          wrap: (inner) => (faulty = withFault(inner, { at, ...fault })),
        });
        const first = await failing.store.publish(ID, { run: "r1" }).catch(() => undefined);
        hasFailed = faulty?.hasFailed ?? false;
        const { store } = openMemoryWorld({ files, clock, instance: "c", processID: 2 });
        await store.list();
        // What was begun may be in both folders: publishing again then takes the next free name.
        if (first?.kind !== "written" && (await store.read(ID))) await store.publish(ID, { run: "r2" });
        expect((await store.read(SEEN))?.content, `operation ${at}`).toBe(WORDS);
        expect(await store.read(ID), `operation ${at}`).toBeUndefined();
        while ((await store.undo({ operation: "undo" })).kind === "undone" && !(await store.read(ID)));
        expect((await store.read(ID))?.content, `operation ${at}`).toBe(WORDS);
      }
      expect(at).toBeGreaterThan(20);
    },
    patiently(60_000),
  );

it(
  "the undo of publishing that meets EIO at any file operation is done or can be done again, and leaves nothing that git sees",
  async () => {
    let at = 1;
    for (let hasFailed = true; hasFailed && at < MOST_OPERATIONS; at++) {
      const files = createMemoryFiles();
      const { clock, store: own } = await begin(files);
      await own.publish(ID, { run: "r1" });
      let faulty: { hasFailed: boolean } | undefined;
      const failing = openMemoryWorld({
        files,
        clock,
        instance: "b",
        wrap: (inner) => (faulty = withFault(inner, { at, code: "EIO", lasting: false })),
      });
      await failing.store.undo({ operation: "undo" }, "r1").catch(() => undefined);
      hasFailed = faulty?.hasFailed ?? false;
      const { store } = openMemoryWorld({ files, clock, instance: "c", processID: 2 });
      if (!isHidden(files)) await store.undo({ operation: "undo" }, "r1");
      expect(isHidden(files), `operation ${at}`).toBe(true);
      expect((await store.read(ID))?.content, `operation ${at}`).toBe(WORDS);
      const history = (await store.history(ID)).map(({ operation }) => operation);
      expect(history.slice(0, 3), `operation ${at}`).toEqual(["remember", "edit", "publish"]);
    }
    expect(at).toBeGreaterThan(20);
  },
  patiently(60_000),
);
