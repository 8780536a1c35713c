/**
 * What 10,000 memories add to the first request of a process, and for how long they keep the thread to themselves
 * around it, bundled as it is published: `npx tsx test/bench/first-request.ts`. Each row in a process of its own.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { nodeFiles as files } from "../../src/io/node-files.js";
import { createFakeHost } from "../support/fake-host.js";
import { user } from "../support/messages.js";
import { bundleScript } from "../support/processes/bundled.js";

const COUNT = 10_000;
const TYPES = ["decision", "knowledge", "procedure", "preference", "idea"];

interface FirstRequest {
  requestMs: number;
  /** Until all is read and indexed. */
  readyMs: number;
  longestPauseMs: number;
}

async function compare(): Promise<void> {
  const [empty, full] = [makeProject(), makeProject()];
  for (let n = 0; n < COUNT; n++) await files.create(join(full, pathOf(n)), textOf(n));
  const run = (project: string): FirstRequest => {
    const options = { encoding: "utf8" } as const;
    const command = [...process.execArgv, fileURLToPath(import.meta.url), project];
    return JSON.parse(execFileSync(process.execPath, command, options).trim().split("\n").at(-1) ?? "");
  };
  run(empty);
  console.table({
    "no memory": run(empty),
    "10,000, never seen before": run(full),
    "10,000, known from an earlier start": run(full),
  });
  for (const project of [empty, full]) rmSync(project, { recursive: true, force: true });
}

/** From there prompts and the table of words are found. */
const dist = fileURLToPath(new URL("../../dist", import.meta.url));

/** The sources would be compiled as they are first needed, which is here. */
async function openBundled(project: string) {
  const bundled = await bundleScript(new URL("machine.ts", import.meta.url), dist);
  const machine = (await import(pathToFileURL(bundled).href)) as typeof import("./machine.js");
  const { createStrata, stack, systemClock: clock } = machine;
  rmSync(bundled);
  const host = {
    ...createFakeHost([]),
    project,
    globalFolder: join(project, "global"),
    stateFolder: join(project, "state"),
  };
  return createStrata({ clock, files, host }, stack);
}

async function measure(project: string): Promise<FirstRequest> {
  const strata = await openBundled(project);
  const started = performance.now();
  let isDone = false;
  let longestPauseMs = 0;
  const watch = (async () => {
    for (let last = performance.now(); !isDone; last = performance.now()) {
      await new Promise((resolve) => setImmediate(resolve));
      longestPauseMs = Math.max(longestPauseMs, performance.now() - last);
    }
  })();
  const messages = [user("Why does part 42 listen on that port?")];
  await strata.dispatcher.ask("turn", { sessionID: "ses_1" }, undefined);
  const request = strata.requests.open(messages);
  if (request) await strata.dispatcher.ask("context", request, messages);
  const requestMs = performance.now() - started;
  await strata.idle();
  const readyMs = performance.now() - started;
  isDone = true;
  await watch;
  await strata.dispose();
  return { requestMs: round(requestMs), readyMs: round(readyMs), longestPauseMs: round(longestPauseMs) };
}

const makeProject = (): string => mkdtempSync(join(tmpdir(), "strata-bench-"));

const pathOf = (n: number): string =>
  join(".opencode", "memory", TYPES[n % TYPES.length] ?? "", `memory-${n}.md`);

const textOf = (n: number): string =>
  `---\ntitle: Memory ${n} of the bench\ncreated: 2026-01-01T00:00:00.000Z\nupdated: 2026-01-01T00:00:00.000Z\nsource:\n  by: user\n  evidence: "use ${n}"\n---\nThe server of part ${n} listens on port ${n}, because others are taken.\n`;

const round = (ms: number): number => Number(ms.toFixed(1));

const [, , given] = process.argv;
if (given) console.log(JSON.stringify(await measure(given)));
else await compare();
