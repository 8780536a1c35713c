/** What tools for pages say about an open page: axe-core about its accessibility, the browser about its start and scrolling. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { BrowserPage } from "./browser-page.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe-core objects to: rule, element and reason, a line each. All its rules but experimental ones. */
export async function findViolations(page: BrowserPage): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(`${AXE}; undefined`);
  return page.evaluate(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ failureSummary, target }) => [id, target, failureSummary].join(" ")))
  )`);
}

export interface StartFigures {
  firstContentfulPaintMs: number;
  domContentLoadedMs: number;
  requests: number;
  /** As sent. */
  kilobytes: number;
  /** Tasks above 50 ms, each in milliseconds. */
  longTasksMs: number[];
  elements: number;
}

export const measureStart = (page: BrowserPage): Promise<StartFigures> =>
  page.evaluate(`(async () => {
    const [navigation] = performance.getEntriesByType("navigation");
    const all = [navigation, ...performance.getEntriesByType("resource")];
    const tasks = await new Promise((resolve) => {
      new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type: "longtask", buffered: true });
      setTimeout(() => resolve([]), 500);
    });
    return {
      firstContentfulPaintMs: Math.round(performance.getEntriesByName("first-contentful-paint")[0]?.startTime),
      domContentLoadedMs: Math.round(navigation.domContentLoadedEventEnd),
      requests: all.length,
      kilobytes: Math.round(all.reduce((sum, { transferSize }) => sum + transferSize, 0) / 1_000),
      longTasksMs: tasks.map(({ duration }) => Math.round(duration)),
      elements: document.querySelectorAll("*").length,
    };
  })()`);

export interface ScrollFigures {
  medianFrameMs: number;
  slowestFrameMs: number;
  framesOver50Ms: number;
  /** The most at once. */
  elements: number;
  /** Number of frames without a row on the screen. */
  emptyFrames: number;
}

/** Down the whole page in 300 frames. */
export const measureScroll = (page: BrowserPage): Promise<ScrollFigures> =>
  page.evaluate(`(async () => {
    const frames = [];
    let elements = 0;
    let emptyFrames = 0;
    const end = document.documentElement.scrollHeight - innerHeight;
    let last = performance.now();
    for (let at = 1; at <= 300; at++) {
      window.scrollTo(0, (end * at) / 300);
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      frames.push((performance.now() - last) / 2);
      elements = Math.max(elements, document.querySelectorAll("*").length);
      if (!document.elementFromPoint(innerWidth / 3, innerHeight / 2)?.closest("[aria-posinset]")) emptyFrames++;
      last = performance.now();
    }
    const sorted = frames.toSorted((a, b) => a - b).map(Math.round);
    const framesOver50Ms = sorted.filter((ms) => ms > 50).length;
    return { medianFrameMs: sorted[150], slowestFrameMs: sorted.at(-1), framesOver50Ms, elements, emptyFrames };
  })()`);

/** From now on the page gets so many memories, each the copy of a real one. */
export const multiplyMemories = (page: BrowserPage, count: number): Promise<void> =>
  page.evaluate(`void (window.fetch = ((fetch) => async (address, init) => {
    const answer = await fetch(address, init);
    if (!String(address).endsWith("/list")) return answer;
    const { memories, ...rest } = await answer.json();
    const copy = (_, n) => ({ ...memories[n % memories.length], id: "knowledge/part-" + n, title: "Part " + n });
    return Response.json({ ...rest, memories: Array.from({ length: ${count} }, copy) });
  })(window.fetch))`);
