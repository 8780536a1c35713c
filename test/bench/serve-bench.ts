/**
 * Compares `strata serve` with a Hono route that does nothing, in one run: requests per second and 99th percentile. Then
 * measures its memory before and after an hour's worth of requests: ten clients at the default limit of 60 a minute. The
 * server has one core, the client the other.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { type Held, putLoad } from "./serve/load.js";

const ROUNDS = 3;
const ROUND_MS = 3_000;
const CONNECTIONS = 16;
const CLIENTS = 10;
const HOUR_OF_REQUESTS = CLIENTS * 60 * 60;
const MEMORIES = 1_000;
const SESSIONS = 100;
const RECORDS = 200;
const PATHS = ["/health", "/stats", "/metrics"];

const home = mkdtempSync(join(tmpdir(), "strata-serve-bench-"));
const project = createProject();
const started: (() => void)[] = [];
try {
  const bare = await start(["--import", "tsx", resolve("test/bench/serve/bare-hono.ts")], process.cwd());
  const serve = [resolve("dist/strata.js"), "serve", "--port", "0", "--json", "--rate-limit", "1000000"];
  const strata = await start(serve, project);
  const subjects = [
    { name: "bare Hono route", url: bare.url, path: "/", key: "" },
    ...PATHS.map((path) => ({ name: `strata ${path}`, url: strata.url, path, key: strata.key ?? "" })),
  ];
  const held = subjects.map((): Held[] => []);
  // Alternates, so that a slower machine affects all of them alike; the first round warms up.
  for (let round = 0; round <= ROUNDS; round++)
    for (const [n, subject] of subjects.entries()) {
      const one = await putLoad({ ...subject, connections: CONNECTIONS, until: { ms: ROUND_MS } });
      if (round > 0) held[n]?.push(one);
    }
  const base = median((held[0] ?? []).map(({ requestsPerSecond }) => requestsPerSecond));
  for (const [n, { name }] of subjects.entries()) {
    const some = held[n] ?? [];
    const perSecond = median(some.map(({ requestsPerSecond }) => requestsPerSecond));
    const [p50, p99] = [median(some.map(({ p50Ms }) => p50Ms)), median(some.map(({ p99Ms }) => p99Ms))];
    process.stdout.write(
      `${name}: ${perSecond.toFixed(0)} requests a second (${(perSecond / base).toFixed(2)} × bare), median ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms\n`,
    );
  }
  const fresh = await start(serve, project);
  const ask = (path: string, requests: number) =>
    putLoad({ url: fresh.url, path, key: fresh.key ?? "", connections: CLIENTS, until: { requests } });
  for (const path of PATHS) await ask(path, 100);
  const before = await readMemory(fresh);
  process.stdout.write(`memory of a server that has just begun: ${before.toFixed(1)} MB\n`);
  for (let part = 1; part <= 4; part++) {
    for (const path of PATHS) await ask(path, HOUR_OF_REQUESTS / 4 / PATHS.length);
    const after = await readMemory(fresh);
    process.stdout.write(`after ${(HOUR_OF_REQUESTS / 4) * part} requests: ${after.toFixed(1)} MB\n`);
  }
} finally {
  for (const end of started) end();
  rmSync(home, { recursive: true, force: true });
}

async function start(args: readonly string[], cwd: string): Promise<{ url: string; key?: string }> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(() => child.kill("SIGKILL"));
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return JSON.parse(String(line));
}

/** Resident memory in MB. */
async function readMemory({ key = "", url }: { url: string; key?: string }): Promise<number> {
  const answer = await fetch(`${url}/stats`, { headers: { "x-api-key": key } });
  return ((await answer.json()) as { memoryBytes: number }).memoryBytes / 1_000_000;
}

function createProject(): string {
  const folder = join(home, "project");
  const decisions = join(folder, ".opencode", "memory", "decision");
  const savings = join(folder, ".opencode", "strata", "savings");
  for (const one of [join(folder, ".git"), decisions, savings]) mkdirSync(one, { recursive: true });
  for (let n = 0; n < MEMORIES; n++)
    writeFileSync(join(decisions, `number-${n}.md`), `---\ntitle: Number ${n}\n---\nWe decided on ${n}.\n`);
  const record = { v: 1, time: "2026-11-21T09:00:00Z", instance: "a", layer: "view", event: "answer" };
  for (let n = 0; n < SESSIONS; n++) {
    const line = JSON.stringify({ ...record, session: `ses_${n}`, sent: 40_000, cached: 30_000, net: 900 });
    writeFileSync(join(savings, `ses_${n}.jsonl`), `${line}\n`.repeat(RECORDS));
  }
  return folder;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
