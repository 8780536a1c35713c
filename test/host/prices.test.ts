/** The host gives the models' prices, and the ledger says money; a price of 0 is a quota that is used up all the same. */
import { expect, test } from "vitest";
import { lines } from "../support/messages.js";
import { readRecords } from "./stage/break-reasons.js";
import { whenFits } from "./stage/files.js";
import { openStage } from "./stage/stage.js";
import { call, say } from "./stage/steps.js";

const KEPT = ".opencode/strata/state/prices.json";
const LEDGER = ".opencode/strata/savings";

test("the prices that the host gives with a request are remembered, and each answer is entered in dollars", async () => {
  // The stage's model costs that much.
  await using stage = await openStage();
  const session = await stage.newSession("prices");
  await session.ask("hello");
  const ledger = stage.project.file(LEDGER);
  await whenFits(`${ledger}/${session.id}.jsonl`, (text) => text.includes('"answer"'), "an answer");
  const answers = readRecords(ledger).filter(({ event }) => event === "answer");
  for (const { money = Number.NaN, net = 0 } of answers) expect(money).toBeCloseTo(net / 1_000_000, 6);
  await whenFits(stage.project.file(KEPT), (text) => text.includes("mock/m1"), "the prices");
  const known = JSON.parse(stage.read(KEPT)) as { models: Record<string, unknown> };
  expect(known.models["mock/m1"]).toMatchObject({ input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 });
});

test("a model of price 0 has old results cleared while the cache is warm, and no answer of it is entered in dollars", async () => {
  const cost = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
  const names = Array.from({ length: 8 }, (_, n) => `${n}.txt`);
  await using stage = await openStage({
    config: { provider: { mock: { models: { m1: { cost } } } } },
    files: Object.fromEntries(names.map((name) => [name, `${name}\n${lines(200, 49)}`])),
    options: { microCompact: { floor: 0, keepRecent: 2, horizon: 10 } },
  });
  const reads = names.map((name) => call("read", { filePath: stage.project.file(name) }, { id: name }));
  stage.model.script(...reads, say("done"));
  const session = await stage.newSession("free");
  await session.ask("go");
  expect(stage.model.lastRequest().toolResults()[0]?.text).toMatch(/^\[Strata\] Cleared/);
  await whenFits(stage.project.file(KEPT), (text) => text.includes("mock/m1"), "the prices");
  const ledger = stage.project.file(LEDGER);
  await whenFits(`${ledger}/${session.id}.jsonl`, (text) => text.includes('"answer"'), "an answer");
  const records = readRecords(ledger);
  expect(records.filter(({ event }) => event === "cleared")[0]).toMatchObject({ reason: "it pays back" });
  expect(records.filter(({ money }) => money !== undefined)).toEqual([]);
});
