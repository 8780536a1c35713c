/**
 * Measures what sync costs, for docs/sync.md: a large memory on two machines, and teams of several sizes.
 *
 *     npm run bench:sync
 *     npm run bench:sync -- --memories 10000 --people 1,10 --days 1
 */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { hashOf } from "../../src/base/hash.js";
import { createRemoteGit } from "../../src/host/remote-git.js";
import { systemClock as clock } from "../../src/io/clock.js";
import { createLocks } from "../../src/io/locks.js";
import { nodeFiles as files } from "../../src/io/node-files.js";
import type { LedgerLine } from "../../src/memory/store/ledger-line.js";
import type { SharedLine } from "../../src/memory/store/receipt.js";
import type { Exchange } from "../../src/memory/store/store.js";
import { createSync, type Sync } from "../../src/sync/sync.js";
import { openSyncFiles } from "../../src/sync/sync-state.js";
import { createChance } from "../support/chance.js";
import { createFakeProcesses } from "../support/fake-processes.js";
import { BY_TEST, draft } from "../support/memory-world.js";
import { envOf, openSyncWorld, type SyncWorld } from "../support/sync-world.js";

const { values } = parseArgs({
  options: {
    memories: { type: "string", default: "100000" },
    people: { type: "string", default: "1,10,100" },
    days: { type: "string", default: "2" },
  },
});
/** Per person and day. */
const PUSHES = 2;
const CHANGES = 10;
/** People who push at the same moment. */
const AT_ONCE = 10;
const WORDS =
  "the server listens on port and queue in postgres because kafka was too heavy for this team".split(" ");

const chance = createChance(19);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** About 400 characters, the average of a memory. */
function writeText(title: string): string {
  const words = Array.from({ length: 55 }, () => WORDS[chance(WORDS.length)]).join(" ");
  const time = "2026-11-20T09:00:00.000Z";
  return `---\ntitle: ${title}\ncreated: ${time}\nupdated: ${time}\n---\n${words} ${chance(1_000_000)}.\n`;
}

function planLine(name: string, clone: string): SharedLine {
  const contents = writeText(name.replaceAll("-", " "));
  const line: LedgerLine = {
    ...{ v: 1, id: randomUUID(), at: new Date(clock.now()).toISOString(), instance: clone, by: "strata" },
    ...{ operation: "remember", key: `decision/${name}`, path: `decision/${name}.md`, before: null },
    ...{ after: hashOf(contents), contents },
  };
  return { file: `${line.at.slice(0, 7)}-${clone}.jsonl`, text: JSON.stringify(line), line };
}

async function measure<T>(action: () => Promise<T>): Promise<{ seconds: number; value: T }> {
  const begun = performance.now();
  const value = await action();
  return { seconds: (performance.now() - begun) / 1000, value };
}

const sizeOf = (folder: string): number =>
  Number(execFileSync("du", ["-sk", folder], { encoding: "utf8" }).split("\t")[0]) / 1024;

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
const p95 = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * 0.95)] ?? 0;

/** A large memory: the first push, another machine's first pull, and small changes after that. */
async function playLarge(world: SyncWorld, memories: number): Promise<void> {
  const here = await world.machine("here");
  const there = await world.machine("there");
  const folder = join(here.memory, "decision");
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(here.memory, "ledger"), { recursive: true });
  const lines = new Map<string, string[]>();
  for (let n = 0; n < memories; n++) {
    const { file, line, text } = planLine(`memory-${n}`, "3f9a1c22");
    writeFileSync(join(folder, `memory-${n}.md`), line.contents ?? "");
    const group = lines.get(file) ?? [];
    lines.set(file, group);
    group.push(text);
  }
  for (const [file, texts] of lines)
    writeFileSync(join(here.memory, "ledger", file), `${texts.join("\n")}\n`);
  const one = await here.open();
  const opened = await measure(() => one.store.list());
  say(`${memories} memories, ${sizeOf(here.memory).toFixed(0)} MB with their ledger`);
  say(`  reading all of them, without sync: ${opened.seconds.toFixed(1)} s`);
  const first = await measure(() => one.sync.push());
  say(
    `  first push: ${first.seconds.toFixed(1)} s, ${first.value.sent} lines; the remote has ${sizeOf(world.remote).toFixed(1)} MB`,
  );
  const two = await there.open();
  const pulled = await measure(() => two.sync.pull());
  say(`  first pull of another machine: ${pulled.seconds.toFixed(1)} s, ${pulled.value.ids.length} memories`);
  await two.store.remember(draft("one more", { title: "one more" }), BY_TEST);
  const before = sizeOf(world.remote);
  const small = await measure(() => two.sync.push());
  say(
    `  push of one change: ${small.seconds.toFixed(1)} s, ${((sizeOf(world.remote) - before) * 1024).toFixed(0)} KB`,
  );
  const one2 = await measure(() => one.sync.pull());
  say(`  pull of one change: ${one2.seconds.toFixed(1)} s`);
  const none = await measure(() => one.sync.pull());
  say(`  pull of nothing: ${none.seconds.toFixed(2)} s`);
  say(`  largest memory of the process: ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`);
}

interface Person {
  sync: Sync;
  own: SharedLine[];
  taken: number;
}

/** A person whose store is a list, so that only git's part is measured. */
async function openPerson(world: SyncWorld, number: number): Promise<Person> {
  const root = join(world.root, `person-${number}`);
  mkdirSync(root);
  const place = { scope: "project" as const, folder: join(root, "sync") };
  await openSyncFiles(files, place).writeConfig({ url: world.remote, branch: "strata-memory", isOwn: true });
  const person = { own: [] as SharedLine[], taken: 0 };
  const exchange: Exchange = {
    read: async () => ({
      ...{ lines: person.own, hidden: new Set() },
      ...{ isThere: () => true, isOwn: () => true },
    }),
    async take(_, lines) {
      person.taken += lines.length;
      return { ids: [], conflicts: [], deferred: [] };
    },
  };
  const instance = `person-${number}`;
  const locks = createLocks({ clock, files, processes: createFakeProcesses(number), instance });
  const sync = createSync({
    ...{ clock, files, exchange, instance, locks, place },
    git: createRemoteGit(envOf(root)),
    machinePaths: [],
    networkMs: 60_000,
  });
  return Object.assign(person, { sync });
}

async function playTeam(world: SyncWorld, count: number, days: number): Promise<void> {
  const people = await Promise.all(Array.from({ length: count }, (_, n) => openPerson(world, n)));
  const seconds: number[] = [];
  const change = (person: Person, number: number, at: string): void => {
    const clone = number.toString(16).padStart(8, "0");
    for (let n = 0; n < CHANGES; n++) person.own.push(planLine(`p${number}-${at}-${n}`, clone));
  };
  for (let day = 0; day < days; day++)
    for (let push = 0; push < PUSHES; push++)
      for (const [number, person] of people.entries()) {
        change(person, number, `${day}-${push}`);
        seconds.push((await measure(() => person.sync.push())).seconds);
      }
  const size = sizeOf(world.remote);
  execFileSync("git", ["-C", world.remote, "gc", "-q", "--prune=now"]);
  const packed = sizeOf(world.remote);
  const lines = people.reduce((sum, { own }) => sum + own.length, 0);
  const some = people.slice(0, AT_ONCE);
  for (const [number, person] of some.entries()) change(person, number, "at-once");
  const atOnce = await measure(() => Promise.all(some.map(({ sync }) => sync.push())));
  say(`${count} people, ${PUSHES} pushes of ${CHANGES} changes a day each, ${days} days`);
  say(
    `  push with what others have sent: median ${median(seconds).toFixed(2)} s, 95 % below ${p95(seconds).toFixed(2)} s`,
  );
  say(
    `  the remote: ${lines} lines, ${size.toFixed(1)} MB, ${packed.toFixed(1)} MB packed: ${((packed * 1024) / lines).toFixed(2)} KB a change`,
  );
  say(`  ${some.length} push at once: the last is done after ${atOnce.seconds.toFixed(1)} s, all succeed`);
}

async function withWorld(action: (world: SyncWorld) => Promise<void>): Promise<void> {
  const world = openSyncWorld();
  try {
    await action(world);
  } finally {
    world.remove();
  }
}

for (const count of values.people.split(",").map(Number).filter(Boolean))
  await withWorld((world) => playTeam(world, count, Number(values.days)));
if (Number(values.memories) > 0) await withWorld((world) => playLarge(world, Number(values.memories)));
