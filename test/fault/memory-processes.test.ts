/** Several processes on one folder of memories, and processes that are killed while they write. */
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { systemClock as clock } from "../../src/io/clock.js";
import { createLocks } from "../../src/io/locks.js";
import { nodeFiles as files } from "../../src/io/node-files.js";
import { createRunningProcesses } from "../../src/io/running-processes.js";
import { type LedgerLine, replayLedger } from "../../src/memory/store/ledger.js";
import { createMemoryStore } from "../../src/memory/store/memory-store.js";
import type { Memories } from "../../src/memory/store/store.js";
import { planFolders } from "../../src/project/folders.js";
import { createChance } from "../support/chance.js";
import { createFakeLog } from "../support/fake-log.js";
import { draft } from "../support/memory-world.js";
import { patiently } from "../support/patience.js";
import { bundleScript } from "../support/processes/bundled.js";
import { type Child, startChild } from "../support/processes/child.js";
import { removeFolder } from "../support/remove-folder.js";
import { sizeOf } from "../support/sizes.js";

let project: string;
let memory: string;
const children = new Set<Child>();
let worker: string;

beforeAll(async () => {
  worker = await bundleScript(new URL("../support/processes/memory-worker.ts", import.meta.url));
});

afterAll(() => rm(dirname(worker), { recursive: true, force: true }));

beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), "strata-memories-"));
  memory = join(project, ".opencode", "memory");
  const store = openStore();
  for (let n = 0; n < 10; n++)
    await store.remember(draft("{}", { title: `key ${n}` }), { operation: "remember" });
});

afterEach(async () => {
  await Promise.all([...children].map((child) => child.kill()));
  children.clear();
  removeFolder(project);
});

/** A new instance each time: the last one's index may still be on its way to disk. */
function openStore(): Memories {
  return createMemoryStore({
    clock,
    files,
    locks: createLocks({ clock, files, processes: createRunningProcesses(), instance: randomUUID() }),
    log: createFakeLog(),
    instance: "test",
    folders: planFolders(project),
    globalFolder: join(project, "global"),
    limits: { maxLines: 200, maxSize: 25_000 },
  });
}

function start(name: string, changes: number): Child {
  const child = startChild(pathToFileURL(worker).href, project, name, String(changes));
  children.add(child);
  return child;
}

async function readLedger(): Promise<LedgerLine[]> {
  const names = await readdir(join(memory, "ledger"));
  const texts = await Promise.all(names.map((name) => readFile(join(memory, "ledger", name), "utf8")));
  return texts.flatMap((text) =>
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as LedgerLine),
  );
}

async function readFiles(): Promise<Record<string, string>> {
  const names = (await readdir(join(memory, "decision"))).filter((name) => name.endsWith(".md"));
  const read = names.map(
    async (name) => [`decision/${name}`, await readFile(join(memory, "decision", name), "utf8")] as const,
  );
  return Object.fromEntries(await Promise.all(read));
}

/** The counts of each memory, by the processes that made them. */
async function readCounts(): Promise<Map<string, Record<string, number>>> {
  const memories = await openStore().list();
  return new Map(memories.map(({ id, content }) => [id, JSON.parse(content) as Record<string, number>]));
}

/** Every line of the ledger fits the one before it, and together they give the files. */
async function expectWholeLedger(): Promise<LedgerLine[]> {
  const lines = await readLedger();
  const last = new Map<string, string | null>();
  for (const { key, before, after } of lines) {
    expect(before).toBe(last.get(key) ?? null);
    last.set(key, after);
  }
  expect(Object.fromEntries(replayLedger(lines))).toEqual(await readFiles());
  return lines;
}

const CHANGES = sizeOf({
  usual: 50,
  long: 500,
  of: "changes by each of two processes in fault/memory-processes.test.ts",
  because: "each is written to a real disk",
});
const EACH = CHANGES / 10;

it(
  "two processes that change the same ten memories at once lose no change, and ledger and index are right",
  async () => {
    const workers = [start("a", CHANGES), start("b", CHANGES)];
    await Promise.all(workers.map((worker) => worker.ended()));
    const counts = await readCounts();
    for (let n = 0; n < 10; n++) expect(counts.get(`decision/key-${n}`)).toEqual({ a: EACH, b: EACH });
    const lines = await expectWholeLedger();
    expect(lines.filter(({ by }) => by === "strata")).toHaveLength(2 * CHANGES + 10);
    expect(lines.filter(({ by }) => by === "person")).toEqual([]);
    const index = await readFile(join(memory, "MEMORY.md"), "utf8");
    for (let n = 0; n < 10; n++)
      expect(index).toMatch(
        new RegExp(
          `key-${n}\\.md\\) \\(decision\\): .*("a":${EACH},.*"b":${EACH}|"b":${EACH},.*"a":${EACH})`,
        ),
      );
  },
  patiently(60_000),
);

const KILLS = sizeOf({
  usual: 20,
  long: 100,
  of: "SIGKILLs in fault/memory-processes.test.ts",
  because: "each starts a process",
});

it(
  "every change that was promised is there after many SIGKILLs, no file is half, and no lock is stuck",
  async () => {
    const chance = createChance(20_261_121);
    const promised = new Map<string, number>();
    let kills = 0;
    /** Two at a time, so that one is killed beside another that goes on. */
    const play = async (lane: string): Promise<void> => {
      for (let n = 0; n < KILLS / 2; n++) {
        const child = start(`${lane}${n}`, 10_000);
        await child.line("ack");
        await clock.pause(chance(40));
        await child.kill();
        children.delete(child);
        kills++;
        for (const line of child.lines) {
          const [, id, count] = line.split(" ");
          promised.set(`${id} ${lane}${n}`, Number(count));
        }
      }
    };
    await Promise.all([play("a"), play("b")]);
    expect(kills).toBe(KILLS);
    expect(promised.size).toBeGreaterThanOrEqual(KILLS);
    // Nobody is left: the first who comes gets the lock and does what is half-done.
    const written = await openStore().update("decision/key-0", (one) => ({ ...one, pinned: true }), {
      operation: "pin",
    });
    expect(written.kind).toBe("written");
    const counts = await readCounts();
    for (const [key, count] of promised) {
      const [id = "", name = ""] = key.split(" ");
      expect(counts.get(id)?.[name] ?? 0, key).toBeGreaterThanOrEqual(count);
    }
    const lines = await expectWholeLedger();
    expect(lines.filter(({ by }) => by === "person")).toEqual([]);
    const state = await readdir(join(project, ".opencode", "strata", "state", "memory", "internal"));
    expect(state.filter((name) => name === "lock" || name === "pending.json")).toEqual([]);
  },
  patiently(120_000),
);
