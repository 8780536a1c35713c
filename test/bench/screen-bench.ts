/**
 * What the sidebar costs the processor: OpenCode's real TUI at rest, and while an answer streams, bare, with the plugin
 * alone, and with its sidebar, in turn and in the same run. Prints medians in ms of processor time per second, and ratios.
 *
 *     tsx test/bench/screen-bench.ts [runs] [seconds at rest]
 */

import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { repository } from "../host/repository.js";
import { say, sayInPieces } from "../host/stage/steps.js";
import { SIDEBAR } from "../host/terminal/tui.js";
import { openTuiStage, type TuiStageOptions } from "../host/terminal/tui-stage.js";

const RUNS = Number(process.argv[2] ?? 3);
const REST_MS = Number(process.argv[3] ?? 10) * 1_000;
const PACE = { pieces: 300, everyMs: 20 };
/** Of the clock that Linux counts a process's time in. */
const TICK_MS = 10;
/** The host's own work after a turn is over by then. */
const SETTLED_MS = 3_000;

/** Milliseconds of processor time per second. */
interface Figures {
  rest: number;
  stream: number;
}

const WAYS: readonly [name: string, options: TuiStageOptions][] = [
  ["bare", {}],
  ["plugin", { plugin: repository }],
  ["sidebar", { plugin: repository, screen: repository }],
];
const measured = new Map<string, Figures[]>(WAYS.map(([name]) => [name, []]));

// Alternating, so that a machine that slows down slows all.
for (let run = 0; run < RUNS; run++) {
  for (const [name, options] of WAYS) measured.get(name)?.push(await measure(options));
  process.stdout.write(`run ${run + 1} of ${RUNS}\n`);
}
printTable();

async function measure(options: TuiStageOptions): Promise<Figures> {
  await using stage = await openTuiStage(options);
  await using tui = await stage.openTui();
  stage.model.script(say("The first answer."));
  await tui.send("Begin, please.");
  await tui.waitFor("The first answer.");
  if (options.screen) await tui.waitFor(() => /^ +Strata$/m.test(tui.sidebar()));
  else if (tui.sidebar().includes("Strata")) throw new Error(`a sidebar of ${SIDEBAR} columns shows Strata`);
  await pause(SETTLED_MS);
  const rest = await countPerSecond(tui.pid, () => pause(REST_MS));
  const words = Array.from({ length: 900 }, (_, index) => `word${index}`).join(" ");
  stage.model.script(sayInPieces(`${words}\n\nThe end.`, PACE));
  await tui.send("Tell me much.");
  const stream = await countPerSecond(tui.pid, () => tui.waitFor("The end.", 60_000));
  return { rest, stream };
}

async function countPerSecond(pid: number, during: () => Promise<unknown>): Promise<number> {
  const [before, begunMs] = [readProcessorMs(pid), performance.now()];
  await during();
  return ((readProcessorMs(pid) - before) / (performance.now() - begunMs)) * 1_000;
}

/** Of the process and all of its threads: utime and stime, the 14th and 15th field. */
function readProcessorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13);
  return (Number(user) + Number(system)) * TICK_MS;
}

function printTable(): void {
  const rows: [string, keyof Figures][] = [
    ["at rest", "rest"],
    ["while an answer streams", "stream"],
  ];
  const names = WAYS.map(([name]) => name.padStart(9)).join("");
  process.stdout.write(`\n${"processor, ms per second".padEnd(28)}${names}  sidebar / plugin\n`);
  for (const [title, field] of rows) {
    const medians = WAYS.map(([name]) => median((measured.get(name) ?? []).map((figures) => figures[field])));
    const [, plugin = Number.NaN, sidebar = Number.NaN] = medians;
    const cells = medians.map((value) => value.toFixed(1).padStart(9)).join("");
    process.stdout.write(`${title.padEnd(28)}${cells}${(sidebar / plugin).toFixed(2).padStart(18)}\n`);
  }
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
