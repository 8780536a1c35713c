/**
 * What the plugin costs in the real OpenCode, beside the bare host in the same run: loading, start-up, a turn of many
 * requests, memory at rest. Prints medians and ratios; the ratios are what the README quotes. `host-bench.ts start`
 * measures the start alone, more often.
 */
import { readFileSync } from "node:fs";
import { repository } from "../host/repository.js";
import { openStage, type Stage } from "../host/stage/stage.js";
import { call, say } from "../host/stage/steps.js";

const isStartOnly = process.argv[2] === "start";
const RUNS = isStartOnly ? 9 : 5;
const REQUESTS = isStartOnly ? 1 : 30;

interface Figures {
  /** First request to the host's project, in which plugins are loaded. */
  startMs: number;
  /** A turn of 30 requests with a read of 20 KB each, which stay in the context. */
  turnMs: number;
  /** Resident memory of the host's process after the turn. */
  memoryMB: number;
}

const bare: Figures[] = [];
const withStrata: Figures[] = [];
const loads: number[] = [];

// Alternating, so that a machine that slows down slows both.
for (let run = 0; run < RUNS; run++) {
  bare.push(await measure([]));
  withStrata.push(await measure([repository]));
  loads.push(await measureLoad());
  process.stdout.write(`run ${run + 1} of ${RUNS}\n`);
}

printTable();

async function measure(plugin: string[]): Promise<Figures> {
  await using stage = await openStage({
    alone: true,
    plugin: [],
    config: { snapshot: true },
    files: { "a.txt": "a line of the file\n".repeat(1_000) },
  });
  const start = performance.now();
  await stage.restart({ config: { plugin } });
  const session = await stage.newSession("bench");
  const startMs = performance.now() - start;
  const reads = Array.from({ length: REQUESTS - 1 }, () =>
    call("read", { filePath: stage.project.file("a.txt") }),
  );
  stage.model.script(...reads, say("done"));
  const turn = performance.now();
  await session.ask("go");
  return { startMs, turnMs: performance.now() - turn, memoryMB: readMemoryMB(stage) };
}

/** Import and `server()` of the built plugin, timed inside the host. */
async function measureLoad(): Promise<number> {
  const timed = `
    import { writeFileSync } from "node:fs";
    import { join } from "node:path";
    const begin = performance.now();
    const { default: plugin } = await import(${JSON.stringify(`${repository}/dist/plugin.js`)});
    const imported = performance.now() - begin;
    export default { id: "timed", async server(input, options) {
      const started = performance.now();
      const hooks = await plugin.server(input, options);
      writeFileSync(join(input.directory, "load.txt"), String(imported + performance.now() - started));
      return hooks;
    } };`;
  await using stage = await openStage({
    alone: true,
    plugin: [],
    files: { ".opencode/plugin/timed.js": timed },
  });
  await (await stage.newSession("load")).ask("hello");
  return Number(readFileSync(stage.project.file("load.txt"), "utf8"));
}

function readMemoryMB({ host }: Stage): number {
  const status = readFileSync(`/proc/${host.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1_024;
}

function printTable(): void {
  const rows: [string, keyof Figures, string][] = [
    ["first request to a project (ms)", "startMs", "starts the project, plugins included"],
    [`turn of ${REQUESTS} requests (ms)`, "turnMs", "20 KB read in each, all of it stays"],
    ["resident memory after it (MB)", "memoryMB", ""],
  ];
  process.stdout.write(
    `\n${"".padEnd(34)}${"bare".padStart(9)}${"Strata".padStart(9)}${"ratio".padStart(8)}\n`,
  );
  for (const [name, field, note] of rows) {
    const [one, two] = [bare, withStrata].map((figures) => median(figures.map((figure) => figure[field])));
    if (one === undefined || two === undefined) continue;
    const cells = [
      one.toFixed(0).padStart(9),
      two.toFixed(0).padStart(9),
      (two / one).toFixed(2).padStart(8),
    ];
    process.stdout.write(`${name.padEnd(34)}${cells.join("")}   ${note}\n`);
  }
  process.stdout.write(
    `\nimport and server() inside the host: ${median(loads).toFixed(1)} ms (median of ${RUNS})\n`,
  );
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
