/** What was saved, in words. */
import { describe, expect, it } from "vitest";
import { formatTokens } from "../../src/base/format.js";
import type { SavingsRecord } from "../../src/costs/savings.js";
import { sumRecords, toSaving } from "../../src/costs/sums.js";
import { formatHeadline, formatSaving } from "../../src/status/format-figures.js";

const answer = (fields: Partial<SavingsRecord>): SavingsRecord => ({
  v: 1,
  time: "2026-11-21T09:00:00.000Z",
  instance: "i",
  session: "s",
  layer: "view",
  event: "answer",
  ...fields,
});
const savingOf = (...records: SavingsRecord[]) => toSaving(sumRecords(records));
const say = (...records: SavingsRecord[]): string => formatSaving(savingOf(...records));

describe("what was saved", () => {
  it("what was saved is said in dollars, with its share, where the model has a price", () => {
    const records = [
      answer({ cost: 300_000, net: 100_000, money: 0.3 }),
      answer({ cost: 100_000, net: 60_000, money: 0.18 }),
    ];
    expect(say(...records)).toBe("saved $0.48 (29 %)");
  });

  it("a session that has not paid back yet says so, and is not greeted with a negative number", () => {
    const loss = answer({ cost: 104_000, net: -4_000, money: -0.012 });
    expect(say(loss)).toBe("not paid back yet: $0.012 spent so far");
    expect(say(answer({ cost: 104_000, net: -4_000 }))).toBe(
      "not paid back yet: 4K tokens of input spent so far",
    );
    expect(say()).toBe("nothing saved yet");
    expect(say(answer({ cost: 1, net: 0 }))).toBe("nothing saved yet");
  });

  it("Strata's own calls and the host's summaries are part of the cost", () => {
    const records = [
      answer({ cost: 60_000, net: 50_000 }),
      answer({ event: "background", net: -10_000 }),
      answer({ event: "summary", cost: 20_000, net: -20_000 }),
    ];
    expect(sumRecords(records)).toMatchObject({ cost: 90_000, net: 20_000 });
  });
});

describe("the headline", () => {
  const headline = (now: number, without: number, ...today: SavingsRecord[]): string => {
    const context = { now, without, threshold: 1, kinds: {} as never };
    const none = savingOf();
    return formatHeadline({ context, saved: { session: none, project: none, today: savingOf(...today) } });
  };

  it("the headline has percent and money first", () => {
    expect(headline(13_342, 25_600, answer({ cost: 1, net: 9, money: 0.42 }))).toBe(
      "context 13.3K instead of 25.6K (−48 %) · saved $0.42 today",
    );
    expect(headline(13_342, 25_600, answer({ cost: 300, net: 100 }))).toContain("· saved 25 % today");
  });
});

describe("numbers for people", () => {
  it("sizes have at most three digits", () => {
    const sizes = [0, 7, 812, 999.4, 1_000, 13_342, 99_949, 99_960, 128_000, 999_499, 999_600, 1_250_000];
    expect(sizes.map(formatTokens)).toEqual([
      "0",
      "7",
      "812",
      "999",
      "1K",
      "13.3K",
      "99.9K",
      "100K",
      "128K",
      "999K",
      "1M",
      "1.3M",
    ]);
    expect(formatTokens(-4_200)).toBe("−4.2K");
  });
});
