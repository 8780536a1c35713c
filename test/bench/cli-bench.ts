/**
 * How long `strata status` takes from a cold start, as a ratio to `node -e 0` in the same run: in an empty project, in one
 * with a full ledger, and in one with 10,000 memories. Prints medians.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const RUNS = 15;
const SESSIONS = 100;
const RECORDS = 200;
const MEMORIES = 10_000;
const binary = resolve("dist/strata.js");

const empty = createProject({});
const full = createProject({ sessions: SESSIONS });
const wise = createProject({ memories: MEMORIES });
const times = { bare: [] as number[], empty: [] as number[], full: [] as number[], wise: [] as number[] };
try {
  // Alternating, so that a machine that slows down slows all of them.
  for (let run = 0; run < RUNS; run++) {
    times.bare.push(time(empty, ["-e", "0"]));
    times.empty.push(time(empty, [binary, "status"]));
    times.full.push(time(full, [binary, "status"]));
    times.wise.push(time(wise, [binary, "status"]));
  }
} finally {
  for (const folder of [empty, full, wise]) rmSync(folder, { recursive: true });
}

const bare = median(times.bare);
const report = (name: string, ms: number) =>
  `${name}: ${ms.toFixed(0)} ms, ${(ms / bare).toFixed(2)} × node -e 0\n`;
process.stdout.write(report("node -e 0", bare));
process.stdout.write(report("strata status, empty project", median(times.empty)));
process.stdout.write(
  report(`strata status, ${SESSIONS} sessions with ${RECORDS} records each`, median(times.full)),
);
process.stdout.write(report(`strata status, ${MEMORIES} memories`, median(times.wise)));

function createProject({ memories = 0, sessions = 0 }: { memories?: number; sessions?: number }): string {
  const folder = mkdtempSync(join(tmpdir(), "strata-cli-bench-"));
  mkdirSync(join(folder, ".git"));
  const savings = join(folder, ".opencode", "strata", "savings");
  mkdirSync(savings, { recursive: true });
  for (let n = 0; n < sessions; n++) {
    const record = { v: 1, time: "2026-11-21T09:00:00Z", instance: "a", session: `ses_${n}`, layer: "view" };
    const line = JSON.stringify({
      ...record,
      event: "answer",
      sent: 40_000,
      cached: 30_000,
      keptOut: 9_000,
      net: 900,
    });
    writeFileSync(join(savings, `ses_${n}.jsonl`), `${line}\n`.repeat(RECORDS));
  }
  const decisions = join(folder, ".opencode", "memory", "decision");
  mkdirSync(decisions, { recursive: true });
  for (let n = 0; n < memories; n++)
    writeFileSync(join(decisions, `number-${n}.md`), `---\ntitle: Number ${n}\n---\nWe decided on ${n}.\n`);
  return folder;
}

function time(cwd: string, args: string[]): number {
  const before = performance.now();
  spawnSync(process.execPath, args, { cwd, stdio: "ignore" });
  return performance.now() - before;
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
