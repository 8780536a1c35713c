/**
 * Two MCP clients and the plugin in the real OpenCode write memories of one project at once, and all three are killed
 * repeatedly. A killed writer repeats the calls that got no answer.
 */
import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { createChance } from "../../support/chance.js";
import { patiently } from "../../support/patience.js";
import { startMcp } from "../stage/mcp-process.js";
import type { Project } from "../stage/project.js";
import { openStage, type Stage } from "../stage/stage.js";
import { call, calls, say } from "../stage/steps.js";
import { strata } from "../stage/strata.js";

const ENTRIES = 1_000;
/** Kills of each MCP client; OpenCode, which takes seconds to start, is killed a tenth as often. */
const KILLS = Math.ceil(ENTRIES / 30);
const HOST_KILLS = Math.ceil(KILLS / 10);
const BATCH = 5;
const KEPT = /^(Kept|Known already): decision\//;
const MOST_TRIES = 10;
const WITHIN_MS = patiently(ENTRIES * 2_500 + 120_000);

/** A word unique to this number. */
function word(number: number): string {
  const syllables = [..."bdfgklmnprstvz"].flatMap((one) => [..."aeiou"].map((two) => one + two));
  const digits = [number % 70, Math.floor(number / 70) % 70, (number * 31 + 7) % 70];
  return digits.map((digit) => syllables[digit]).join("");
}

/** Facts on unrelated subjects. */
const factOf = (n: number): string =>
  `The ${word(3 * n)} module keeps its ${word(3 * n + 1)} beside the ${word(3 * n + 2)}.`;

const facts = Array.from({ length: ENTRIES }, (_, n) => factOf(n));
const shareOf = (writer: number): string[] => facts.filter((_, n) => n % 3 === writer);

test("every memory of three killed writers is stored, and none twice", {
  timeout: WITHIN_MS,
}, async () => {
  await using stage = await openStage({ alone: true });
  const kills = await Promise.all([
    writeByMcp(stage.project, shareOf(0), 1),
    writeByMcp(stage.project, shareOf(1), 2),
    writeByPlugin(stage, shareOf(2)),
  ]);
  expect(kills).toEqual([KILLS, KILLS, HOST_KILLS]);
  await stage.host.stop();
  const { memories } = JSON.parse(strata(stage.project, "list", "--json").stdout) as {
    memories: { content: string; isForeign?: true }[];
  };
  expect(memories.map(({ content }) => content).sort()).toEqual([...facts].sort());
  expect(memories.filter(({ isForeign }) => isForeign)).toEqual([]);
  expect(countFiles(stage.project)).toBe(ENTRIES);
  const checked = strata(stage.project, "check");
  expect([checked.status, checked.stdout]).toEqual([
    0,
    expect.stringContaining(`${ENTRIES} memories checked`),
  ]);
});

const decisions = (project: Project): string => project.file(".opencode/memory/decision");
const countFiles = (project: Project): number =>
  existsSync(decisions(project))
    ? readdirSync(decisions(project)).filter((name) => name.endsWith(".md")).length
    : 0;

/** Resolves when the memory has its file; its ledger line and the answer come after that. */
async function fileOf(project: Project, content: string): Promise<void> {
  const [, named = ""] = content.split(" ");
  const isThere = (): boolean =>
    existsSync(decisions(project)) && readdirSync(decisions(project)).some((name) => name.includes(named));
  await expect.poll(isThere, { timeout: patiently(60_000), interval: 1 }).toBe(true);
}

/** Returns the number of kills: before a call is read, while it runs, or after its answer. */
async function writeByMcp(project: Project, given: readonly string[], seed: number): Promise<number> {
  const chance = createChance(seed);
  const killAt = new Set(
    Array.from({ length: KILLS }, (_, n) => Math.floor(((n + 0.5) * given.length) / KILLS)),
  );
  let mcp = await startMcp(project, [], `client ${seed}`);
  let kills = 0;
  for (const [n, content] of given.entries()) {
    const remember = () => mcp.call("remember", { content, category: "decision" });
    if (killAt.has(n)) {
      const asked = remember().catch(() => undefined);
      const moments = [async () => {}, () => fileOf(project, content), () => asked];
      await moments[chance(moments.length)]?.();
      await mcp.kill();
      await asked;
      kills++;
      mcp = await startMcp(project, [], `client ${seed}`);
    }
    await until(async () => `${await remember().catch(String)}\n${mcp.said()}`);
  }
  await mcp.close();
  // The page of all memories may wait too long for the others' turn, which costs no memory, and is written later.
  const lines = mcp.said().split("\n");
  expect(lines.filter((line) => line !== "" && !/cannot write \S+MEMORY\.md: ELOCKED/.test(line))).toEqual(
    [],
  );
  return kills;
}

/** Repeats what was not kept: on a slow disk a writer may time out waiting for the others. */
async function until(write: () => Promise<string>): Promise<void> {
  let said = "";
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    said = await write().catch(String);
    if (KEPT.test(said)) return;
  }
  throw new Error(`Expected it to be kept after ${MOST_TRIES} tries: ${said}`);
}

/** One session per batch; the batch during which OpenCode is killed is repeated. */
async function writeByPlugin(stage: Stage, given: readonly string[]): Promise<number> {
  stage.model.respond((request) => {
    const [, from] = /batch (\d+)/.exec(request.textOf("user")) ?? [];
    if (from === undefined || request.toolResults().length > 0) return say("done");
    const batch = given.slice(Number(from), Number(from) + BATCH);
    return calls(...batch.map((content) => call("memory_remember", { content, type: "decision" })));
  });
  const batches = Array.from({ length: Math.ceil(given.length / BATCH) }, (_, n) => n * BATCH);
  const killAt = new Set(
    Array.from({ length: HOST_KILLS }, (_, n) => Math.floor(((n + 0.5) * batches.length) / HOST_KILLS)),
  );
  let kills = 0;
  for (const [n, from] of batches.entries()) {
    if (killAt.has(n)) {
      const before = countFiles(stage.project);
      const session = await stage.newSession(`killed ${from}`);
      const asked = session.ask(`batch ${from}`, { timeoutMs: WITHIN_MS }).catch(() => undefined);
      await expect
        .poll(() => countFiles(stage.project), { timeout: patiently(60_000), interval: 5 })
        .toBeGreaterThan(before);
      await stage.restart({ kill: true });
      await asked;
      kills++;
    }
    await until(async () => {
      await (await stage.newSession(`batch ${from}`)).ask(`batch ${from}`, { timeoutMs: patiently(120_000) });
      const results = stage.model.lastRequest().toolResults();
      return results.find(({ text }) => !KEPT.test(text))?.text ?? results[0]?.text ?? "";
    });
  }
  return kills;
}
