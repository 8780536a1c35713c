/** The inspector in a real browser: no text becomes markup, and every text is readable on every screen. */
import { beforeAll, describe, expect, test } from "vitest";
import { PROJECT } from "../../support/fake-host.js";
import { serveInspected } from "../stage/inspected-page.js";
import { goTo, has, type Played, playOnce, press, SECTIONS } from "../stage/inspector-story.js";

const PORT = `${PROJECT}/.opencode/memory/decision/port.md`;

let played: Played;
beforeAll(async () => {
  played = await playOnce();
});
const copy = () => played.copy();
const wide = () => ({ browser: played.browser, widthPx: 1_280, isDark: false });

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
    expect(page.console).toEqual([]);
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

describe("on every screen", () => {
  test.each([
    [360, false],
    [360, true],
    [768, true],
    [1_440, false],
  ])("at %d pixels, dark: %s, every section fits, and its text can be read", async (widthPx, isDark) => {
    await using pages = await serveInspected(copy());
    await using page = await pages.open("#/overview", { browser: played.browser, widthPx, isDark });
    for (const hash of [...SECTIONS, "sessions/ses_c", "memories/decision%2Fport"]) {
      await goTo(page, `#/${hash}`);
      await page.waitFor(`!${has(".reading")} && ${has("#heading")}`);
      expect([hash, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([hash, widthPx]);
      expect([hash, await page.evaluate(`(${findFaint})()`)]).toEqual([hash, []]);
    }
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(
      isDark ? "rgb(19, 22, 26)" : "rgb(246, 246, 244)",
    );
    expect(page.console).toEqual([]);
  });
});

/** Runs in the browser: texts with a contrast below 4.5 : 1 (WCAG 2.2, 1.4.3), except disabled controls. */
const findFaint = `() => {
  const parse = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((one) => (one / 255 <= 0.03928 ? one / 3294.6 : ((one / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const paperOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  const walker = document.createTreeWalker(document.querySelector("#page"), NodeFilter.SHOW_TEXT);
  const faint = [];
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent.trim();
    if (text === "" || element.closest("svg, button:disabled, .skip") || element.getClientRects().length === 0) continue;
    const [one, other] = [light(parse(getComputedStyle(element).color)), light(paperOf(element))].sort((a, b) => b - a);
    if ((one + 0.05) / (other + 0.05) < 4.5) faint.push(text.slice(0, 40) + " " + ((one + 0.05) / (other + 0.05)).toFixed(2));
  }
  return faint;
}`;
