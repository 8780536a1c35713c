import { describe, expect, it } from "vitest";
import { withAbsoluteDates } from "../../src/dream/dates.js";
import { fc } from "../support/property.js";

/** A Saturday. */
const SAID = Date.parse("2026-11-21T10:00:00Z");
const dated = (text: string): string => withAbsoluteDates(text, SAID);

describe("a relative date gets the date it meant", () => {
  it.each([
    ["We moved yesterday.", "We moved yesterday (2026-11-20)."],
    ["the day before yesterday it broke", "the day before yesterday (2026-11-19) it broke"],
    ["It broke three weeks ago.", "It broke three weeks ago (2026-10-31)."],
    ["a month ago", "a month ago (2026-10)"],
    ["2 years ago", "2 years ago (2024)"],
    ["Release in 10 days", "Release in 10 days (2026-12-01)"],
    ["since last week", "since last week (week of 2026-11-09)"],
    ["next month and this year", "next month (2026-12) and this year (2026)"],
    ["last Friday, next Friday", "last Friday (2026-11-20), next Friday (2026-11-27)"],
    ["last Saturday, next Saturday", "last Saturday (2026-11-14), next Saturday (2026-11-28)"],
    ["昨天改了端口", "昨天 (2026-11-20)改了端口"],
    ["三周前", "三周前 (2026-10-31)"],
    ["上周五上线，下周再看", "上周五 (2026-11-13)上线，下周 (week of 2026-11-23)再看"],
  ])("%s", (said, meant) => expect(dated(said)).toBe(meant));

  it("code, what has a date already, and what only looks like a date stay as they are", () => {
    for (const text of [
      "run `date -d yesterday` first",
      "```\ntoday\n```",
      "yesterday (2026-11-20)",
      "USA Today's site",
      "the yesterdays",
      "in a day-to-day way",
      "in 2026",
    ])
      expect(dated(text), text).toBe(text);
  });

  it("doing it again, on any later day, changes nothing", () => {
    const words = fc.constantFrom(
      "yesterday",
      "last week",
      "3 days ago",
      "x",
      "今天",
      "next Monday",
      "\n",
      "(",
    );
    fc.assert(
      fc.property(fc.array(words), fc.nat(5_000), (parts, days) => {
        const once = dated(parts.join(" "));
        expect(withAbsoluteDates(once, SAID + days * 86_400_000)).toBe(once);
      }),
      { numRuns: 300 },
    );
  });
});
