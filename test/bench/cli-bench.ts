/**
 * How long `strata status` takes from a cold start, as a ratio to `node -e 0` in the same run: in an empty project and in
 * one with a full ledger. Prints medians.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const RUNS = 15;
const SESSIONS = 100;
const RECORDS = 200;
const binary = resolve("dist/src/cli/strata.js");

const empty = createProject(0);
const full = createProject(SESSIONS);
const times = { bare: [] as number[], empty: [] as number[], full: [] as number[] };
try {
  // Alternating, so that a machine that slows down slows all of them.
  for (let run = 0; run < RUNS; run++) {
    times.bare.push(time(empty, ["-e", "0"]));
    times.empty.push(time(empty, [binary, "status"]));
    times.full.push(time(full, [binary, "status"]));
  }
} finally {
  for (const folder of [empty, full]) rmSync(folder, { recursive: true });
}

const bare = median(times.bare);
const report = (name: string, ms: number) =>
  `${name}: ${ms.toFixed(0)} ms, ${(ms / bare).toFixed(2)} × node -e 0\n`;
process.stdout.write(report("node -e 0", bare));
process.stdout.write(report("strata status, empty project", median(times.empty)));
process.stdout.write(
  report(`strata status, ${SESSIONS} sessions with ${RECORDS} records each`, median(times.full)),
);

function createProject(sessions: number): string {
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
