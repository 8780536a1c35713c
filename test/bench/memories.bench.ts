/**
 * What 10,000 memories cost: at start, at every look, and for a change. Read the ratios to the rows of the empty folder
 * and of the plain look at the files, all taken in one run.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, bench, describe } from "vitest";
import { systemClock as clock } from "../../src/io/clock.js";
import { createLocks } from "../../src/io/locks.js";
import { nodeFiles as files } from "../../src/io/node-files.js";
import { createRunningProcesses } from "../../src/io/running-processes.js";
import { createMemoryStore } from "../../src/memory/store/memory-store.js";
import type { Memories } from "../../src/memory/store/store.js";
import { planFolders } from "../../src/project/folders.js";
import { createFakeLog } from "../support/fake-log.js";

const opened: string[] = [];
afterAll(() => {
  for (const project of opened) rmSync(project, { recursive: true, force: true });
}, 60_000);

function openStore(project: string): Memories {
  return createMemoryStore({
    clock,
    files,
    locks: createLocks({ clock, files, processes: createRunningProcesses(), instance: "bench" }),
    log: createFakeLog(),
    instance: "bench",
    folders: planFolders(project),
    globalFolder: join(project, "global"),
    limits: { maxLines: 200, maxSize: 25_000 },
  });
}

/** A project with so many memories, as somebody's editor or git has put them there. */
async function openProject(count: number): Promise<string> {
  const project = mkdtempSync(join(tmpdir(), "strata-bench-"));
  opened.push(project);
  const types = ["decision", "knowledge", "procedure", "preference", "idea"];
  for (let n = 0; n < count; n++) {
    const path = join(project, ".opencode", "memory", types[n % 5] ?? "", `memory-${n}.md`);
    const front = `title: Memory ${n} of the bench\ncreated: 2026-01-01T00:00:00.000Z\nupdated: 2026-01-01T00:00:00.000Z\ntags: [a, b]\nsource:\n  by: user\n  evidence: "use ${n}"`;
    await files.create(
      path,
      `---\n${front}\n---\nThe server of part ${n} listens on port ${n}, because others are taken.\n`,
    );
  }
  return project;
}

const empty = await openProject(0);
const full = await openProject(10_000);
const state = join(full, ".opencode", "strata");
const folder = join(full, ".opencode", "memory");
const options = { time: 100, iterations: 5, warmupIterations: 1, warmupTime: 0 };

/** The longest time for which nobody else got a turn. */
async function longestPause(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  let longest = 0;
  void work.finally(() => {
    isDone = true;
  });
  for (let last = performance.now(); !isDone; ) {
    await new Promise((resolve) => setImmediate(resolve));
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }
  return longest;
}

const kept = openStore(full);
console.log(
  `the first look ever at 10,000 keeps others waiting for ${Math.round(await longestPause(kept.list()))} ms at most`,
);
await kept.onIdle();
console.log(
  `a start that knows them keeps others waiting for ${Math.round(await longestPause(openStore(full).list()))} ms at most`,
);

describe("start of a store", () => {
  bench("made, nothing asked of it, at 10,000", () => void openStore(full), options);
  bench("the first list, empty folder", async () => void (await openStore(empty).list()), options);
  bench(
    "a plain look at 10,000 files",
    async () => {
      for (const type of await readdir(folder).then((names) =>
        names.filter((name) => !name.includes(".") && name !== "ledger"),
      ))
        await Promise.all((await readdir(join(folder, type))).map((name) => lstat(join(folder, type, name))));
    },
    options,
  );
  bench(
    "the first list at 10,000, known from an earlier start",
    async () => void (await openStore(full).list()),
    options,
  );
  bench(
    "the first list at 10,000, all of them read",
    async () => {
      rmSync(state, { recursive: true, force: true });
      await openStore(full).list();
    },
    { ...options, iterations: 1, warmupIterations: 0 },
  );
});

describe("a running store", async () => {
  bench("known, at 10,000", () => void kept.known(), options);
  bench("list again at 10,000", async () => void (await kept.list()), options);
  bench(
    "a change at 10,000",
    async () => {
      await kept.update(
        "decision/memory-0",
        (one) => ({ ...one, content: `${one.content.slice(0, 40)}${clock.now()}` }),
        { operation: "bench" },
      );
    },
    options,
  );
});
