/** Every file operation of publishing a preference fails once: nothing is lost. */
import { expect, it } from "vitest";
import { withFault } from "../support/faulty-files.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { BY_TEST, draft, openMemoryWorld } from "../support/memory-world.js";
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

for (const [what, fault] of [
  ["EIO at any file operation", { code: "EIO", lasting: false }],
  ["ENOSPC at any file operation and every write after it", { code: "ENOSPC", lasting: true }],
] as const)
  it(
    `publishing that meets ${what} is done or not done, and can be done again`,
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
      }
      expect(at).toBeGreaterThan(20);
    },
    patiently(60_000),
  );
