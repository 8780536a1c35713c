/** Memories edited by hand. */
import { expect, it } from "vitest";
import { DAY_MS } from "../../src/base/days.js";
import type { Files } from "../../src/io/files.js";
import type { Memory } from "../../src/memory/memory.js";
import { replayLedger } from "../../src/memory/store/ledger.js";
import {
  BY_TEST,
  createFakeTrust,
  draft,
  idOf,
  ledger,
  MEMORY,
  type MemoryWorld,
  openMemoryWorld,
} from "../support/memory-world.js";

const PORT = "The development server listens on 8080.\n\n3000 is taken by the old frontend.";

it("a person's edits take precedence, and are in the ledger as theirs before anything else happens", async () => {
  const world = openMemoryWorld();
  const id = idOf(await world.store.remember(draft(PORT, { title: "port" }), BY_TEST));
  const path = `${MEMORY}/decision/port.md`;
  world.files.contents.set(path, Buffer.from((world.files.text(path) ?? "").replace("8080", "9090")));
  world.files.contents.set(`${MEMORY}/idea/mine.md`, Buffer.from("# Use a cache\n\nSome day."));
  const heard: string[] = [];
  world.store.onChange((ids) => heard.push(...ids));
  const listed = await world.store.list();
  expect(listed.map(({ title, content }) => [title, content.slice(0, 40)])).toEqual([
    ["port", "The development server listens on 9090.\n"],
    ["Use a cache", "# Use a cache\n\nSome day."],
  ]);
  expect(heard.sort()).toEqual([id, "idea/mine"]);
  world.files.contents.delete(`${MEMORY}/idea/mine.md`);
  await world.store.list();
  expect(ledger(world).map(({ operation, by, key }) => [operation, by, key])).toEqual([
    ["remember", "strata", id],
    ["edited by hand", "person", id],
    ["added by hand", "person", "idea/mine"],
    ["removed by hand", "person", "idea/mine"],
  ]);
  expect(Object.keys(Object.fromEntries(replayLedger(ledger(world))))).toEqual(["decision/port.md"]);
  // Noticed once, by other instances too.
  await world.reopen({ instance: "b" }).store.list();
  expect(ledger(world)).toHaveLength(4);
});

it("a person's edits count in every later list, even while an earlier list is being read", async () => {
  const path = `${MEMORY}/decision/port.md`;
  for (let at = 1; ; at++) {
    let done = 0;
    let onOperation: (() => void) | undefined;
    const wrap = (files: Files): Files =>
      new Proxy(files, {
        get: (target, name: keyof Files) => {
          if (++done === at) onOperation?.();
          return target[name];
        },
      });
    const world = openMemoryWorld({ wrap });
    await world.files.writeWhole(path, "The port is 8080.\n");
    let later: Promise<readonly Memory[]> | undefined;
    onOperation = () => {
      later = world.files.writeWhole(path, "The port is 9090.\n").then(() => world.store.list());
    };
    await world.store.list();
    if (!later) break;
    expect((await later).map(({ content }) => content)).toEqual(["The port is 9090."]);
    expect(at).toBeLessThan(200);
  }
});

const PATH = `${MEMORY}/decision/port.md`;
const OLD = "2025-01-01T00:00:00.000Z";
/** Holds a memory that was last changed long ago. */
async function openOld(given: Parameters<typeof openMemoryWorld>[0] = {}): Promise<MemoryWorld> {
  const world = openMemoryWorld(given);
  await world.files.writeWhole(PATH, `---\nupdated: ${OLD}\n---\n${PORT}\n`);
  expect((await world.store.list())[0]?.updated).toBe(OLD);
  return world;
}
const edit = ({ files }: MemoryWorld, from: string, to: string): Promise<void> =>
  files.writeWhole(PATH, (files.text(PATH) ?? "").replace(from, to));

it("a person's edits renew a memory's age, also after a restart, an archive and a restore", async () => {
  const world = await openOld();
  world.clock.advance(DAY_MS);
  await edit(world, "8080", "9090");
  const editedAt = new Date(world.clock.now()).toISOString();
  const updated = async (store = world.store): Promise<string | undefined> =>
    (await store.list({ archived: true }))[0]?.updated;
  expect(await updated()).toBe(editedAt);
  expect((await world.store.read("decision/port"))?.updated).toBe(editedAt);
  world.clock.advance(DAY_MS);
  expect(await updated(world.reopen({ instance: "b" }).store)).toBe(editedAt);
  await world.store.archive("decision/port", BY_TEST);
  expect(await updated()).toBe(editedAt);
  await world.store.restore("decision/port", BY_TEST);
  expect(await updated()).toBe(editedAt);
  expect(world.files.text(PATH)).toContain(OLD);
});

it("a person's edits renew a memory's age once it is known that they are the user's", async () => {
  let isOwn = false;
  let version = 0;
  const trust = {
    ...createFakeTrust(),
    isOwn: () => isOwn,
    get version() {
      return version;
    },
  };
  const world = await openOld({ trust });
  world.clock.advance(DAY_MS);
  await edit(world, "8080", "9090");
  expect((await world.store.list())[0]?.updated).toBe(OLD);
  isOwn = true;
  version++;
  expect((await world.store.list())[0]?.updated).toBe(new Date(world.clock.now()).toISOString());
});
