/**
 * What the plugin costs a turn of 300 requests in the real OpenCode, whose model answers at once, beside the bare host in
 * the same run: milliseconds a request, the processor's time, the time of each hook, and memory. Then, of a small session
 * in this process, the time of each layer and its file operations.
 *
 *     tsx test/bench/requests-bench.ts [requests] [runs]
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stack } from "../../layers/index.js";
import { nodeFiles } from "../../src/io/node-files.js";
import { withStrata } from "../demo/play.js";
import { openStage, type Stage } from "../host/stage/stage.js";
import { call, say } from "../host/stage/steps.js";
import { createInventedSession } from "../sessions/invented-session.js";
import { readHostTools } from "../sessions/tool-definitions.js";
import { createHookWatch } from "./hook-times/watch.js";
import { readOpening } from "./session-simulation/opening.js";
import { simulate } from "./session-simulation/simulate.js";

const REQUESTS = Number(process.argv[2] ?? 300);
const RUNS = Number(process.argv[3] ?? 3);
const FILES = 50;
const TURN_TIMEOUT_MS = 900_000;
/** Of the clock that Linux counts a process's time in. */
const TICK_MS = 10;
const HOOK_TIMES = "hook-times.json";
const collecting = fileURLToPath(new URL("./hook-times/collect-plugin.mjs", import.meta.url));

interface Figures {
  turnMs: number;
  processorMs: number;
  /** Resident memory without garbage: after a first answer, and after the turn. */
  restMB: number;
  afterMB: number;
  hooks: Record<string, number>;
}

const bare: Figures[] = [];
const strata: Figures[] = [];
// Alternating, so that a machine that slows down slows both.
for (let run = 0; run < RUNS; run++) {
  bare.push(await measure([collecting]));
  strata.push(await measure([collecting, withStrata]));
  process.stdout.write(`run ${run + 1} of ${RUNS}\n`);
}
printComparison();
await printParts();

async function measure(plugin: string[]): Promise<Figures> {
  await using stage = await openStage({
    plugin,
    files: Object.fromEntries(Array.from({ length: FILES }, (_, n) => [`f${n}.txt`, makeText(n)])),
    env: ({ root }) => ({ STRATA_HOOK_TIMES: join(root, HOOK_TIMES) }),
  });
  const { model, project } = stage;
  const session = await stage.newSession("bench");
  const collect = async (): Promise<number> => {
    model.script(say("done"));
    await session.ask("collect");
    return readMemoryMB(stage);
  };
  const restMB = await collect();
  const hooksBefore = readHooks(stage);
  const reads = Array.from({ length: REQUESTS - 1 }, (_, n) =>
    call("read", { filePath: project.file(`f${n % FILES}.txt`) }),
  );
  model.script(...reads, say("done"));
  const [begunMs, processorMs] = [performance.now(), readProcessorMs(stage)];
  await session.ask("go", { timeoutMs: TURN_TIMEOUT_MS });
  const turn = { turnMs: performance.now() - begunMs, processorMs: readProcessorMs(stage) - processorMs };
  const hooks = Object.entries(readHooks(stage)).map(([name, ms]) => [name, ms - (hooksBefore[name] ?? 0)]);
  return { ...turn, hooks: Object.fromEntries(hooks), restMB, afterMB: await collect() };
}

function makeText(n: number): string {
  const line = (at: number): string => `line ${at} of file ${n}: some words about the code here\n`;
  return Array.from({ length: 60 }, (_, at) => line(at)).join("");
}

function readHooks({ project }: Stage): Record<string, number> {
  try {
    return JSON.parse(readFileSync(join(project.root, HOOK_TIMES), "utf8"));
  } catch {
    return {};
  }
}

function readMemoryMB({ host }: Stage): number {
  const status = readFileSync(`/proc/${host.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1_024;
}

/** Of all threads of the host, in the system too. */
function readProcessorMs({ host }: Stage): number {
  const fields = readFileSync(`/proc/${host.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function printComparison(): void {
  const print = (name: string, read: (figures: Figures) => number): void => {
    const [one, two] = [median(bare.map(read)), median(strata.map(read))];
    const cells = [one, two, two - one].map((value) => value.toFixed(1).padStart(10));
    process.stdout.write(`${name.padEnd(36)}${cells.join("")}\n`);
  };
  process.stdout.write(
    `\n${"".padEnd(36)}${["bare", "Strata", "above"].map((one) => one.padStart(10)).join("")}\n`,
  );
  print("ms a request", ({ turnMs }) => turnMs / REQUESTS);
  print("processor's ms a request", ({ processorMs }) => processorMs / REQUESTS);
  print("memory at rest (MB)", ({ restMB }) => restMB);
  print(`memory after ${REQUESTS} requests (MB)`, ({ afterMB }) => afterMB);
  for (const name of Object.keys(strata[0]?.hooks ?? {}))
    print(`  hook ${name}`, ({ hooks }) => (hooks[name] ?? 0) / REQUESTS);
}

/** Layers and file operations of a small session in this process, with the real file system. */
async function printParts(): Promise<void> {
  const session = createInventedSession();
  const watch = createHookWatch(stack, nodeFiles);
  const opening = await readOpening([session], { hostTools: await readHostTools(), plugin: withStrata });
  const { hookSeconds, records } = await simulate(session, { opening, plugin: withStrata, watch });
  const requests = records.length;
  process.stdout.write(
    `\nin this process: hooks ${((1_000 * hookSeconds) / requests).toFixed(1)} ms a request\n`,
  );
  for (const [name, ms] of sorted(watch.layerMs))
    process.stdout.write(`  ${(ms / requests).toFixed(2).padStart(6)} ms  ${name}\n`);
  for (const [when, counts] of [
    ["while the host waits", watch.waited],
    ["behind the turn", watch.behind],
  ] as const) {
    const all = [...counts.values()].reduce((sum, one) => sum + one, 0);
    process.stdout.write(`${(all / requests).toFixed(1)} file operations a request ${when}, most of them:\n`);
    for (const [name, count] of sorted(counts).slice(0, 10))
      process.stdout.write(`  ${(count / requests).toFixed(2).padStart(6)}     ${name}\n`);
  }
}

function sorted(sums: ReadonlyMap<string, number>): [string, number][] {
  return [...sums].sort(([, one], [, other]) => other - one);
}

function median(values: number[]): number {
  const ordered = [...values].sort((a, b) => a - b);
  return ordered[Math.floor(ordered.length / 2)] ?? Number.NaN;
}
