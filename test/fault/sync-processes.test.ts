/** Processes on three machines that push to one remote and are killed at any step, in git or out of it. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { createRunningProcesses } from "../../src/io/running-processes.js";
import { replayLedger } from "../../src/memory/store/ledger-line.js";
import { createChance } from "../support/chance.js";
import { BY_TEST, draft } from "../support/memory-world.js";
import { patiently } from "../support/patience.js";
import { bundleScript } from "../support/processes/bundled.js";
import { type Child, startChild } from "../support/processes/child.js";
import { removeFolder } from "../support/remove-folder.js";
import { sizeOf } from "../support/sizes.js";
import { listAll, type Machine, openSyncWorld, type SyncWorld } from "../support/sync-world.js";

const KILLS = sizeOf({
  usual: 4,
  long: 40,
  of: "kills of each of three pushing machines in fault/sync-processes.test.ts",
  because: "each starts processes of its own",
});
const NAMES = ["ann", "ben", "cho"];
/** Longer than a push takes. */
const MOST_STEPS = 400;

let world: SyncWorld;
let worker: string;
const children = new Set<Child>();
beforeAll(async () => {
  worker = await bundleScript(new URL("../support/processes/sync-worker.ts", import.meta.url));
});
afterAll(() => removeFolder(dirname(worker)));
beforeEach(() => {
  world = openSyncWorld();
});
afterEach(async () => {
  await Promise.all([...children].map((child) => child.kill()));
  children.clear();
  world.remove();
});

const processes = createRunningProcesses();

/** Plays one machine, whose process is killed repeatedly. Returns what the store promised to have. */
async function play(machine: Machine, seed: number): Promise<string[]> {
  const chance = createChance(seed);
  const promised: string[] = [];
  for (let kill = 0; kill <= KILLS; kill++) {
    const changes = kill === KILLS ? 1 : 5;
    const args = [machine.root, machine.name, String(kill * 10), String(changes)];
    const child = startChild(pathToFileURL(worker).href, ...args);
    children.add(child);
    if (kill < KILLS) {
      await child.line(`step ${1 + chance(MOST_STEPS)}`);
      await child.kill();
    } else await child.ended();
    promised.push(...child.lines.filter((line) => line.startsWith("ack ")).map((line) => line.slice(4)));
  }
  return promised;
}

it(
  "three machines that are killed at any step of a push lose nothing that was promised, and converge",
  async () => {
    const machines = await Promise.all(NAMES.map((name) => world.machine(name)));
    const [first] = machines;
    if (!first) throw new Error("no machine");
    const opened = await first.open({ processes });
    await opened.store.remember(draft("all change its tags", { title: "shared" }), BY_TEST);
    await opened.sync.push();
    for (const machine of machines) await (await machine.open({ processes })).sync.pull();
    const promised = await Promise.all(machines.map((machine, n) => play(machine, 7 + n)));
    expect(promised.flat().length).toBeGreaterThan(KILLS);
    for (let round = 0; round < 2; round++)
      for (const machine of machines) await (await machine.open({ processes })).sync.push();
    for (const machine of machines) await (await machine.open({ processes })).sync.pull();
    const files = first.readFiles();
    const lines = first.readLedger();
    for (const machine of machines) {
      expect(machine.readLedger()).toEqual(lines);
      expect(machine.readFiles()).toEqual(files);
      const state = listAll(join(machine.project, ".opencode", "strata", "state", "memory", "internal"));
      expect(state.filter((name) => name === "lock" || name === "pending.json")).toEqual([]);
    }
    expect(replayLedger(lines.map((line) => JSON.parse(line)))).toEqual(files);
    const texts = [...files.values()].join("\n");
    for (const content of promised.flat()) expect(texts).toContain(`${content}\n`);
    const shared = readFileSync(join(first.memory, "decision", "shared.md"), "utf8");
    for (const name of NAMES) expect(shared).toContain(`${name}${KILLS * 10}`);
    expect(lines.join("\n")).not.toContain("by hand");
  },
  patiently(240_000 * Math.ceil(KILLS / 5)),
);
