import { describe, expect, it } from "vitest";
import { drawBarChart } from "../../src/cli/stats/bar-chart.js";
import { sumFigures } from "../../src/cli/stats/figures.js";
import { drawLineChart } from "../../src/cli/stats/line-chart.js";
import { ages, sumMemories } from "../../src/cli/stats/memory-figures.js";
import { formatPage } from "../../src/cli/stats/page.js";
import { drawRowChart } from "../../src/cli/stats/row-chart.js";
import { lightTheme, listTicks } from "../../src/cli/stats/svg.js";
import { type MemoryType, memoryTypes } from "../../src/memory/memory.js";
import type { SavingsRecord } from "../../src/record/savings.js";
import { MORNING } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { readLedgerExample, readMemoriesExample } from "../support/ledger.js";
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

describe("memories", () => {
  const DAY_MS = 86_400_000;
  const made = (days: number, type: MemoryType = "knowledge") => ({
    type,
    created: new Date(MORNING - days * DAY_MS).toISOString(),
  });

  it("memories are counted by type, largest first, and by age, youngest first", () => {
    const all = [made(0), made(6.9), made(7), made(400), made(100, "decision")];
    expect(sumMemories(all, MORNING)).toEqual([
      { type: "knowledge", counts: [2, 1, 0, 0, 1], total: 4 },
      { type: "decision", counts: [0, 0, 0, 1, 0], total: 1 },
    ]);
  });

  it("each memory is counted once, whatever its date", () => {
    const date = fc.oneof(
      fc.string(),
      fc.integer().map((days) => made(days % 10_000).created),
    );
    const memory = fc.record({ type: fc.constantFrom(...memoryTypes), created: date });
    fc.assert(
      fc.property(fc.array(memory), (all) => {
        const figures = sumMemories(all, MORNING);
        expect(figures.reduce((sum, { total }) => sum + total, 0)).toBe(all.length);
        for (const { counts, total } of figures)
          expect(counts.reduce((sum, count) => sum + count, 0)).toBe(total);
      }),
    );
  });
});

describe("a chart", () => {
  const number = fc.integer({ min: 0, max: 10_000_000 });

  it("a line chart of any size has a title, a description, labels with units, and nothing outside its area", () => {
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

  it("a line chart of ten thousand requests has some hundred points, including the largest", () => {
    const sizes = Array.from({ length: 10_000 }, (_, n) => (n === 7_777 ? 999_999 : 1_000));
    const svg = drawLineChart({ ...frame, lines: [{ label: "sent", colour: "#123456", sizes }] });
    const points = /points="([^"]*)"/.exec(svg)?.[1]?.split(" ") ?? [];
    expect(points.length).toBeLessThanOrEqual(600);
    const heights = points.map((point) => Number(point.split(",")[1]));
    expect(Math.min(...heights)).toBeLessThan(130);
  });

  it("a line chart shows a single request as a point, and an estimate as a dashed line", () => {
    const line = { label: "sent", colour: "#123456" };
    const one = drawLineChart({ ...frame, lines: [{ ...line, sizes: [7_000] }] });
    expect(one).toMatch(/<circle cx="90" cy="[\d.]+" r="5" fill="#123456"\/>/);
    const two = drawLineChart({ ...frame, lines: [{ ...line, sizes: [1, 2], isEstimate: true }] });
    expect(two.match(/stroke-dasharray="7 4"/g)).toHaveLength(2);
  });

  it("a bar chart shows each value as a tooltip", () => {
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

  it("a row chart stays within its area, and shows each part as a tooltip and each sum", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(number, { minLength: 5, maxLength: 5 }), { minLength: 1, maxLength: 11 }),
        fc.constantFrom({ width: 1_000, height: 460 }, { width: 360, height: 400 }),
        (rows, size) => {
          const svg = drawRowChart({
            ...frame,
            size,
            series: ages.map(({ label }) => ({ label, colour: "#123456" })),
            rows: rows.map((values, n) => ({ label: `row ${n}`, values })),
          });
          expect(findMarkupFaults(svg)).toEqual([]);
          for (const [, x, width] of svg.matchAll(/<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g))
            expect(Number(x) + Number(width)).toBeLessThanOrEqual(size.width);
          expect(svg).not.toMatch(/NaN|="-/);
        },
      ),
      { numRuns: 50 },
    );
    const svg = drawRowChart({
      ...frame,
      series: [{ label: "young", colour: "#123456" }],
      rows: [{ label: "decision", values: [1_200] }],
    });
    expect(svg).toContain("<title>decision, young: 1,200</title>");
    expect(svg).toContain(">1,200</text>");
  });

  it("chart axes have round numbers", () => {
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
    memories: sumMemories(readMemoriesExample(), MORNING),
  });

  it("the page is valid markup, with each chart for wide and narrow screens and as a table", () => {
    expect(findMarkupFaults(page)).toEqual([]);
    expect(page.match(/<svg /g)).toHaveLength(10);
    expect(
      page.match(/<svg [^>]*role="img"[^>]*>\s*<title>[^<]+<\/title>\s*<desc>[^<]+<\/desc>/g),
    ).toHaveLength(10);
    expect(page.match(/<details><summary>/g)).toHaveLength(5);
    expect(page.match(/tabindex="0"/g)).toHaveLength(5);
    expect(page).toContain("<td>65,000</td>");
    expect(page).toContain("<td>decision</td><td>2</td><td>0</td><td>1</td><td>0</td><td>1</td><td>4</td>");
    expect(page).toContain("/home/me/a &lt;b&gt; &amp; &quot;c&quot;");
  });

  it("the page makes no network requests and has no scripts", () => {
    const elsewhere = page.replaceAll('xmlns="http://www.w3.org/2000/svg"', "");
    expect(elsewhere).not.toMatch(
      /https?:|\/\/[a-z]|@import|url\(|<script|<link|<img|<iframe| src=| on\w+=/i,
    );
    expect(page).toContain("default-src 'none'");
  });

  it("the page says if nothing has been recorded", () => {
    const empty = formatPage({
      project: "/p",
      made: "2026-11-21T09:00:00.000Z",
      figures: sumFigures(new Map()),
      memories: [],
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

  it("stats --html writes the page to a path relative to the working directory", async () => {
    const files = createMemoryFiles(world());
    await files.writeWhole(
      `${PROJECT}/.opencode/memory/decision/port.md`,
      "---\ncreated: 2026-11-20T09:00:00Z\n---\nPort 8080\n",
    );
    const { code, out } = await runStrata(files, "stats --html out/page.html", { folder: `${PROJECT}/src` });
    expect([code, out]).toEqual([0, `Written: ${PROJECT}/src/out/page.html`]);
    const page = files.text(`${PROJECT}/src/out/page.html`);
    expect(page).toContain("<!doctype html>");
    expect(page).toContain("<title>decision, under a week: 1</title>");
    expect((await runStrata(files, "stats --html")).code).toBe(2);
  });

  it("stats of a damaged ledger prints what can be read, names the line, and exits with 1", async () => {
    const files = createMemoryFiles(world());
    await files.appendLine(`${PROJECT}/.opencode/strata/savings/ses_1.jsonl`, "{oops");
    const { code, err, out } = await runStrata(files, "stats");
    expect(code).toBe(1);
    expect(out).toMatch(/^all 2 sessions +−3\.9K /m);
    expect(err).toContain("ses_1.jsonl: line 7 cannot be read");
  });
});
