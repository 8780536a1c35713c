import { describe, expect, it } from "vitest";
import { sumFigures } from "../../src/costs/figures.js";
import type { SavingsRecord } from "../../src/costs/savings.js";
import { PROJECT } from "../support/fake-host.js";
import { readLedgerExample } from "../support/ledger.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { runStrata } from "../support/shell.js";

describe("the figures", () => {
  it("figures add up by request, session and day, and the last record about a result counts", () => {
    const figures = sumFigures(readLedgerExample());
    expect(figures.sessions.map(({ sessionID }) => sessionID)).toEqual(["ses_2", "ses_1"]);
    expect(figures.sessions[1]).toMatchObject({
      requests: [
        { sent: 9_000, keptOut: 0 },
        { sent: 30_000, keptOut: 20_000 },
        { sent: 12_000, keptOut: 45_000 },
      ],
      replacements: [3],
    });
    expect(figures.days.map(({ day, totals }) => [day, totals.tokensFreed, totals.cacheLost])).toEqual([
      ["2026-11-20", 65_000, 9_000],
      ["2026-11-21", 0, 0],
    ]);
    expect(figures.totals.sent).toBe(58_000);
  });
});

describe("strata stats", () => {
  const world = (): Record<string, string> => {
    const files: Record<string, string> = { [`${PROJECT}/.git/HEAD`]: "x" };
    for (const [sessionID, records] of readLedgerExample()) {
      const lines = records.map((record: SavingsRecord) => JSON.stringify(record)).join("\n");
      files[`${PROJECT}/.opencode/strata/savings/${sessionID}.jsonl`] = `${lines}\n`;
    }
    return files;
  };

  it("stats prints one line for each session, or JSON", async () => {
    const files = createMemoryFiles(world());
    const { code, out } = await runStrata(files, "stats");
    expect(code).toBe(0);
    expect(out.split("\n").map((line) => line.split(/ {2,}/).slice(0, 6))).toEqual([
      ["not paid back yet: 3.9K tokens of input spent so far"],
      [""],
      ["session", "saved", "dollars", "context", "without", "requests"],
      ["ses_2", "0", "-", "7K", "7K", "1"],
      ["ses_1", "−3.9K", "-", "17K", "38.7K", "3"],
      ["all 2 sessions", "−3.9K", "-", "14.5K", "30.8K", "4"],
      [""],
      [expect.stringMatching(/^context, without: mean tokens of a request/)],
      [expect.stringMatching(/^what that cost: 9K cached tokens written again/)],
    ]);
    expect(JSON.parse((await runStrata(files, "stats --json")).out).totals.sent).toBe(58_000);
  });

  it("stats of a damaged ledger prints what can be read, names the line, and exits with 1", async () => {
    const files = createMemoryFiles(world());
    await files.appendLine(`${PROJECT}/.opencode/strata/savings/ses_1.jsonl`, "{oops");
    const { code, err, out } = await runStrata(files, "stats");
    expect(code).toBe(1);
    expect(out).toMatch(/^all 2 sessions +−3\.9K /m);
    expect(err).toContain("ses_1.jsonl: line 7 cannot be read");
  });

  it("stats lists sessions by title, with the share that was saved and the mean context", async () => {
    const files = createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x" });
    const known: Record<string, object> = {};
    for (let n = 0; n < 7; n++) {
      const time = `2026-11-2${n}T10:00:00.000Z`;
      const record = { v: 1, time, instance: "a", session: `ses_${n}`, layer: "view", event: "answer" };
      const sums = { net: 0, cost: 0, paid: 0, money: 0, unpriced: 0, sent: 0, cached: 0 };
      known[`ses_${n}`] = { title: `Task <${n}>`, bytes: 0, sums };
      await files.appendLine(
        `${PROJECT}/.opencode/strata/savings/ses_${n}.jsonl`,
        JSON.stringify({ ...record, sent: 10_000, cached: 9_000, keptOut: 10_000, net: 500, cost: 1_500 }),
      );
    }
    const state = `${PROJECT}/.opencode/strata/state/sessions.json`;
    await files.writeWhole(state, JSON.stringify({ v: 1, sessions: known }));
    const { out } = await runStrata(files, "stats");
    expect(out).toMatch(/^saved 25 % \(3\.5K tokens of input\)$/m);
    expect(out).toMatch(/^"Task <6>" +25 % +- +10K +20K +1 +90 % +0$/m);
  });

  it("stats --open serves the inspector and opens its link, and says so if no browser opens it", async () => {
    const opened: string[] = [];
    const { code, out } = await runStrata(createMemoryFiles(world()), "stats --open", {
      opened,
      stopsAfter: 1,
    });
    expect(code).toBe(0);
    expect(opened).toEqual([/^ {2}page {2}(\S+)/m.exec(out)?.[1]]);
    expect(opened[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/open\/\S+$/);
    const broken = Object.assign([], { push: () => expect.fail("no browser") });
    const failed = await runStrata(createMemoryFiles(world()), "stats --open", {
      opened: broken,
      stopsAfter: 1,
    });
    expect(failed).toMatchObject({ code: 0, err: expect.stringContaining("no browser") });
  });
});
