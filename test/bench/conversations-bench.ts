/**
 * The index of conversations at full size: how long 100,000 messages take to be indexed and searched, the worst time that
 * a step keeps the thread, and what is left on disk and in memory.
 *
 *     npm run bench:conversations [-- --messages 100000]
 *
 * With Node's engine here, and again in the host's own Bun if OpenCode is installed, which runs this file bundled.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createConversations } from "../../src/conversations/conversations.js";
import type { Line, SessionHead } from "../../src/conversations/lines.js";
import { systemClock as clock } from "../../src/io/clock.js";
import { createLocks } from "../../src/io/locks.js";
import { nodeFiles as files } from "../../src/io/node-files.js";
import { createRunningProcesses } from "../../src/io/running-processes.js";

const HOSTS = [
  "node_modules/opencode-ai/bin/opencode.exe",
  "node_modules/@opencode/cli-linux-x64-baseline/bin/opencode",
];
const OF_A_SESSION = 100;
const WORDS = 60;

const { values } = parseArgs({ options: { messages: { type: "string", default: "100000" } } });

async function measure(count: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "strata-bench-"));
  const locks = createLocks({ clock, files, processes: createRunningProcesses(), instance: "bench" });
  const log = { warn: (_: string, what: string) => console.log(what) };
  const turns = watchTurns();
  const options = { clock: turns, files, locks, log, folder, maxBytes: 200_000_000 };
  const index = createConversations(options);
  const before = process.memoryUsage().rss;
  const begunMs = performance.now();
  let most = before;
  for (let from = 0; from < count; from += OF_A_SESSION) {
    const session = makeSession(from);
    turns.begin();
    await index.add(...session);
    most = Math.max(most, process.memoryUsage().rss);
  }
  const seconds = (performance.now() - begunMs) / 1_000;
  const runtime = process.versions.bun ? `Bun ${process.versions.bun}` : `Node ${process.versions.node}`;
  const size = statSync(join(folder, "index.db")).size;
  console.log(`${runtime}: ${count} messages in ${seconds.toFixed(1)} s, ${megabytes(size)} MB on disk`);
  console.log(`  longest turns of ${turns.count()}: ${turns.longest().join(", ")} ms of processor time`);
  console.log(`  memory: ${megabytes(most - before)} MB more at most, made-up text included`);
  for (const words of ["w5a wabc w1f", "w5a wabc w1", "w0 w1 w2", "wabc"]) {
    const timesMs: number[] = [];
    for (let n = 0; n < 5; n++) {
      const spentMs = readThreadMs();
      await index.search(words, { limit: 10 });
      timesMs.push(readThreadMs() - spentMs);
    }
    console.log(`  "${words}": ${timesMs.sort((a, b) => a - b)[2]?.toFixed(1)} ms of processor time`);
  }
  rmSync(folder, { recursive: true });
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);

/** Processor time of this thread, on Linux: what keeps the host from answering, whatever else the machine does. */
const readThreadMs = (): number =>
  Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;

/** A clock that measures the time between two pauses. */
function watchTurns() {
  let spentMs = readThreadMs();
  const turnsMs: number[] = [];
  const begin = (): void => {
    spentMs = readThreadMs();
  };
  return {
    begin,
    now: clock.now,
    async pause(delayMs: number): Promise<void> {
      turnsMs.push(readThreadMs() - spentMs);
      await clock.pause(delayMs);
      begin();
    },
    count: () => turnsMs.length,
    longest: () =>
      turnsMs
        .sort((a, b) => b - a)
        .slice(0, 5)
        .map((ms) => ms.toFixed(0)),
  };
}

/** Words as rare as those of a language: the first ones stand in every message. */
function makeSession(from: number): [SessionHead, Line[]] {
  const lines = Array.from({ length: OF_A_SESSION }, (_, n): Line => {
    const text = Array.from(
      { length: WORDS },
      () => `w${Math.floor(Math.random() ** 3 * 60_000).toString(36)}`,
    );
    const by = (["user", "agent", "tool"] as const)[n % 3] ?? "user";
    return {
      messageID: `msg_${from + n}`,
      atMs: 1_700_000_000_000 + (from + n) * 1_000,
      by,
      text: text.join(" "),
    };
  });
  return [{ id: `ses_${from}`, project: `/p${from % 7}`, title: `Session ${from}` }, lines];
}

async function measureInHosts(): Promise<void> {
  const found = HOSTS.map((path) => resolve(path)).filter((path) => existsSync(path));
  if (found.length === 0) return;
  const { bundleScript } = await import("../support/processes/bundled.js");
  const script = await bundleScript(new URL(import.meta.url));
  for (const host of found) {
    const args = ["run", script, "--messages", values.messages];
    console.log(
      execFileSync(host, args, { env: { ...process.env, BUN_BE_BUN: "1" }, encoding: "utf8" }).trim(),
    );
  }
}

await measure(Number(values.messages));
if (process.versions.bun === undefined) await measureInHosts();
