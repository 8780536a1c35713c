/**
 * `npm run bench:page`: the inspector in a real browser, as Lighthouse would measure it. What a start on the overview (which
 * `strata stats --open` shows) and on a session loads and how long that takes; how 10,000 memories scroll.
 */
import { findBrowser } from "../host/stage/chromium.js";
import { serveInspected } from "../host/stage/inspected-page.js";
import { goTo } from "../host/stage/inspector-story.js";
import { measureScroll, measureStart, multiplyMemories } from "../host/stage/page-figures.js";
import { playInspectedProject } from "../support/inspected-project.js";

const MEMORIES = 10_000;
const browser = findBrowser();
if (!browser)
  throw new Error("no Chromium runs on this machine; npm ci brings one on Linux with an x64 processor");

const print = (what: string, figures: object): void =>
  void process.stdout.write(`${what}: ${JSON.stringify(figures)}\n`);

await using pages = await serveInspected(await playInspectedProject());
for (const widthPx of [1_400, 420]) {
  await using page = await pages.open("#/overview", { browser, widthPx, isDark: widthPx === 420 });
  await page.waitFor("document.querySelector('.day')");
  print(`start at ${widthPx} pixels`, await measureStart(page));
  await multiplyMemories(page, MEMORIES);
  await goTo(page, "#/memories");
  await page.waitFor("document.querySelector('[aria-posinset]')");
  print(`${MEMORIES} memories at ${widthPx} pixels`, {
    ...(await measureScroll(page)),
    ...{ longTasksMs: (await measureStart(page)).longTasksMs },
  });
}
process.exit();
