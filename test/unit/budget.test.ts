import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../src/base/days.js";
import type { Files } from "../../src/io/files.js";
import { createBudget, parseBudgetLine, sumBudget } from "../../src/models/budget.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createFakeLog } from "../support/fake-log.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { fc } from "../support/property.js";
import { defaults } from "../support/settings.js";

const FOLDER = "/project/state/background";
const TODAY = `${FOLDER}/2026-11-21.jsonl`;
const call = { purpose: "session notes", session: "ses_1", tokens: 1_000 };

function open(
  limits: { dailyCalls?: number; dailyTokens?: number } = {},
  files: Files = createMemoryFiles(),
) {
  const clock = createFakeClock();
  const log = createFakeLog();
  const config = { ...defaults.background, ...limits };
  const start = (instance: string) => createBudget({ config, clock, files, log, folder: FOLDER, instance });
  return { budget: start("one"), start, clock, log };
}

describe("the budget of a day", () => {
  it("the budget of a day ends with the last call, and starts over the next day", async () => {
    const files = createMemoryFiles();
    const { budget, clock } = open({ dailyCalls: 2 }, files);
    const kinds = [];
    for (let n = 0; n < 3; n++) kinds.push((await budget.reserve(call)).kind);
    expect(kinds).toEqual(["reserved", "reserved", "refused"]);
    // At the limit nothing is written, however often it is asked.
    expect(files.text(TODAY)?.trim().split("\n")).toHaveLength(2);
    clock.advance(DAY_MS);
    expect((await budget.reserve(call)).kind).toBe("reserved");
  });

  it("the budget of a day is never exceeded by concurrent instances, in whatever order their steps run", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 0, max: 4 }), async (scheduler, dailyCalls) => {
        const files = createMemoryFiles();
        const slow: Files = {
          ...files,
          read: (path) => scheduler.schedule(Promise.resolve()).then(() => files.read(path)),
          appendLine: (path, line) =>
            scheduler.schedule(Promise.resolve()).then(() => files.appendLine(path, line)),
        };
        const { start } = open({ dailyCalls }, slow);
        const asked = ["one", "two", "three"].flatMap((instance) => {
          const budget = start(instance);
          return [budget.reserve(call), budget.reserve(call)];
        });
        const reservations = await scheduler.waitFor(Promise.all(asked));
        const made = reservations.filter(({ kind }) => kind === "reserved").length;
        expect(made).toBeLessThanOrEqual(dailyCalls);
        const after = open({}, files).budget;
        const { calls = 0, tokens = 0 } = (await after.today()) ?? {};
        expect([calls >= made, tokens]).toEqual([true, calls * 1_000]);
      }),
      { numRuns: 300 },
    );
  });

  it("the budget of a day skips unreadable lines, says so once, and counts the others", async () => {
    const files = createMemoryFiles();
    const { budget, start, log } = open({ dailyCalls: 2 }, files);
    await budget.reserve(call);
    const negative = JSON.stringify({ v: 1, kind: "reserved", id: "x", tokens: -1_000_000 });
    const torn = `${files.text(TODAY)}{"v":1,"kind":"res`;
    files.contents.set(TODAY, Buffer.from(`\0\0\n${negative}\n${torn}`));
    const kinds = [await budget.reserve(call), await budget.reserve(call)].map(({ kind }) => kind);
    expect(kinds).toEqual(["reserved", "refused"]);
    expect(await start("two").today()).toEqual({ calls: 2, tokens: 2_000 });
    expect(log.lines[0]).toBe(`warn background: ${TODAY}: lines 1, 2, 4 cannot be read, skipped`);
  });

  it("the budget of a day that is lost or cannot be read allows no call, and the log says so once", async () => {
    const forgetful: Files = { ...createMemoryFiles(), appendLine: async () => {} };
    expect(await open({}, forgetful).budget.reserve(call)).toMatchObject({ kind: "refused" });
    for (const operation of ["read", "appendLine"]) {
      const fail = () => Promise.reject(new Error("EIO"));
      const { budget, log } = open({}, { ...createMemoryFiles(), [operation]: fail });
      for (let n = 0; n < 2; n++)
        expect(await budget.reserve(call)).toMatchObject({
          why: expect.stringContaining("EIO"),
          isUsedUp: false,
        });
      if (operation === "read") expect(await budget.today()).toBeUndefined();
      expect(log.lines).toEqual([
        `error background: no model calls: ${FOLDER} cannot be used (EIO), so spending could not be counted`,
      ]);
    }
  });
});

describe("the lines of a budget", () => {
  it("the lines of a budget never have a negative sum, whatever the file contains", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (values) => {
        const lines = values.map(parseBudgetLine).filter((line) => line !== undefined);
        const tally = sumBudget(lines);
        expect(tally?.calls).toBeGreaterThanOrEqual(0);
        expect(tally?.tokens).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
