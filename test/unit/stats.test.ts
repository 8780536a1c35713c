import { describe, expect, it } from "vitest";
import type { SavingsRecord } from "../../src/record/savings.js";
import { drawBarChart } from "../../src/stats/bar-chart.js";
import { sumFigures } from "../../src/stats/figures.js";
import { drawLineChart } from "../../src/stats/line-chart.js";
import { formatPage } from "../../src/stats/page.js";
import { lightTheme, listTicks } from "../../src/stats/svg.js";
import { PROJECT } from "../support/fake-host.js";
import { readLedgerExample } from "../support/ledger.js";
import { findMarkupFaults } from "../support/markup.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { fc } from "../support/property.js";
import { runStrata } from "../support/shell.js";

const frame = {
  title: 'Sizes <of> "all" & more',
  description: "what it shows",
  size: { width: 1_000, height: 460 },
  theme: lightTheme,
  labels: { x: "request", y: "tokens" },
};

describe("the figures", () => {
  it("add up by request, session and day, and of two records about one result the last counts", () => {
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

describe("a chart", () => {
  const number = fc.integer({ min: 0, max: 10_000_000 });

  it("of any sizes has a title, a description, labels with units, and nothing outside the paper", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(number, { maxLength: 50 }), { minLength: 1, maxLength: 3 }),
        fc.constantFrom({ width: 1_000, height: 460 }, { width: 360, height: 400 }),
        (lines, size) => {
          const svg = drawLineChart({
            ...frame,
            size,
            lines: lines.map((sizes, n) => ({ label: `line ${n}`, colour: "#123456", sizes })),
          });
          expect(findMarkupFaults(svg)).toEqual([]);
          for (const part of [
            "<title>Sizes &lt;of&gt; &quot;all&quot; &amp; more</title>",
            "<desc>what it shows",
            ">tokens<",
            ">request<",
          ])
            expect(svg).toContain(part);
          for (const [, x, y] of svg.matchAll(/[ "](-?[\d.]+),(-?[\d.]+)(?=[ "])/g)) {
            expect(Number(x)).toBeGreaterThanOrEqual(0);
            expect(Number(x)).toBeLessThanOrEqual(size.width);
            expect(Number(y)).toBeGreaterThanOrEqual(0);
            expect(Number(y)).toBeLessThanOrEqual(size.height);
          }
          expect(svg).not.toContain("NaN");
        },
      ),
      { numRuns: 50 },
    );
  });

  it("of ten thousand requests has some hundred points, the largest among them", () => {
    const sizes = Array.from({ length: 10_000 }, (_, n) => (n === 7_777 ? 999_999 : 1_000));
    const svg = drawLineChart({ ...frame, lines: [{ label: "sent", colour: "#123456", sizes }] });
    const points = /points="([^"]*)"/.exec(svg)?.[1]?.split(" ") ?? [];
    expect(points.length).toBeLessThanOrEqual(600);
    const heights = points.map((point) => Number(point.split(",")[1]));
    expect(Math.min(...heights)).toBeLessThan(130);
  });

  it("of bars tells each value when it is pointed at", () => {
    const svg = drawBarChart({
      ...frame,
      series: [
        { label: "freed", colour: "#1f6fb4" },
        { label: "lost", colour: "#c0504d" },
      ],
      groups: [{ label: "11-20", values: [65_000, 9_000] }],
    });
    expect(svg).toContain("<title>11-20, freed: 65,000</title>");
    expect(svg).toContain("<title>11-20, lost: 9,000</title>");
    expect(findMarkupFaults(svg)).toEqual([]);
  });

  it("has round numbers at its axes", () => {
    expect(listTicks(10, 5)).toEqual([0, 2, 4, 6, 8, 10]);
    expect(listTicks(206_000, 5)).toEqual([0, 50_000, 100_000, 150_000, 200_000]);
    expect(listTicks(0, 5)).toEqual([0]);
  });
});

describe("the page", () => {
  const page = formatPage({
    project: '/home/me/a <b> & "c"',
    made: "2026-11-21T09:00:00.000Z",
    figures: sumFigures(readLedgerExample()),
  });

  it("is markup without a fault, with each chart for wide and narrow screens and as a table", () => {
    expect(findMarkupFaults(page)).toEqual([]);
    expect(page.match(/<svg /g)).toHaveLength(6);
    expect(
      page.match(/<svg [^>]*role="img"[^>]*>\s*<title>[^<]+<\/title>\s*<desc>[^<]+<\/desc>/g),
    ).toHaveLength(6);
    expect(page.match(/<details><summary>/g)).toHaveLength(3);
    expect(page.match(/tabindex="0"/g)).toHaveLength(3);
    expect(page).toContain("<td>65,000</td>");
    expect(page).toContain("/home/me/a &lt;b&gt; &amp; &quot;c&quot;");
  });

  it("asks nobody for anything and runs nothing", () => {
    const elsewhere = page.replaceAll('xmlns="http://www.w3.org/2000/svg"', "");
    expect(elsewhere).not.toMatch(
      /https?:|\/\/[a-z]|@import|url\(|<script|<link|<img|<iframe| src=| on\w+=/i,
    );
    expect(page).toContain("default-src 'none'");
  });

  it("says so where nothing has been recorded", () => {
    const empty = formatPage({
      project: "/p",
      made: "2026-11-21T09:00:00.000Z",
      figures: sumFigures(new Map()),
    });
    expect(empty).toContain("Nothing has been recorded yet");
    expect(findMarkupFaults(empty)).toEqual([]);
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

  it("prints a line a session, and JSON for programs", async () => {
    const files = createMemoryFiles(world());
    const { code, out } = await runStrata(files, "stats");
    expect(code).toBe(0);
    expect(out.split("\n").map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
      ["tokens", "requests", "sent"],
      ["ses_2", "1", "7,000"],
      ["ses_1", "3", "51,000"],
      ["all 2 sessions", "4", "58,000"],
    ]);
    expect(JSON.parse((await runStrata(files, "stats --json")).out).totals.sent).toBe(58_000);
  });

  it("writes the page where it is told to, seen from where one stands", async () => {
    const files = createMemoryFiles(world());
    const { code, out } = await runStrata(files, "stats --html out/page.html", { folder: `${PROJECT}/src` });
    expect([code, out]).toEqual([0, `Written: ${PROJECT}/src/out/page.html`]);
    expect(files.text(`${PROJECT}/src/out/page.html`)).toContain("<!doctype html>");
    expect((await runStrata(files, "stats --html")).code).toBe(2);
  });

  it("of a damaged ledger tells what can be read, names the line, and ends with 1", async () => {
    const files = createMemoryFiles(world());
    await files.appendLine(`${PROJECT}/.opencode/strata/savings/ses_1.jsonl`, "{oops");
    const { code, err, out } = await runStrata(files, "stats");
    expect(code).toBe(1);
    expect(out).toContain("58,000");
    expect(err).toContain("ses_1.jsonl: line 7 cannot be read");
  });
});
