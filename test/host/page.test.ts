/** The page of `strata stats --html` in a real browser. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sumFigures } from "../../src/cli/stats/figures.js";
import { sumMemories } from "../../src/cli/stats/memory-figures.js";
import { formatPage } from "../../src/cli/stats/page.js";
import { MORNING } from "../support/fake-clock.js";
import { readLedgerExample, readMemoriesExample } from "../support/ledger.js";
import { openPage } from "./stage/browser-page.js";
import { findBrowser } from "./stage/chromium.js";

interface Measured {
  scrollWidth: number;
  charts: { width: number; height: number; smallestText: number; texts: string[] }[];
  paper: string;
  ink: string;
  chartPaper: string;
  outside: number;
}

/** Runs in the browser. */
const measure = readFileSync(new URL("./fixtures/measure-page.mjs", import.meta.url), "utf8").replace(
  "export ",
  "",
);

const html = formatPage({
  project: "/home/me/project",
  made: "2026-11-21T09:00:00.000Z",
  figures: sumFigures(readLedgerExample()),
  memories: sumMemories(readMemoriesExample(), MORNING),
});

test("the page is readable at 390 and 1440 pixels, light and dark, by keyboard, with an empty console", async ({
  skip,
}) => {
  const browser = findBrowser();
  if (browser === undefined) {
    process.stderr.write(
      "No Chromium on this machine: the page was checked without one, in test/unit/stats.test.ts\n",
    );
    skip("no Chromium on this machine");
    return;
  }
  const papers: string[] = [];
  for (const isDark of [false, true]) {
    for (const widthPx of [390, 1_440]) {
      await using page = await openPage({ browser, page: { html }, widthPx, isDark });
      const measured = await page.evaluate<Measured>(`(${measure})(window)`);
      expect(measured.scrollWidth).toBeLessThanOrEqual(widthPx);
      expect(measured.charts).toHaveLength(5);
      for (const { height, smallestText, texts, width } of measured.charts) {
        expect(width).toBeGreaterThan(widthPx === 390 ? 300 : 900);
        expect(height).toBeGreaterThan(200);
        expect(smallestText).toBeGreaterThan(11);
        // Each says what it counts in, and what along its axis.
        expect(texts.some((text) => text === "tokens" || text === "memories")).toBe(true);
      }
      expect(measured.outside).toBe(0);
      expect(measured.chartPaper).toBe(measured.paper);
      expect(measured.ink).not.toBe(measured.paper);
      papers.push(measured.paper);
      expect(page.console).toEqual([]);
      expect(page.requests.map((url) => url.slice(0, 5))).toEqual(["file:"]);
    }
  }
  expect(new Set(papers)).toEqual(new Set(["rgb(255, 255, 255)", "rgb(22, 22, 22)"]));
});

test("the table of every chart can be reached, opened and scrolled by keyboard", async ({ skip }) => {
  const browser = findBrowser();
  if (browser === undefined) {
    skip("no Chromium on this machine");
    return;
  }
  await using page = await openPage({ browser, page: { html }, widthPx: 390, isDark: false });
  const focused = () => page.evaluate<string>("document.activeElement.textContent.trim().slice(0, 40)");
  const summaries: string[] = [];
  for (let n = 0; n < 5; n++) {
    await page.press("Tab");
    summaries.push(await focused());
    await page.press("Enter");
    expect(await page.evaluate("document.activeElement.parentElement.open")).toBe(true);
    await page.press("Tab");
    expect(await page.evaluate("document.activeElement.getAttribute('role')")).toBe("region");
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
  }
  expect(summaries).toEqual([
    "Context with and without Strata: ses_2, ",
    "Context with and without Strata: ses_1, ",
    "Saved per day, in tokens of input, as a ",
    "Tokens freed against cache lost, as a ta",
    "Memories by type and age, as a table",
  ]);
});
