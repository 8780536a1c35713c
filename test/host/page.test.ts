/** The page of `strata stats --html` in a real browser. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sumFigures } from "../../src/stats/figures.js";
import { formatPage } from "../../src/stats/page.js";
import { readLedgerExample } from "../support/ledger.js";
import { findChromium, lookAt } from "./stage/chromium.js";

interface Measured {
  scrollWidth: number;
  charts: { width: number; height: number; smallestText: number; texts: string[] }[];
  paper: string;
  ink: string;
  chartPaper: string;
  focusable: number;
  focused: number;
  tableShown: boolean;
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
});

test("the page is readable at 390 and 1440 pixels, light and dark, by keyboard, without a word on the console", async ({
  skip,
}) => {
  const binary = findChromium();
  if (binary === undefined) {
    process.stderr.write(
      "No Chromium on this machine: the page was checked without one, in test/unit/stats.test.ts\n",
    );
    skip("no Chromium on this machine");
    return;
  }
  const papers: string[] = [];
  for (const isDark of [false, true]) {
    for (const widthPx of [390, 1_440]) {
      const { console, measured } = await lookAt<Measured>({
        binary,
        html,
        widthPx,
        isDark,
        measure,
      });
      expect(console).toEqual([]);
      expect(measured.scrollWidth).toBeLessThanOrEqual(widthPx);
      expect(measured.charts).toHaveLength(3);
      for (const { height, smallestText, texts, width } of measured.charts) {
        expect(width).toBeGreaterThan(widthPx === 390 ? 300 : 900);
        expect(height).toBeGreaterThan(200);
        expect(smallestText).toBeGreaterThan(11);
        expect(texts).toContain("tokens");
      }
      expect(measured.outside).toBe(0);
      expect(measured.chartPaper).toBe(measured.paper);
      expect(measured.ink).not.toBe(measured.paper);
      expect(measured.focused).toBe(measured.focusable);
      expect(measured.focusable).toBe(6);
      expect(measured.tableShown).toBe(true);
      papers.push(measured.paper);
    }
  }
  expect(new Set(papers)).toEqual(new Set(["rgb(255, 255, 255)", "rgb(22, 22, 22)"]));
});
