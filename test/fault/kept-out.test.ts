/** Every file operation of publishing a preference, and of undoing that, fails once: nothing is lost, and nothing leaks. */
import { expect, it } from "vitest";
import { readIgnored } from "../../src/base/git-ignore.js";
import { withFault } from "../support/faulty-files.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { BY_TEST, draft, MEMORY, openMemoryWorld } from "../support/memory-world.js";
import { patiently } from "../support/patience.js";

const ID = "preference/tabs";
const FILE = "preference/tabs.md";
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

/** The lines about the preference in this ledger. */
function linesOf(files: MemoryFiles, folder: string): string[] {
  const paths = [...files.contents.keys()].filter((path) => path.startsWith(`${MEMORY}/${folder}/`));
  return paths
    .flatMap((path) => (files.text(path) ?? "").split("\n"))
    .filter((line) => line !== "")
    .flatMap((line) => {
      const { key, operation } = JSON.parse(line) as { key: string; operation: string };
      return key === ID ? [operation] : [];
    });
}

const isHidden = (files: MemoryFiles): boolean =>
  readIgnored(files.text(`${MEMORY}/.gitignore`) ?? "")(FILE) && linesOf(files, "ledger").length === 0;

for (const lasting of [false, true]) {
  const what = lasting
    ? "ENOSPC at any file operation and every write after it"
    : "EIO at any file operation";
  it(
    `publishing that meets ${what} is done or not done, and can be done again`,
    async () => {
      let at = 1;
      for (let hasFailed = true; hasFailed && at < MOST_OPERATIONS; at++) {
        const files = createMemoryFiles();
        const { clock } = await begin(files);
        const fault = { at, code: lasting ? "ENOSPC" : "EIO", lasting };
        let faulty: { hasFailed: boolean } | undefined;
        const failing = openMemoryWorld({
          files,
          clock,
          instance: "b",
          wrap: (inner) => (faulty = withFault(inner, fault)),
        });
        const first = await failing.store.publish(ID, { run: "r1" }).catch(() => undefined);
        hasFailed = faulty?.hasFailed ?? false;
        const { store } = openMemoryWorld({ files, clock, instance: "c", processID: 2 });
        if (first?.kind !== "written") await store.publish(ID, { run: "r2" });
        expect((await store.read(ID))?.content, `operation ${at}`).toBe(WORDS);
        expect(readIgnored(files.text(`${MEMORY}/.gitignore`) ?? "")(FILE), `operation ${at}`).toBe(false);
        const history = (await store.history(ID)).map(({ operation }) => operation);
        expect(history.slice(0, 2), `operation ${at}`).toEqual(["remember", "edit"]);
        expect(linesOf(files, "ledger"), `operation ${at}`).toEqual(
          expect.arrayContaining(["remember", "edit"]),
        );
      }
      expect(at).toBeGreaterThan(30);
    },
    patiently(60_000),
  );
}

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
    expect(at).toBeGreaterThan(30);
  },
  patiently(60_000),
);
