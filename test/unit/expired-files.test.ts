/** One table says which files expire: those that a start removes, and those that a dream puts away. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { layers } from "../../layers/index.js";
import { DAY_MS } from "../../src/base/days.js";
import { type FileKind, findExpired, kernelFiles, removeExpired } from "../../src/kernel/file-kinds.js";
import { planFolders } from "../../src/project/folders.js";
import { createFakeClock } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles, systemError } from "../support/memory-files.js";

const kinds = [...kernelFiles, ...layers.flatMap(({ files }) => files)];
const STATE = `${PROJECT}/.opencode/strata/state`;

const nameOf = ({ path }: FileKind): string =>
  path.replaceAll("<id>", "x").replaceAll("<day>", "2026-11-21").replaceAll("<type>", "decision");

/** One file of each kind, all last written at the same time. */
async function open() {
  const clock = createFakeClock();
  const files = createMemoryFiles({}, clock.now);
  for (const kind of kinds) await files.writeWhole(`${PROJECT}/${nameOf(kind)}`, "{}\n");
  const processes = { isRunning: async () => false } as never;
  return { clock, files, world: { clock, files, folders: planFolders(PROJECT), processes } };
}

it("a start removes machine state after a week, messages after a month, and nothing that people read", async () => {
  const { clock, files, world } = await open();
  const complaints: unknown[] = [];
  const sweep = async () => {
    const before = new Set(files.contents.keys());
    await removeExpired(world, kinds, (thrown) => complaints.push(thrown));
    return [...before].filter((path) => !files.contents.has(path)).sort();
  };
  clock.advance(7 * DAY_MS);
  expect(await sweep()).toEqual([]);
  clock.advance(DAY_MS);
  expect(await sweep()).toEqual([
    `${STATE}/background/2026-11-21.jsonl`,
    `${STATE}/calls/x.json`,
    `${STATE}/screen/x.context.json`,
    `${STATE}/screen/x.json`,
    `${STATE}/views/x.json`,
  ]);
  clock.advance(30 * DAY_MS);
  expect(await sweep()).toEqual([
    `${PROJECT}/.opencode/strata/removed/x`,
    `${STATE}/mail/x.jsonl`,
    `${STATE}/tools/2026-11-21.jsonl`,
    `${STATE}/vectors/x`,
  ]);
  clock.advance(3_650 * DAY_MS);
  expect(await sweep()).toEqual([]);
  expect(complaints).toEqual([]);
});

it("a start removes what a killed process has left half-written beside any kind of file, and nothing like it", async () => {
  const { clock, files, world } = await open();
  const uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";
  const torn = kinds.map((kind) => `${PROJECT}/${nameOf(kind)}.${uuid}`);
  const others = [
    `decision/x.md.${uuid}.bak`,
    `decision/x.md.${uuid.slice(1)}`,
    "decision/x.md.2026",
    `decision/x.txt.${uuid}`,
    `decision/${uuid}.md`,
    `elsewhere/x.md.${uuid}`,
    "errors.log.2",
    "../strata/state/background/notes.md",
    "../tool-results/x.txt.backup",
  ].map((name) => join(PROJECT, ".opencode/memory", name));
  for (const path of [...torn, ...others]) await files.writeWhole(path, "half");
  clock.advance(7 * DAY_MS);
  await removeExpired(world, kinds, () => {});
  expect(torn.filter((path) => !files.contents.has(path))).toEqual([]);
  clock.advance(DAY_MS);
  expect((await findExpired(world, kinds)).map(({ path }) => path)).toEqual(expect.arrayContaining(torn));
  await removeExpired(world, kinds, () => {});
  expect(torn.filter((path) => files.contents.has(path))).toEqual([]);
  expect(others.filter((path) => !files.contents.has(path))).toEqual([]);
  for (const kind of kinds.filter(({ expiry }) => !expiry))
    expect(files.contents.has(`${PROJECT}/${nameOf(kind)}`)).toBe(true);
});

it("nothing is removed that is younger than the given days or the minimum of its kind", async () => {
  const { clock, world } = await open();
  const find = async (days: number) => (await findExpired(world, kinds, days)).length;
  clock.advance(8.5 * DAY_MS);
  expect([await find(1), await find(9)]).toEqual([await find(0), 0]);
  expect(await find(0)).toBeGreaterThan(4);
});

it("the day in a file's name counts, even if copying the folder has changed the file's time", async () => {
  const { clock, files, world } = await open();
  clock.advance(20 * DAY_MS);
  for (const path of [...files.contents.keys()]) await files.touch(path, clock.now());
  expect((await findExpired(world, kinds)).map(({ path }) => path).sort()).toEqual([
    `${STATE}/background/2026-11-21.jsonl`,
  ]);
});

it("an unreadable folder does not stop the removal in the others", async () => {
  const { clock, files, world } = await open();
  clock.advance(10 * DAY_MS);
  const list = files.list.bind(files);
  const failing = {
    ...files,
    list: async (path: string) => {
      if (path.endsWith("/calls")) throw systemError("EACCES", path);
      return list(path);
    },
  };
  const complaints: unknown[] = [];
  await removeExpired({ ...world, files: failing }, kinds, (thrown) => complaints.push(thrown));
  expect(complaints).toHaveLength(1);
  expect(files.contents.has(`${STATE}/views/x.json`)).toBe(false);
  expect(files.contents.has(`${STATE}/calls/x.json`)).toBe(true);
});
