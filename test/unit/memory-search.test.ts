import PQueue from "p-queue";
import { expect, it } from "vitest";
import type { Clock } from "../../src/io/clock.js";
import { formatFound, putNewestFirst } from "../../src/memory/found.js";
import type { Memory } from "../../src/memory/memory.js";
import {
  createMemorySearch,
  type Found,
  type MemorySearch,
  type MemorySearchOptions,
} from "../../src/memory/search/search.js";
import { allSeen } from "../support/all-seen.js";
import { createFakeClock, type FakeClock, MORNING } from "../support/fake-clock.js";
import { createFakeLog, type FakeLog } from "../support/fake-log.js";
import { createKeptMemories, type KeptMemories } from "../support/kept-memories.js";
import { remembered } from "../support/memories.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";

const NOTES = "/project/.opencode/session-memory";
interface Stand {
  search: MemorySearch;
  memories: KeptMemories;
  files: MemoryFiles;
  clock: FakeClock;
  log: FakeLog;
  background: PQueue;
}

interface Given {
  memories?: Memory[];
  notes?: Record<string, string>;
  embedder?: MemorySearchOptions["embedder"];
  clock?: Clock;
}

function open({ memories: given = [], notes = {}, embedder, clock: other }: Given = {}): Stand {
  const clock = createFakeClock();
  const world = Object.entries(notes).map(([name, text]) => [`${NOTES}/${name}`, text]);
  const files = createMemoryFiles(Object.fromEntries(world), clock.now);
  const memories = createKeptMemories(...given);
  const log = createFakeLog();
  const background = new PQueue({ concurrency: 4 });
  const search = createMemorySearch({
    memories,
    clock: other ?? clock,
    files,
    log,
    background,
    sessionMemory: NOTES,
    sessions: allSeen,
    embedder,
  });
  return { search, memories, files, clock, log, background };
}

const named = (found: readonly Found[]): string[] =>
  found.map((one) => (one.kind === "memory" ? one.memory.id : `${one.sessionID}: ${one.text}`));

const port = remembered("port", "The dev server listens on port 8080", { aliases: ["dev port"] });
const tabs = remembered("tabs", "Indent with tabs, never spaces", { type: "preference" });

it("recall finds by text, by id, by the end of an id, by type and by entity", async () => {
  const cache = remembered("cache", "The cache is cold after a restart, see #34", {
    entities: ["src/cache.ts"],
  });
  const { search } = open({ memories: [port, tabs, cache] });
  expect(named(await search.find({ text: "which port?" }))).toEqual(["knowledge/port"]);
  expect(named(await search.find({ id: "preference/tabs" }))).toEqual(["preference/tabs"]);
  expect(named(await search.find({ id: "tabs" }))).toEqual(["preference/tabs"]);
  expect(named(await search.find({ type: "preference" }))).toEqual(["preference/tabs"]);
  expect(named(await search.find({ text: "port tabs", type: "preference" }))).toEqual(["preference/tabs"]);
  expect(named(await search.find({ entity: "#34" }))).toEqual(["knowledge/cache"]);
  expect(named(await search.find({ entity: "#3" }))).toEqual([]);
  expect(named(await search.find({ entity: "./src/cache.ts" }))).toEqual(["knowledge/cache"]);
  expect(named(await search.find({ entity: "cache.ts", text: "restart" }))).toEqual(["knowledge/cache"]);
  expect(named(await search.find({ text: "of the" }))).toEqual([]);
});

it("recall prefers the more important of two equal matches, and a better match to importance", async () => {
  const { search } = open({
    memories: [
      remembered("a", "lint before a commit", { importance: 0.1 }),
      remembered("b", "lint before a commit", { importance: 0.9 }),
      remembered("c", "a commit has a reason in its message, and that is all", { importance: 1 }),
    ],
  });
  expect(named(await search.find({ text: "lint commit" }))).toEqual([
    "knowledge/b",
    "knowledge/a",
    "knowledge/c",
  ]);
});

it("recall searches the archive only on request", async () => {
  const { search, memories } = open({ memories: [port, { ...tabs, status: "archived" }] });
  expect(named(await search.find({ text: "tabs" }))).toEqual([]);
  expect(named(await search.find({ text: "tabs", archived: true }))).toEqual(["preference/tabs"]);
  memories.put(tabs);
  expect(named(await search.find({ text: "tabs", archived: true }))).toEqual(["preference/tabs"]);
});

const old = remembered("old", "The server listens on port 3000", { title: "Port", updated: "2026-01-01" });
const now = remembered("now", "The server listens on port 8080", { title: "Port", updated: "2026-05-01" });
const order = (...given: Memory[]) => {
  const { found, newer } = putNewestFirst(given, (one) => one);
  return [found.map(({ id }) => id.split("/")[1]), Object.fromEntries(newer)];
};

it("of two memories that contradict each other the newer stands first, and the older names it", () => {
  expect(order(tabs, old, port, now)[0]).toEqual(["tabs", "port", "now", "old"]);
  expect(order(old, now)).toEqual([["now", "old"], { "knowledge/old": "knowledge/now" }]);
  const line = formatFound({ kind: "memory", memory: old, why: "" }, MORNING, "knowledge/now");
  expect(line).toMatch(/\(\d+ days ago; older, see knowledge\/now\)$/);
});

it("a chain of replaced memories stands newest first, and ends where it is a circle", () => {
  const next = (memory: Memory, supersededBy: string): Memory => ({
    ...memory,
    status: "superseded",
    supersededBy,
  });
  const [a, b] = [next(old, "knowledge/b"), next({ ...tabs, id: "knowledge/b" }, now.id)];
  expect(order(a, b, now)[0]).toEqual(["now", "b", "old"]);
  expect(order(next(old, now.id), next(now, old.id))[0]).toEqual(["now", "old"]);
});

it("nothing is older that a person keeps beside the other, and nothing because of a repository or a checkout", () => {
  const marked = (one: Partial<Memory>, other: Partial<Memory> = {}) =>
    order({ ...old, ...one }, { ...now, ...other })[1];
  expect(marked({})).not.toEqual({});
  expect(marked({ links: [now.id] }, { links: [old.id] })).toEqual({});
  expect(marked({}, { isForeign: true })).toEqual({});
  expect(marked({}, { isUndated: true })).toEqual({});
  expect(marked({ content: "The server listens on port 8080" })).toEqual({});
});

it("recall follows added, changed and removed memories", async () => {
  const { search, memories } = open({ memories: [port] });
  expect(named(await search.find({ text: "tabs" }))).toEqual([]);
  memories.put(tabs);
  memories.put({ ...port, content: "The dev server listens on 9090" });
  expect(named(await search.find({ text: "tabs" }))).toEqual(["preference/tabs"]);
  expect(named(await search.find({ text: "9090" }))).toEqual(["knowledge/port"]);
  memories.remove(tabs.id);
  expect(named(await search.find({ text: "tabs" }))).toEqual([]);
});

const notes = `# Session notes: move the port
What happened in this session.

## Task Specification
- Request 1 (2026-11-01 09:00 UTC): move the server to port 9090
- Request 2:
  > and write it
  > into the manual

## Workflow
- \`npm test\` → exit 0
`;

it("past sessions are listed after the memories, with time and place", async () => {
  const { search } = open({ memories: [port], notes: { "ses_a.md": notes, "ses_a.previous.md": notes } });
  const found = await search.find({ text: "port of the server" });
  expect(named(found).slice(0, 2)).toEqual([
    "knowledge/port",
    "ses_a: Request 1 (2026-11-01 09:00 UTC): move the server to port 9090",
  ]);
  expect(found[1]).toMatchObject({ date: "2026-11-01T09:00:00.000Z", path: `${NOTES}/ses_a.md` });
});

it("past sessions are read again when their notes change, and forgotten with them", async () => {
  const { search, files, clock } = open({ notes: { "ses_a.md": notes } });
  expect(named(await search.find({ text: "manual" }))[0]).toContain("Request 2");
  clock.advance(1_000);
  await files.writeWhole(`${NOTES}/ses_a.md`, "## Workflow\n- all about the zebra\n");
  expect(named(await search.find({ text: "manual" }))).toEqual([]);
  expect(named(await search.find({ text: "zebra" }))).toEqual(["ses_a: all about the zebra"]);
  await files.remove(`${NOTES}/ses_a.md`);
  expect(await search.find({ text: "zebra" })).toEqual([]);
});

it("past sessions are shown without the secrets in their notes", async () => {
  const token = ["ghp", "_", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCaB3d"].join("");
  const edge = `${"w ".repeat(990)}${token}`;
  const { search } = open({
    notes: { "ses_a.md": `## Workflow\n- zebra with ${token}\n- zebra ${edge}\n` },
  });
  const texts = named(await search.find({ text: "zebra" }));
  expect(texts).toHaveLength(2);
  expect(texts.join("\n")).toContain("zebra with [removed: GitHub token]");
  expect(texts.join("\n")).not.toContain(token.slice(0, 8));
});

it("recall with an embedder finds by meaning, and never passes it a private memory or the notes", async () => {
  const read: string[] = [];
  const embedder = {
    weight: 0.2,
    mayEmbed: ({ sensitivity }: Memory) => sensitivity !== "private",
    async embed(texts: readonly string[]) {
      read.push(...texts);
      return texts.map((text) => Float32Array.from(/port|socket/.test(text) ? [1, 0] : [0, 1]));
    },
  };
  const secret = remembered("pay", "my salary", { sensitivity: "private" });
  const { search, background } = open({
    memories: [port, tabs, secret],
    notes: { "ses_a.md": "## Workflow\n- noted line" },
    embedder,
  });
  search.open();
  await background.onIdle();
  expect(named(await search.find({ text: "socket" }))).toEqual(["knowledge/port"]);
  expect(read.join()).not.toMatch(/salary|noted/);
});
