/** What was saved, in words. */
import { describe, expect, it } from "vitest";
import { type SavingsRecord, sumSavings } from "../../src/record/savings.js";
import { formatSaved, formatSavedShort } from "../../src/status/format-saved.js";

const answer = (fields: Partial<SavingsRecord>): SavingsRecord => ({
  v: 1,
  time: "2026-11-21T09:00:00.000Z",
  instance: "i",
  session: "s",
  layer: "view",
  event: "answer",
  ...fields,
});
const say = (...records: SavingsRecord[]): string => formatSaved(sumSavings(records));

describe("what was saved", () => {
  it("what was saved is said in dollars, with its share, where the model has a price", () => {
    const records = [
      answer({ cost: 300_000, net: 100_000, money: 0.3 }),
      answer({ cost: 100_000, net: 60_000, money: 0.18 }),
    ];
    expect(say(...records)).toBe("about $0.48 (29 %) less than OpenCode alone would have cost");
    expect(formatSavedShort(sumSavings(records))).toBe("saved $0.48");
  });

  it("what was saved is said in tokens of input where prices are unknown or nothing is charged", () => {
    const tokens = "about 100,000 tokens of input (25 %) less than OpenCode alone would have cost";
    expect(say(answer({ cost: 300_000, net: 100_000 }))).toBe(tokens);
    expect(say(answer({ cost: 300_000, net: 100_000, money: 0 }))).toBe(tokens);
  });

  it("a session that cost more than OpenCode alone says so", () => {
    const loss = answer({ cost: 104_000, net: -4_000, money: -0.012 });
    expect(say(loss)).toBe("about $0.012 (4 %) more than OpenCode alone would have cost");
    expect(formatSavedShort(sumSavings([loss]))).toBe("cost $0.012 more");
  });

  it("sessions of models with and without prices are not added up", () => {
    const priced = answer({ cost: 1, net: 100_000, money: 0.3 });
    expect(say(priced, answer({ cost: 1, net: 5_000 }))).toContain(
      "$0.30 and 5,000 tokens of input where prices are unknown",
    );
    expect(say(priced, answer({ cost: 1, net: -5_000 }))).toContain("$0.30 less 5,000 tokens of input");
  });

  it("records of earlier versions count as they did, without a share", () => {
    const records = [
      answer({ event: "cleared", cacheLost: 1_000, net: -1_150 }),
      answer({ net: 21_150 }),
      answer({ cost: 10_000, net: 0 }),
    ];
    expect(say(...records)).toBe("about 20,000 tokens of input less than OpenCode alone would have cost");
  });

  it("Strata's own calls and the host's summaries are part of the cost", () => {
    const records = [
      answer({ cost: 60_000, net: 50_000 }),
      answer({ event: "background", net: -10_000 }),
      answer({ event: "summary", cost: 20_000, net: -20_000 }),
    ];
    expect(sumSavings(records)).toMatchObject({ cost: 90_000, net: 20_000 });
  });
});
