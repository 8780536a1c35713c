/** The budget of a day with ten instances whose models take as much as they may, at once. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFakeClock } from "../support/fake-clock.js";
import { openGreedy } from "../support/greedy-model.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { patiently } from "../support/patience.js";
import { startChild } from "../support/processes/child.js";
import { defaults } from "../support/settings.js";

const { dailyTokens } = defaults.background;
const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);
const instances = Array.from({ length: 10 }, (_, n) => `i${n}`);

it("is kept to by ten instances at once, and most of it can be used", async () => {
  const world = { clock: createFakeClock(), files: createMemoryFiles(), folder: "/state/background" };
  const took: number[] = [];
  await Promise.all(
    instances.map(async (instance) => {
      for await (const tokens of openGreedy({ ...world, instance })) took.push(tokens);
    }),
  );
  expect(sum(took)).toBeLessThanOrEqual(dailyTokens);
  expect(sum(took)).toBeGreaterThan(dailyTokens / 2);
});

it(
  "is kept to by ten processes at once",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "strata-budget-"));
    const children = instances.map(() => startChild("generation-user.ts", folder));
    try {
      await Promise.all(children.map((child) => child.line("ready")));
      const done = children.map((child) => child.line("done"));
      for (const child of children) child.say("go");
      await Promise.all(done);
      const took = children.flatMap(({ lines }) =>
        lines.filter((line) => line.startsWith("took ")).map((line) => Number(line.slice(5))),
      );
      expect(sum(took)).toBeLessThanOrEqual(dailyTokens);
      expect(took.length).toBeGreaterThan(0);
    } finally {
      await Promise.all(children.map((child) => child.kill()));
      await rm(folder, { recursive: true, force: true });
    }
  },
  patiently(60_000),
);
