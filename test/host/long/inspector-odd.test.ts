/** Stories of the inspector with bad luck: odd memories, odd searches, several projects and none. */
import { beforeAll, expect, test } from "vitest";
import { PROJECT } from "../../support/fake-host.js";
import { serveInspected } from "../stage/inspected-page.js";
import { has, type Played, playOnce, press, shows } from "../stage/inspector-story.js";

let played: Played;
beforeAll(async () => {
  played = await playOnce();
});
const copy = () => played.copy();
const wide = () => ({ browser: played.browser, widthPx: 1_280, isDark: false });

test("a memory without dates and with a very long title takes a row of two lines", async () => {
  const project = copy();
  const file = `${PROJECT}/.opencode/memory/idea/long.md`;
  await project.files.writeWhole(file, `---\ntitle: ${"word ".repeat(200)}\n---\ntext\n`);
  await using pages = await serveInspected(project);
  await using page = await pages.open("#/memories/idea%2Flong", wide());
  await page.waitFor(has(".facts"));
  const heights = await page.evaluate<number[]>(
    `[...document.querySelectorAll(".rows .row")].map((row) => row.offsetHeight)`,
  );
  expect(Math.max(...heights)).toBeLessThan(110);
  expect(await page.evaluate(`${has(".facts")}.innerText`)).not.toContain("changed");
});

test("a slow typist searches for words, not for every letter", async () => {
  await using pages = await serveInspected(copy());
  await using page = await pages.open("#/memories", wide());
  const before = page.requests.length;
  await page.evaluate(`new Promise((resolve) => {
    const search = document.querySelector("input[type=search]");
    const letters = [..."which port"];
    const timer = setInterval(() => {
      search.value += letters.shift() ?? "";
      search.dispatchEvent(new Event("input", { bubbles: true }));
      if (letters.length === 0) resolve(clearInterval(timer));
    }, 250);
  })`);
  await page.waitFor(`${has("[data-row]")}?.innerText.includes("Port")`);
  expect(page.requests.length - before).toBeLessThan(5);
});

test("a search for a long text gets an answer, and the page stays live", async () => {
  await using pages = await serveInspected(copy());
  await using page = await pages.open("#/memories", wide());
  await page.press("/");
  await page.waitFor(has("input[type=search]:focus"));
  await page.type("仕".repeat(400));
  await page.waitFor(`${shows("Nothing found.")} && ${has(".live:not(.lost)")}`);
  expect(page.console).toEqual([]);
});

test("switching projects closes the open memory, survives a reload and loses no draft", async () => {
  const project = copy();
  await project.files.writeWhole("/other/.git/HEAD", "x");
  await project.files.writeWhole("/other/.opencode/memory/idea/cellar.md", "A cellar\n");
  await using pages = await serveInspected(project, undefined, ["/other"]);
  await using page = await pages.open("#/memories/decision%2Fport", wide());
  const choose = (name: string): Promise<void> =>
    page.evaluate(`{
      const select = document.querySelector("select.project");
      select.value = [...select.options].find((one) => one.text === ${JSON.stringify(name)}).value;
      select.dispatchEvent(new Event("change", { bubbles: true }));
    }`);
  await press(page, "Edit");
  await page.waitFor(has("textarea:focus"));
  await page.type(" and mine");
  await choose("other");
  await page.waitFor(`location.hash === "#/memories" && ${shows("A cellar")}`);
  expect(await page.evaluate(`${has(".failure")} === null`)).toBe(true);
  await choose("project");
  await page.waitFor(has('a[href="#/memories/decision%2Fport"]'));
  await page.click('a[href="#/memories/decision%2Fport"]');
  await page.waitFor(`${has("textarea")}?.value.endsWith(" and mine")`);
  await press(page, "Cancel");
  await choose("other");
  await page.waitFor(shows("A cellar"));
  await page.reload();
  await page.waitFor(shows("A cellar"));
});

test("a page without any project says so", async () => {
  await using pages = await serveInspected(copy());
  await using page = await pages.open("#/overview", wide());
  pages.inspector.projects.length = 0;
  await page.reload();
  await page.waitFor(shows("Strata has not run in any project"));
});
