/** The host gives the models' prices, and the ledger says money. */
import { expect, test } from "vitest";
import { readRecords } from "./stage/break-reasons.js";
import { whenFits } from "./stage/files.js";
import { openStage } from "./stage/stage.js";

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
