/** Stories of the inspector in a real browser, with mouse and keyboard. */
import { beforeAll, describe, expect, test } from "vitest";
import { candidateOf, openTestCandidates, textsOf } from "../../support/candidates.js";
import { PROJECT } from "../../support/fake-host.js";
import { serveInspected } from "../stage/inspected-page.js";
import { goTo, has, type Played, playOnce, press, SECTIONS, shows } from "../stage/inspector-story.js";

const PORT = `${PROJECT}/.opencode/memory/decision/port.md`;
const SCREEN = `${PROJECT}/.opencode/strata/state/screen/ses_c.json`;

let played: Played;
beforeAll(async () => {
  played = await playOnce();
});
const copy = () => played.copy();
const wide = () => ({ browser: played.browser, widthPx: 1_280, isDark: false });

describe("by mouse", () => {
  test("a conflict is settled and a candidate kept; then nothing waits", async () => {
    await using pages = await serveInspected(copy());
    await using page = await pages.open("#/waiting", wide());
    await page.waitFor(shows("Two versions of “Mail”"));
    expect(await page.evaluate("document.querySelectorAll('.side mark').length")).toBeGreaterThan(1);
    await press(page, "Keep the other");
    await page.waitFor(`!${shows("Two versions")}`);
    await press(page, "Keep");
    await page.waitFor(shows("Nothing waits for you."));
    await page.waitFor(`!${has(".badge")}`);
    expect(page.console).toEqual([]);
  });

  test("a dream shows its changes, and is undone as a whole", async () => {
    await using pages = await serveInspected(copy());
    await using page = await pages.open("#/memories/knowledge%2Fcarrier-encoding", wide());
    await press(page, "Accept as mine");
    await page.waitFor(shows("Accepted as yours"));
    await pages.dream();
    await goTo(page, "#/changes");
    await page.click(".heading input");
    await page.waitFor(
      `${has(".step .chip")}?.innerText === "dream" && document.querySelectorAll(".step").length === 1`,
    );
    await page.click(".step summary");
    await page.waitFor(has(".step .diff"));
    await page.click(".step .actions button");
    await page.waitFor(shows("undone"));
    expect(page.console).toEqual([]);
  });
});

describe("by keyboard alone", () => {
  test("every section can be reached; a memory is found, edited, pinned, archived and restored", async () => {
    const project = copy();
    await using pages = await serveInspected(project);
    await using page = await pages.open("#/overview", wide());
    for (const [at, section] of SECTIONS.entries()) {
      await page.press(String(at + 1));
      await page.waitFor(`location.hash === "#/${section}" && ${has("nav [aria-current]")}`);
      await page.waitFor(`!${has(".reading")}`);
    }
    await page.press("/");
    await page.waitFor(has("input[type=search]:focus"));
    await page.type("which port does the server use");
    await page.waitFor(`${has("[data-row]")}?.innerText.includes("Port")`);
    await page.press("ArrowDown");
    expect(await page.evaluate(`getComputedStyle(document.activeElement).outlineStyle`)).toBe("solid");
    await page.press("Enter");
    await page.waitFor(shows("decision/port"));
    await page.press("e");
    await page.waitFor(has("textarea:focus"));
    await page.type(", says the keyboard");
    await page.press("Enter", { ctrl: true });
    await page.waitFor(shows("Saved: Port"));
    await page.press("p");
    await page.waitFor(`${has("[aria-pressed=true]")}`);
    await page.press("a");
    await page.waitFor(shows("Restore"));
    await page.press("u");
    await page.waitFor(shows("Unpin"));
    expect(project.files.text(PORT)).toContain("says the keyboard");
    expect(page.console).toEqual([]);
  });

  test("waiting sentences stand in order of worth with those beside them, and one key keeps or drops each", async () => {
    const project = copy();
    const candidates = openTestCandidates(project);
    const [before, likely, after] = [
      "We tried a robot.",
      "Orders are packed by hand since.",
      "It was sold in May.",
    ];
    const statements = [before, likely, after].map((text) => ({ text }));
    const [invoices, unlikely] = [
      "Invoices are numbered by the tax office.",
      "The stock is counted on Sundays.",
    ];
    const first = candidateOf(likely, { worth: 0.8 });
    await candidates.offer([
      candidateOf(unlikely, { worth: 0.3, message: "msg_2" }),
      { ...first, said: first.said.map((one) => ({ ...one, statements, place: 1 })) },
    ]);
    await using pages = await serveInspected(project);
    await using page = await pages.open("#/waiting", wide());
    const isLeft = (count: number) => `document.querySelectorAll(".sentence").length === ${count}`;
    await page.waitFor(isLeft(3));
    const quoted = "[...document.querySelectorAll('blockquote')].map((one) => one.innerText)";
    expect(await page.evaluate(quoted)).toEqual([`${before} ${likely} ${after}`, invoices, unlikely]);
    expect(await page.evaluate(`${has("blockquote mark")}.innerText`)).toBe(likely);
    await page.press("d");
    await page.waitFor(isLeft(2));
    // Below the conflict and the invoices.
    for (let n = 0; n < 3; n++) await page.press("j");
    await page.press("y");
    await page.waitFor(isLeft(1));
    expect(textsOf(await candidates.list())).toEqual([invoices]);
    expect(await candidates.droppedMs(likely)).toBeDefined();
    const known = project.files.text(`${PROJECT}/.opencode/memory/MEMORY.md`);
    expect(known).toContain(unlikely.replace(".", ""));
    expect(known).not.toContain("by hand");
    expect(page.console).toEqual([]);
  });

  test("the keys are listed, Escape closes the list, and no key acts while the user types", async () => {
    await using pages = await serveInspected(copy());
    await using page = await pages.open("#/memories", wide());
    await page.press("?", { shift: true });
    await page.waitFor(has("dialog[open]"));
    await page.press("3");
    await page.press("Escape");
    await page.waitFor(`!${has("dialog[open]")}`);
    await page.press("n");
    await page.waitFor(has("textarea:focus"));
    for (const key of ["1", "a", "?"]) await page.press(key);
    expect(await page.evaluate(`${has("textarea")}.value`)).toBe("1a?");
    expect(await page.evaluate("location.hash")).toBe("#/memories");
  });

  test("Tab moves through the page in order, and each focus is visible", async () => {
    await using pages = await serveInspected(copy());
    await using page = await pages.open("#/waiting", wide());
    await page.waitFor(shows("Keep both"));
    const seen: string[] = [];
    const focused = "const { activeElement: one } = document; const { outlineStyle } = getComputedStyle(one)";
    const name = "one === document.body ? 'end' : outlineStyle + ' ' + one.innerText.split('\\n')[0]";
    for (let n = 0; n < 18; n++) {
      await page.press("Tab");
      seen.push(await page.evaluate(`(() => { ${focused}; return ${name} })()`));
    }
    // The section's heading has the focus when it opens, so its content comes first.
    const content = [
      "decision/mail",
      "decision/mail-2",
      "Keep the version in use",
      "Keep the other version",
      "Keep both",
    ];
    const rest = ["ses_a", "Keep", "Drop"];
    const sections = ["Overview", "Sessions", "Memories", "Waiting", "Agenda", "Changes", "Log"];
    const order = [...content, ...rest, "end", "Skip to content", ...sections, "Keys"];
    expect(seen).toEqual(order.map((one) => (one === "end" ? one : `solid ${one}`)));
  });
});

describe("live", () => {
  test("what OpenCode writes and what an editor saves appears without a reload", async () => {
    const project = copy();
    await using pages = await serveInspected(project);
    await using page = await pages.open("#/sessions/ses_c", wide());
    await page.waitFor(shows("20.1K tokens instead of 233K"));
    const screen = JSON.parse(project.files.text(SCREEN) ?? "{}");
    screen.context.now += 31_000;
    screen.context.kinds.results += 31_000;
    await project.files.writeWhole(SCREEN, JSON.stringify(screen));
    await page.waitFor(shows("51.1K tokens instead of 233K"));
    await goTo(page, "#/memories/decision%2Fport");
    await page.waitFor(shows("port 8080"));
    await project.files.writeWhole(PORT, (project.files.text(PORT) ?? "").replace("8080", "7070"));
    await page.waitFor(shows("port 7070"));
    expect(await page.evaluate("performance.getEntriesByType('navigation').length")).toBe(1);
    expect(page.console).toEqual([]);
  });

  test("input stays when the memory changes meanwhile, and the page says that it cannot be saved", async () => {
    const project = copy();
    await using pages = await serveInspected(project);
    await using page = await pages.open("#/memories/decision%2Fport", wide());
    await press(page, "Edit");
    await page.waitFor(has("textarea:focus"));
    await page.type(" and mine");
    await project.files.writeWhole(PORT, (project.files.text(PORT) ?? "").replace("8080", "7070"));
    await page.waitFor(shows("This memory changed while you edited it"));
    expect(
      await page.evaluate(
        `${has("textarea")}.value.endsWith(" and mine") && ${has("textarea:focus")} !== null`,
      ),
    ).toBe(true);
    await page.press("Enter", { ctrl: true });
    await page.waitFor(shows("open the memory again"));
    expect(project.files.text(PORT)).toContain("7070");
  });

  test("input stays while another memory is read, and Cancel discards it", async () => {
    await using pages = await serveInspected(copy());
    await using page = await pages.open("#/memories/decision%2Fport", wide());
    await press(page, "Edit");
    await page.waitFor(has("textarea:focus"));
    await page.type(" and mine");
    await page.click('a[href="#/memories/decision%2Fmail"]');
    await page.waitFor(`${has(".memory-title")}?.innerText === "Mail"`);
    await page.click('a[href="#/memories/decision%2Fport"]');
    await page.waitFor(`${has("textarea")}?.value.endsWith(" and mine")`);
    await press(page, "Cancel");
    await page.waitFor(`${has(".prose")}?.innerText.endsWith("old frontend")`);
    await press(page, "Edit");
    await page.waitFor(`${has("textarea")}?.value.endsWith("old frontend")`);
  });

  test("text typed right before another memory is opened is kept", async () => {
    await using pages = await serveInspected(copy());
    await using page = await pages.open("#/memories/decision%2Fport", wide());
    await press(page, "Edit");
    await page.waitFor(has("textarea:focus"));
    await page.evaluate(`{
      const text = document.querySelector("textarea");
      text.value += " at last";
      text.dispatchEvent(new Event("input", { bubbles: true }));
      location.hash = "#/memories/decision%2Fmail";
    }`);
    await page.waitFor(`${has(".memory-title")}?.innerText === "Mail"`);
    await goTo(page, "#/memories/decision%2Fport");
    await page.waitFor(`${has("textarea")}?.value.endsWith(" at last")`);
  });

  test("a page whose server has stopped says so, and keeps its contents", async () => {
    const pages = await serveInspected(copy());
    await using page = await pages.open("#/sessions", wide());
    await page.waitFor(shows("Show prices in cents"));
    await pages[Symbol.asyncDispose]();
    await page.waitFor(`${has(".live.lost")} && ${shows("Is strata serve still running?")}`);
    expect(await page.evaluate(shows("Show prices in cents"))).toBe(true);
  });
});
