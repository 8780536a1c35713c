import { describe, expect, it } from "vitest";
import { withAbsoluteDates } from "../../src/text/dates.js";
import { fc } from "../support/property.js";

/** A Saturday. */
const SAID = Date.parse("2026-11-21T10:00:00Z");
const dated = (text: string): string => withAbsoluteDates(text, SAID);

describe("a relative date gets the date it meant", () => {
  it.each([
    ["We moved yesterday.", "We moved yesterday (2026-11-20)."],
    ["the day before yesterday it broke", "the day before yesterday (2026-11-19) it broke"],
    ["It broke three weeks ago.", "It broke three weeks ago (2026-10-31)."],
    ["since last week", "since last week (week of 2026-11-09)"],
    ["next month and this year", "next month (2026-12) and this year (2026)"],
    ["last Friday, next Friday", "last Friday (as of 2026-11-21), next Friday (as of 2026-11-21)"],
    ["The job (broken since yesterday) is off.", "The job (broken since yesterday (2026-11-20)) is off."],
    ["Today, we froze main; tomorrow: the cut.", "Today (2026-11-21), we froze main; tomorrow: the cut."],
    ["昨天改了端口", "昨天 (2026-11-20)改了端口"],
    ["三周前", "三周前 (2026-10-31)"],
    ["上周五上线，下周再看", "上周五 (2026-11-13)上线，下周 (week of 2026-11-23)再看"],
  ])("%s", (said, meant) => expect(dated(said)).toBe(meant));

  it.each([
    // Code, names, paths, links, place holders.
    "run `date -d yesterday` first",
    "```\ntoday\n```",
    "```\ntoday, and the fence does not end",
    "Dates are made in yesterday.ts and src/today/index.ts.",
    "The template has {{today}}, {today}, [today](x) and <today>.",
    "https://example.org/today",
    // What others have said, and what is only named.
    'The "today" widget counts from midnight.',
    "The Today tab, the today filter, the last month column",
    "> we deploy tomorrow",
    // Any day.
    "Reports are made of every yesterday.",
    "Tokens expire in 30 days.",
    "The quota counts the last week, the last month and any next year.",
    "The last Friday of the month is free; so is last Friday of a sprint.",
    // Numbers that go on before.
    "It began twenty-five days ago, or twenty five days ago.",
    "1,000 days ago, 1.5 weeks ago, 2-3 weeks ago",
    "十一天前，二十天前，几周前，半年前",
    "大前天，大后天",
    "三天前端培训，两周前后，上周期，本周报，后天的能力",
    // A day of its own.
    "yesterday (2026-11-20)",
    "2025-03-01: it was deployed yesterday.",
    "On March 3 it was moved; tomorrow it goes back.",
    "2025年3月1日：昨天上线",
    "in 2026",
  ])("not %j", (text) => expect(dated(text)).toBe(text));

  it("a relative date is of the day where it was said, not of the one in Greenwich", () => {
    const zone = process.env.TZ;
    const said = (timeZone: string, at: string): string => {
      process.env.TZ = timeZone;
      return withAbsoluteDates("today", Date.parse(at));
    };
    try {
      expect(said("America/Los_Angeles", "2026-11-21T03:00:00Z")).toBe("today (2026-11-20)");
      expect(said("Asia/Shanghai", "2026-11-20T23:00:00Z")).toBe("today (2026-11-21)");
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  it("doing it again, on any later day, changes nothing", () => {
    const words = fc.constantFrom(..."yesterday,last week,3 days ago,x,今天,next Monday,\n,(".split(","));
    fc.assert(
      fc.property(fc.array(words), fc.nat(5_000), (parts, days) => {
        const once = dated(parts.join(" "));
        expect(withAbsoluteDates(once, SAID + days * 86_400_000)).toBe(once);
      }),
      { numRuns: 300 },
    );
  });
});
