/** The inspector in a real browser: one memory is read, edited and put back. long/inspector*.test.ts have the rest. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { openConversations, SHOP, said, withRealFolder } from "../support/conversations-world.js";
import { PROJECT } from "../support/fake-host.js";
import { removeFolder } from "../support/remove-folder.js";
import { serveInspected } from "./stage/inspected-page.js";
import { goTo, has, playOnce, press, SECTIONS, shows, browserTest as test } from "./stage/inspector-story.js";
import { findViolations } from "./stage/page-figures.js";

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

test("the search field finds what was said in conversations behind the memories, and how to open the session", async () => {
  const scratch = mkdtempSync(join(tmpdir(), "strata-said-"));
  onTestFinished(() => removeFolder(scratch));
  const index = openConversations(join(scratch, "opencode-strata"));
  await index.add({ ...SHOP, project: PROJECT }, [said(1, "The giraffe port is 8080.", "agent")]);
  const { browser, copy } = await playOnce();
  const project = copy();
  const files = withRealFolder(project.files, scratch);
  await using pages = await serveInspected({ ...project, files, env: { XDG_STATE_HOME: scratch } });
  await using page = await pages.open("#/memories", { browser, widthPx: 1_280, isDark: false });
  await page.press("/");
  await page.waitFor(has("input[type=search]:focus"));
  await page.type("giraffe port");
  await page.waitFor(`${has("[data-row]")}?.innerText.includes("Port")`);
  await page.waitFor(shows("The giraffe port is 8080."));
  await page.waitFor(shows("opencode -s ses_shop"));
  expect(page.console).toEqual([]);
});

test("an item of the context is dropped, taken back, and pinned by key, while the session has not gone on", async () => {
  const { browser, copy } = await playOnce();
  await using pages = await serveInspected(copy());
  await using page = await pages.open("#/sessions/ses_c", { browser, widthPx: 420, isDark: false });
  await press(page, "Drop");
  await page.waitFor(shows("will leave the context"));
  await page.waitFor(shows("drop asked for"));
  await press(page, "Take back");
  await page.waitFor(`!${shows("drop asked for")}`);
  await page.evaluate(`${has("[data-row]")}.focus()`);
  await page.press("p");
  await page.waitFor(shows("pin asked for"));
  await page.press("u");
  await page.waitFor(`!${shows("pin asked for")}`);
  expect(page.console).toEqual([]);
});

const ROUTES = [...SECTIONS, "sessions/ses_c", "memories/decision%2Fport"];

test.each([
  [1_400, false],
  [1_400, true],
  [420, false],
  [420, true],
])("at %d pixels, dark: %s, axe-core objects to nothing, and every section fits", async (widthPx, isDark) => {
  const { browser, copy } = await playOnce();
  await using pages = await serveInspected(copy());
  await using page = await pages.open("#/overview", { browser, widthPx, isDark });
  for (const hash of ROUTES) {
    await goTo(page, `#/${hash}`);
    await page.waitFor(`!${has(".reading")} && ${has("#heading")}`);
    await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })");
    expect([hash, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([hash, widthPx]);
    expect([hash, await findViolations(page)]).toEqual([hash, []]);
  }
  await page.press("?");
  await page.waitFor(has("dialog[open]"));
  expect(await findViolations(page)).toEqual([]);
  expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(
    isDark ? "rgb(19, 22, 26)" : "rgb(246, 246, 244)",
  );
  expect(page.console).toEqual([]);
});

test("axe-core objects to faint text, to a button without a name and to a picture without words", async () => {
  const { browser, copy } = await playOnce();
  await using pages = await serveInspected(copy());
  await using page = await pages.open("#/overview", { browser, widthPx: 1_400, isDark: false });
  await page.evaluate(`void (${has("#heading")}.style.color = "#aaa")`);
  await page.evaluate(`${has(".foot button")}.replaceChildren()`);
  await page.evaluate(`${has(".chart svg")}.removeAttribute("aria-label")`);
  const rules = (await findViolations(page)).map((line) => line.split(" ")[0]);
  expect(rules.sort()).toEqual(["button-name", "color-contrast", "svg-img-alt"]);
});
