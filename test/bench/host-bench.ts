/**
 * What the plugin costs in the real OpenCode beside the bare host, in the same run: the first request, the time of a
 * request, the import, memory. Prints medians of the runs; the differences are what docs/design.md quotes.
 *
 *     npm run build && tsx test/bench/host-bench.ts [--runs 3] [--requests 300] [--start]
 *
 * `--start` measures the first request alone, more often.
 */
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { type Watched, withStrata } from "../demo/play.js";
import { repository } from "../host/repository.js";
import { openStage } from "../host/stage/stage.js";
import { call, say } from "../host/stage/steps.js";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "3" },
    requests: { type: "string", default: "300" },
    start: { type: "boolean", default: false },
  },
});
const RUNS = Number(values.runs) * (values.start ? 3 : 1);
const REQUESTS = Number(values.requests);
/** Requests whose time is taken. */
const TIMED = 100;
const A_TURN = 20;
const WATCH = ".git/strata-watch.json";

interface Figures {
  /** First request to the host's project, in which plugins are loaded. */
  firstMs?: number;
  /** Of the first hundred. */
  requestMs?: number;
  hooksMs?: number;
  /** Of the host's processor, which depends less on what else the machine does. */
  processorMs?: number;
  importMs?: number;
  /** Resident after garbage collection: once the session has begun, after a hundred requests, after all. */
  restMB?: number;
  timedMB?: number;
  lastMB?: number;
}

const bare: Figures[] = [];
const withPlugin: Figures[] = [];

// Alternating, so that a machine that slows down slows both.
for (let run = 0; run < RUNS; run++) {
  bare.push({ ...(await measureStart([])), ...(values.start ? {} : await measureSession("bare")) });
  withPlugin.push({
    ...(await measureStart([repository])),
    ...(values.start ? {} : await measureSession("Strata")),
  });
  console.log(`run ${run + 1} of ${RUNS}, load ${loadavg()[0]?.toFixed(1)}`);
}
printTable();

async function measureStart(plugin: string[]): Promise<Figures> {
  await using stage = await openStage({ alone: true, plugin: [] });
  stage.model.script(say("done"));
  const start = performance.now();
  await stage.restart({ config: { plugin } });
  await (await stage.newSession("bench")).ask("go");
  return { firstMs: performance.now() - start };
}

/** Turns of twenty requests, each of which reads another file of 1.5 KB. */
async function measureSession(arm: "bare" | "Strata"): Promise<Figures> {
  const names = Array.from({ length: REQUESTS }, (_, n) => `src/part-${n}.txt`);
  await using stage = await openStage({
    plugin: withStrata,
    files: Object.fromEntries(names.map((name) => [name, writePart(name)])),
    env: ({ file }) => ({ STRATA_WATCH: file(WATCH), ...(arm === "bare" && { STRATA_WATCH_BARE: "1" }) }),
  });
  const { model, project } = stage;
  const session = await stage.newSession("bench");
  const readMemory = async (): Promise<number> => {
    model.script(say("done"));
    await session.ask("memory");
    return readWatch().residentMB.at(-1) ?? Number.NaN;
  };
  const readWatch = (): Watched => JSON.parse(readFileSync(project.file(WATCH), "utf8"));
  const restMB = await readMemory();
  const before = sum(readWatch());
  const timed = { ms: 0, hooksMs: 0, processorMs: 0, requests: 0 };
  let timedMB = Number.NaN;
  for (let from = 0; from < REQUESTS; from += A_TURN) {
    const turn = names.slice(from, from + A_TURN - 1);
    model.script(...turn.map((name) => call("read", { filePath: project.file(name) })), say("done"));
    const [begun, used] = [performance.now(), readProcessorMs(stage.host.pid)];
    await session.ask(`Read part ${from} of the sources, and say what stands in it.`);
    if (from >= TIMED) continue;
    timed.ms += performance.now() - begun;
    timed.processorMs += readProcessorMs(stage.host.pid) - used;
    timed.requests += turn.length + 1;
    timed.hooksMs = sum(readWatch()) - before;
    if (from + A_TURN >= TIMED) timedMB = await readMemory();
  }
  return {
    requestMs: timed.ms / timed.requests,
    hooksMs: timed.hooksMs / timed.requests,
    processorMs: timed.processorMs / timed.requests,
    importMs: readWatch().importMs,
    ...{ restMB, timedMB, lastMB: await readMemory() },
  };
}

function sum({ milliseconds }: Watched): number {
  return Object.values(milliseconds).reduce((a, b) => a + b, 0);
}

/** User and system time so far. Linux counts in hundredths of a second. */
function readProcessorMs(pid: number | undefined): number {
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const [user = 0, system = 0] = fields.split(" ").slice(11, 13).map(Number);
  return (user + system) * 10;
}

/** Lines that no other file has. */
function writePart(name: string): string {
  return Array.from(
    { length: 30 },
    (_, n) => `line ${n} of ${name}, which has ${name.length * n} words\n`,
  ).join("");
}

function printTable(): void {
  const rows: [string, keyof Figures, number][] = [
    ["first request to a project (ms)", "firstMs", 0],
    [`a request, of the first ${TIMED} (ms)`, "requestMs", 1],
    ["  of it in hooks (ms)", "hooksMs", 1],
    ["  of the host's processor (ms)", "processorMs", 1],
    ["import of the plugin (ms)", "importMs", 1],
    ["memory at rest (MB)", "restMB", 0],
    [`memory after ${TIMED} requests (MB)`, "timedMB", 0],
    [`memory after ${REQUESTS} requests (MB)`, "lastMB", 0],
  ];
  console.log(
    `\n${"".padEnd(36)}${["bare", "Strata", "more", "ratio"].map((name) => name.padStart(9)).join("")}`,
  );
  for (const [name, field, digits] of rows) {
    const [one, two] = [bare, withPlugin].map((all) => median(all.map((figures) => figures[field])));
    if (one === undefined || two === undefined) continue;
    const cells = [
      one.toFixed(digits),
      two.toFixed(digits),
      (two - one).toFixed(digits),
      (two / one).toFixed(2),
    ];
    console.log(name.padEnd(36) + cells.map((cell) => cell.padStart(9)).join(""));
  }
}

function median(values: (number | undefined)[]): number | undefined {
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
