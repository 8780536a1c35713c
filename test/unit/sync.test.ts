/** The state of two machines that share a remote after each has changed something. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { replayLedger } from "../../src/memory/store/ledger.js";
import type { OpenMemories } from "../../src/memory/store/store.js";
import type { Sync } from "../../src/sync/sync.js";
import { BY_TEST, draft } from "../support/memory-world.js";
import { listAll, type Machine, openSyncWorld, type SyncWorld } from "../support/sync-world.js";

let world: SyncWorld;
let here: Opened;
let there: Opened;

interface Opened {
  machine: Machine;
  store: OpenMemories;
  sync: Sync;
}

async function open(name: string, options: { isOwn?: boolean } = {}): Promise<Opened> {
  const machine = await world.machine(name, options);
  return { machine, ...(await machine.open()) };
}

beforeEach(async () => {
  world = openSyncWorld();
  here = await open("here");
  there = await open("there");
});
afterEach(() => world.remove());

const remember = ({ store }: Opened, content: string, title: string) =>
  store.remember(draft(content, { title }), BY_TEST);

const edit = ({ store }: Opened, id: string, fields: object) =>
  store.update(id, (memory) => ({ ...memory, ...fields }), BY_TEST);

async function exchange(...machines: Opened[]): Promise<void> {
  for (const { sync } of machines) await sync.push();
}

async function contents({ store }: Opened): Promise<Record<string, string>> {
  return Object.fromEntries((await store.list({ archived: true })).map(({ content, id }) => [id, content]));
}

/** Both have the same ledger and files, and the ledger gives the files. */
function expectSame(): void {
  const lines = here.machine.readLedger();
  expect(there.machine.readLedger()).toEqual(lines);
  const files = here.machine.readFiles();
  expect(there.machine.readFiles()).toEqual(files);
  expect(replayLedger(lines.map((line) => JSON.parse(line)))).toEqual(files);
}

it("two texts of one memory become a conflict record with both, and the later one is used on both machines", async () => {
  await remember(here, "8080", "port");
  await exchange(here, there);
  await edit(here, "decision/port", { content: "earlier text" });
  await edit(there, "decision/port", { content: "later text" });
  await here.sync.push();
  const { conflicts } = await there.sync.push();
  const told = await here.sync.pull();
  expect(conflicts).toHaveLength(1);
  expect(told.conflicts.map((path) => basename(path))).toEqual(conflicts.map((path) => basename(path)));
  const record = readFileSync(conflicts[0] ?? "", "utf8");
  expect(record).toContain("earlier text");
  expect(record).toContain("later text");
  expect(await contents(here)).toEqual({ "decision/port": "later text" });
  expectSame();
  const files = [...here.machine.readFiles().values(), ...there.machine.readFiles().values()];
  expect(files.join("\n")).not.toMatch(/^[<>=]{7}/m);
});

it("a memory that was changed, archived and removed since the last push is removed on the other machine, and its last text is not sent", async () => {
  await remember(here, "8080", "port");
  await exchange(here, there);
  await edit(here, "decision/port", { content: "never pushed" });
  await here.store.archive("decision/port", BY_TEST);
  await here.store.discard("decision/port", BY_TEST);
  await exchange(here, there, here);
  expect(await contents(there)).toEqual({});
  expect(world.readObjects()).not.toContain("never pushed");
  await there.store.list();
  const lines = there.machine.readLedger();
  expect(lines.join("\n")).not.toContain("by hand");
  expect([...replayLedger(lines.map((line) => JSON.parse(line))).keys()]).toEqual([]);
});

it("a change stays on its machine while its merge with another machine's change has to stay, so that neither is lost", async () => {
  await remember(here, "8080", "port");
  await exchange(here, there);
  await edit(there, "decision/port", { tags: ["theirs"] });
  await there.sync.push();
  await edit(here, "decision/port", { pinned: true });
  await edit(here, "decision/port", { content: `see ${here.machine.project}/src` });
  const { refused, sent } = await here.sync.push();
  expect([sent, refused]).toEqual([0, [{ id: "decision/port", why: expect.stringContaining("a path") }]]);
  await there.sync.pull();
  expect(await there.store.read("decision/port")).toMatchObject({ content: "8080", tags: ["theirs"] });
  await edit(here, "decision/port", { content: "see src" });
  await exchange(here, there);
  const merged = { content: "see src", tags: ["theirs"], pinned: true };
  expect(await there.store.read("decision/port")).toMatchObject(merged);
});

it("a sync does not touch the project's git: no object, ref, index or file of it is written", async () => {
  const before = listAll(here.machine.project).filter((path) => path.startsWith(".git/"));
  await remember(here, "8080", "port");
  await here.sync.push();
  expect(listAll(here.machine.project).filter((path) => path.startsWith(".git/"))).toEqual(before);
});
