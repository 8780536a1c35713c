/** The inspector in a real browser: with mouse and keyboard, live, with hostile texts, and on every screen. */
import { beforeAll, describe, expect } from "vitest";
import { candidateOf, openTestCandidates, textsOf } from "../../support/candidates.js";
import { PROJECT } from "../../support/fake-host.js";
import { createMemoryFiles } from "../../support/memory-files.js";
import { serveInspected } from "../stage/inspected-page.js";
import {
  goTo,
  has,
  type Played,
  playOnce,
  press,
  SECTIONS,
  shows,
  browserTest as test,
} from "../stage/inspector-story.js";
import { findViolations, measureScroll, multiplyMemories } from "../stage/page-figures.js";

const PORT = `${PROJECT}/.opencode/memory/decision/port.md`;
const SCREEN = `${PROJECT}/.opencode/strata/state/screen/ses_c.json`;

let played: Played;
beforeAll(async () => {
  played = await playOnce();
});
const copy = () => played.copy();
const wide = () => ({ browser: played.browser, widthPx: 1_280, isDark: false });

describe("by mouse", () => {
  test("a conflict is settled, a repository's memory accepted and a candidate kept; then nothing waits", async () => {
    await using pages = await serveInspected(copy());
    await using page = await pages.open("#/waiting", wide());
    await page.waitFor(shows("Two versions of “Mail”"));
    expect(await page.evaluate("document.querySelectorAll('.side mark').length")).toBeGreaterThan(1);
    await press(page, "Keep the other");
    await page.waitFor(`!${shows("Two versions")}`);
    await press(page, "Accept as yours");
    await page.waitFor(`!${shows("came with the repository")}`);
    await press(page, "Keep");
    await page.waitFor(shows("Nothing waits for you."));
    await page.waitFor(`!${has(".badge")}`);
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
    // Below the conflict, the repository's memory and the invoices.
    for (let n = 0; n < 4; n++) await page.press("j");
    await page.press("y");
    await page.waitFor(isLeft(1));
    expect(textsOf(await candidates.list())).toEqual([invoices]);
    expect(await candidates.droppedMs(likely)).toBeDefined();
    const known = project.files.text(`${PROJECT}/.opencode/memory/MEMORY.md`);
    expect(known).toContain(unlikely.replace(".", ""));
    expect(known).not.toContain("by hand");
    expect(page.console).toEqual([]);
  });

  test("Tab moves through the page in order, and each focus is visible", async () => {
    await using pages = await serveInspected(copy());
    await using page = await pages.open("#/waiting", wide());
    await page.waitFor(`${shows("Keep both")} && ${shows("Accept as yours")}`);
    const seen: string[] = [];
    const focused = "const { activeElement: one } = document; const { outlineStyle } = getComputedStyle(one)";
    const name = "one === document.body ? 'end' : outlineStyle + ' ' + one.innerText.split('\\n')[0]";
    for (let n = 0; n < 19; n++) {
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
      "Accept as yours",
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
    await page.waitFor(shows("20.1K tokens instead of"));
    const screen = JSON.parse(project.files.text(SCREEN) ?? "{}");
    screen.context.now += 31_000;
    screen.context.kinds.results += 31_000;
    await project.files.writeWhole(SCREEN, JSON.stringify(screen));
    await page.waitFor(shows("51.1K tokens instead of"));
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

  test("a page whose server has stopped says so, and keeps its contents", async () => {
    const pages = await serveInspected(copy());
    await using page = await pages.open("#/sessions", wide());
    await page.waitFor(shows("Show prices in cents"));
    await pages[Symbol.asyncDispose]();
    await page.waitFor(`${has(".live.lost")} && ${shows("Is strata serve still running?")}`);
    expect(await page.evaluate(shows("Show prices in cents"))).toBe(true);
  });
});

/** Markup that would run if a text of the project became markup. */
const PAYLOADS = [
  "<img src=x onerror=hit()>",
  "</title></textarea><svg/onload=hit()>",
  "<script>hit()</script>",
  "<a href=javascript:hit()>x</a>",
] as const;

describe("hostile texts", () => {
  test("markup in every field of every file is shown as text, and nothing runs", async () => {
    const project = copy();
    const [image, vector, script, link] = PAYLOADS;
    const words: readonly (readonly [word: string, payload: string])[] = [
      ["colour", image],
      ["cents", vector],
      ["carrier,encoding", script],
      ["the carrier", script],
      ["Invoices are", link],
      ["one queue", vector],
      ["of their own", image],
      ["Mail", script],
      ["it pays back", image],
      ['"tool":"read"', `"tool":"${vector}"`],
      ['"layer":"micro-compact"', `"layer":"${script}"`],
      ["moved a read result", link],
      ["All of it is done", image],
    ];
    for (const [path, bytes] of project.files.contents) {
      const text = Buffer.from(bytes).toString();
      const hostile = words.reduce((all, [word, payload]) => all.replaceAll(word, payload), text);
      if (hostile !== text) await project.files.writeWhole(path, hostile);
    }
    const fields = [
      ...[`title: ${link}`, `tags: ['${image}']`, `aliases: ['${vector}']`, `entities: ['${script}']`],
      ...[`when: ['${vector}']`, `links: ['${link}']`, `supersededBy: '${image}'`, `own: '${link}'`],
      `source: { by: user, session: '${script}', evidence: '${vector}' }`,
    ];
    await project.files.writeWhole(
      PORT,
      `---\n${fields.join("\n")}\n---\n# ${script}\n- ${image}\n\n${vector}\n`,
    );
    await using pages = await serveInspected(project);
    await using page = await pages.open("#/overview", wide());
    await page.evaluate("void (window.hit = () => { window.wasHit = true })");
    const seen: string[] = [];
    for (const hash of [
      ...SECTIONS,
      "sessions/ses_c",
      "sessions/ses_b",
      "memories/decision%2Fport",
      "memories/decision%2Fmail",
      `memories/${encodeURIComponent(image)}`,
    ]) {
      await goTo(page, `#/${hash}`);
      await page.waitFor(`!${has(".reading")} && ${has("#heading")}`);
      await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })");
      seen.push(await page.evaluate("document.body.innerText"));
      const made =
        "#page script, #page img:not([src='assets/icon.svg']), #page [onerror], #page [onload], #page a[href^='javascript']";
      expect([
        hash,
        await page.evaluate(`document.querySelectorAll(${JSON.stringify(made)}).length`),
      ]).toEqual([hash, 0]);
    }
    await goTo(page, "#/memories/decision%2Fport");
    await press(page, "Edit");
    await page.waitFor(has("textarea"));
    for (const payload of PAYLOADS)
      expect(seen.filter((text) => text.includes(payload)).length, payload).toBeGreaterThan(0);
    expect(await page.evaluate("window.wasHit === undefined")).toBe(true);
    // There is no memory of that name.
    expect(page.console.filter((line) => !line.includes("404 (Not Found)"))).toEqual([]);
    expect(new Set(page.requests.map((url) => new URL(url).hostname))).toEqual(new Set(["127.0.0.1"]));
  });

  test("the browser itself refuses markup from text, inline scripts and other servers", async () => {
    await using pages = await serveInspected(copy());
    await using page = await pages.open("#/overview", wide());
    const attempt = (code: string) =>
      page.evaluate<string>(
        `(() => { try { ${code}; return "done"; } catch (thrown) { return thrown.name; } })()`,
      );
    expect(await attempt("document.body.innerHTML = '<b>x</b>'")).toBe("TypeError");
    expect(await attempt("document.createElement('script').text = 'x'")).toBe("TypeError");
    expect(await attempt("setTimeout('window.wasHit = 1')")).not.toBe("done");
    const handler = "document.querySelector('#page').setAttribute('onclick', 'window.wasHit = 1')";
    expect(await attempt(handler)).toBe("TypeError");
    expect(await page.evaluate("window.wasHit === undefined")).toBe(true);
    const reached = "fetch('http://127.0.0.1:1/').then(() => 'reached', () => 'refused')";
    expect(await page.evaluate(reached)).toBe("refused");
    expect(page.console.some((line) => line.includes("connect-src"))).toBe(true);
  });
});

describe("empty, loading, failed", () => {
  test("a project without sessions and memories says what will appear where, and axe-core objects to nothing", async () => {
    const files = createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "ref: refs/heads/main\n" });
    await using pages = await serveInspected({ files, clock: copy().clock });
    await using page = await pages.open("#/overview", { ...wide(), widthPx: 420 });
    for (const [hash, said] of Object.entries(EMPTY)) {
      await goTo(page, `#/${hash}`);
      await page.waitFor(shows(said));
      expect([hash, await findViolations(page)]).toEqual([hash, []]);
    }
    expect(page.console).toEqual([]);
  });

  test("while an answer is awaited the page says so; without access and with a damaged memory it says what to do", async () => {
    const project = copy();
    await project.files.writeWhole(PORT, "---\ntitle: [\n---\nthe server listens\n");
    await using pages = await serveInspected(project);
    await using page = await pages.open("#/overview", wide());
    await page.evaluate(
      "void (window.fetch = ((fetch) => (...given) => new Promise((go) => { window.go = go }).then(() => fetch(...given)))(window.fetch))",
    );
    await goTo(page, "#/memories");
    await page.waitFor(`${has(".reading")} && getComputedStyle(${has(".reading")}).opacity === "1"`);
    expect(await findViolations(page)).toEqual([]);
    await page.evaluate("void window.go()");
    await page.waitFor(shows("decision/port.md"));
    expect(await findViolations(page)).toEqual([]);
    await page.evaluate(
      "void (window.fetch = async () => Response.json({ error: 'expected the key' }, { status: 401 }))",
    );
    await goTo(page, "#/log");
    await page.waitFor(shows("Run strata serve again and open the link"));
    expect(await findViolations(page)).toEqual([]);
    await pages[Symbol.asyncDispose]();
    await page.reload().catch(() => undefined);
  });
});

const EMPTY = {
  overview: "No sessions yet. They appear here when you work in OpenCode.",
  sessions: "No sessions yet.",
  memories: "No memories yet.",
  waiting: "Nothing waits for you.",
  agenda: "No open items.",
  changes: "No changes yet.",
  log: "The log is empty.",
};

test.each([1_400, 420])(
  "at %d pixels, 10,000 memories are a list of few elements that j and the wheel go down",
  async (widthPx) => {
    await using pages = await serveInspected(copy());
    await using page = await pages.open("#/overview", { ...wide(), widthPx });
    await multiplyMemories(page, 10_000);
    await goTo(page, "#/memories");
    await page.waitFor(shows("10,000 shown"));
    const { elements, emptyFrames } = await measureScroll(page);
    expect(elements).toBeLessThan(1_500);
    expect(emptyFrames).toBe(0);
    await page.waitFor(has("[aria-posinset='10000'][aria-setsize='10000']"));
    expect(await findViolations(page)).toEqual([]);
    await page.evaluate("window.scrollTo(0, 0)");
    await page.waitFor(has("[aria-posinset='1']"));
    // A browser that is busy draws no row between two keys.
    for (let n = 1; n <= 120; n++) {
      await page.press("j");
      await page.waitFor(`${has(":focus")}?.closest("li").ariaPosInSet === "${n}"`);
    }
  },
);
