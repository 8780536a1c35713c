/** The inspector in a real browser: one memory is read, edited and put back. long/inspector*.test.ts have the rest. */
import { expect, test } from "vitest";
import { PROJECT } from "../support/fake-host.js";
import { serveInspected } from "./stage/inspected-page.js";
import { has, playOnce, press, shows } from "./stage/inspector-story.js";

const PORT = `${PROJECT}/.opencode/memory/decision/port.md`;

test("a memory is read and edited, and the edit undone, on the page and on disk", async () => {
  const { browser, copy } = await playOnce();
  const project = copy();
  await using pages = await serveInspected(project);
  await using page = await pages.open("#/memories", { browser, widthPx: 1_280, isDark: false });
  await page.click('a[href="#/memories/decision%2Fport"]');
  await page.waitFor(shows("the server listens on port 8080"));
  await press(page, "Edit");
  await page.waitFor(has("textarea:focus"));
  await page.evaluate("document.querySelector('textarea').select()");
  await page.type("the server listens on port 9090 since Monday");
  await press(page, "Save");
  await page.waitFor(shows("Saved: Port"));
  await page.waitFor(`${has(".prose")}.innerText.includes("9090")`);
  expect(project.files.text(PORT)).toContain("9090 since Monday");
  await page.click(".history summary");
  await page.waitFor(`${has(".history del")}?.innerText.includes("8080") && ${has(".history ins")}`);
  await press(page, "Undo");
  await page.waitFor(`${has(".prose")}.innerText.includes("8080")`);
  expect(project.files.text(PORT)).toContain("8080");
  expect(page.console).toEqual([]);
});
