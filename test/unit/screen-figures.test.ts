/** What the sidebar, the prompt and the pages of the screen half show, as text. */
import { describe, expect, it } from "vitest";
import { countColumns, fit, spread, wrap } from "../../src/tui/columns.js";
import { formatChange, formatSaving } from "../../src/tui/figures.js";
import { formatBar, formatFooter, formatSidebar, SIDEBAR_COLUMNS } from "../../src/tui/format-sidebar.js";
import { textOf } from "../../src/tui/line.js";
import { planMemoryPage } from "../../src/tui/page-memory.js";
import { readShown, type Shown } from "../../src/tui/sound-screen.js";
import { createScreenText, titlesOf } from "../support/screen.js";

function see(parts: Record<string, unknown> = {}): Shown {
  const shown = readShown(createScreenText(parts));
  if (!shown) throw new Error("the screen cannot be read");
  return shown;
}

const sidebar = (parts: Record<string, unknown> = {}): string[] => formatSidebar(see(parts)).map(textOf);

describe("columns", () => {
  it("columns of wide characters count two, of combining marks none", () => {
    expect([
      countColumns("abc"),
      countColumns("漢字"),
      countColumns("e\u0301"),
      countColumns("한글 ok"),
    ]).toEqual([3, 4, 1, 7]);
  });

  it("a fitted text never takes more columns than it may, whatever it is made of", () => {
    for (const text of ["short", "a much longer text", "漢字で書かれた長い題名", "mixed 漢字 text", ""])
      for (let most = 0; most < 24; most++) expect(countColumns(fit(text, most))).toBeLessThanOrEqual(most);
    expect(fit("line\none", 20)).toBe("line one");
    expect(fit("漢字漢字", 5)).toBe("漢字…");
  });

  it("a spread line has exactly its columns, and gives up its left side first", () => {
    expect(spread("context", "17 %", 20)).toBe("context         17 %");
    expect(countColumns(spread("漢字で書かれた長い題名です", "17 %", 20))).toBe(20);
    expect(spread("left", "a right side that is too long", 10)).toHaveLength(10);
  });

  it("wrapped lines keep all words in at most so many columns", () => {
    const text =
      "automatic summaries do not help: averyveryveryverylongwordthatdoesnotfit 漢字漢字漢字漢字漢字漢字 end";
    const lines = wrap(text, 20);
    expect(Math.max(...lines.map(countColumns))).toBeLessThanOrEqual(20);
    expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
    expect(wrap("one two three four", 9, 2)).toEqual(["one two", "three fo…"]);
  });
});

describe("figures", () => {
  it("a change is told against what it would be without, and not where that is nothing", () => {
    expect([
      formatChange(13_300, 25_600),
      formatChange(10, 10),
      formatChange(11, 10),
      formatChange(5, 0),
    ]).toEqual(["−48 %", "0 %", "+10 %", undefined]);
  });

  it("a saving begins with the share, has tokens where prices are unknown, and is never a negative greeting", () => {
    expect(formatSaving({ share: 0.38, tokens: 9_000, dollars: 0.42 })).toBe("38 %, $0.42");
    expect(formatSaving({ share: 0.38, tokens: 9_000 })).toBe("38 %, 9K tokens");
    expect(formatSaving({ tokens: 9_000 })).toBe("9K tokens");
    expect(formatSaving({ share: -0.1, tokens: -500, dollars: -0.01 })).toBe("not paid back yet");
    expect(formatSaving({ tokens: 0 })).toBe("nothing yet");
  });
});

describe("the sidebar", () => {
  it("the sidebar shows the context, its kinds, the saving and the memories", () => {
    expect(sidebar()).toEqual([
      "Strata",
      "context 13.3K of 80K             17 %",
      "██████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░",
      "instead of 25.6K (−48 %)",
      "▪ system, to… 8.1K ▪ results     2.5K",
      "▪ answers      900 ▪ memory       800",
      "▪ tool calls   600 ▪ your words   400",
      "cache hits         94 % (91 % in all)",
      "saved today               38 %, $0.42",
      "12 memories · 3 candidates",
      "1 blocker",
    ]);
  });

  it("the sidebar never has a line that is wider than it, with long titles, wide characters and huge figures", () => {
    const long = "設定が間違っています ".repeat(20) + "x".repeat(200);
    const kinds = { system: 123_456_789, words: 1, answers: 2, calls: 3, results: 4, memory: 5, notes: 6 };
    const parts = {
      title: long,
      breaker: long,
      warnings: [long, long, long, long, long],
      background: [long],
      context: { now: 9_123_456_789, without: 99_123_456_789, threshold: 80_000, kinds },
      memory: { memories: 1_000_000, candidates: 1_000_000, blockers: 1_000_000, conflicts: 1_000_000 },
      saved: { today: { share: 0.123456, tokens: 1e12, dollars: 1_234_567.891 } },
    };
    for (const columns of [20, SIDEBAR_COLUMNS, 42, 80]) {
      const lines = formatSidebar(see(parts), columns).map(textOf);
      expect(lines.filter((line) => countColumns(line) > columns)).toEqual([]);
    }
    expect(sidebar(parts).at(-1)).toBe("and 3 more: /memory");
  });

  it("the sidebar leaves out what is missing, and never shows a price of zero or a negative saving", () => {
    expect(sidebar({ context: { now: 500 }, cache: {}, saved: {}, memory: {} })).toEqual([
      "Strata",
      "context 500                          ",
      "0 memories",
    ]);
    const free = { share: 0.2, tokens: 1_000, dollars: 0 };
    expect(sidebar({ saved: { today: free } })).toContain(
      spread("saved today", "20 %, 1K tokens", SIDEBAR_COLUMNS),
    );
    const loss = { share: -0.2, tokens: -1_000, dollars: -0.3 };
    expect(sidebar({ saved: { today: loss } })).toContain(
      spread("saved today", "not paid back yet", SIDEBAR_COLUMNS),
    );
  });

  it("the sidebar says when figures come where there are none yet", () => {
    expect(formatSidebar(undefined).map(textOf)).toEqual(["Strata", "figures follow with the next request"]);
  });

  it("the sidebar tells what is wrong in words that stay together", () => {
    const lines = sidebar({ breaker: "two failed", background: ["dream"], warnings: ["a setting is wrong"] });
    expect(lines.slice(-4)).toEqual([
      "in the background: dream",
      "! automatic summaries do not help:",
      "  two failed",
      "! a setting is wrong",
    ]);
  });

  it("a bar has its columns exactly, and one over its threshold is full", () => {
    const kinds = [
      ["system", 3],
      ["results", 1],
    ] as const;
    for (const now of [0, 1, 50, 99, 100, 500]) {
      const line = formatBar(kinds, { now, threshold: 100, columns: 20 });
      expect(countColumns(textOf(line))).toBe(20);
    }
    expect(textOf(formatBar(kinds, { now: 500, threshold: 100, columns: 20 }))).not.toContain("░");
    expect(textOf(formatBar([], { now: 50, threshold: 100, columns: 4 }))).toBe("██░░");
  });
});

describe("the figure beside the prompt", () => {
  it("the figure beside the prompt has the hit rate and the saving, and a mark where something is wrong", () => {
    expect(formatFooter(see()).map(textOf)).toEqual(["cache 94 % · saved 38 %, $0.42"]);
    expect(formatFooter(see({ breaker: "x" })).map(textOf)).toEqual(["! cache 94 % · saved 38 %, $0.42"]);
    const loss = { today: { tokens: -5 } };
    expect(formatFooter(see({ saved: loss })).map(textOf)).toEqual(["cache 94 % · not paid back yet"]);
    expect(formatFooter(see({ cache: {}, saved: {} }))).toEqual([]);
    expect(formatFooter(undefined)).toEqual([]);
  });
});

describe("a screen file", () => {
  it("a screen file that is damaged, half written or something else is not shown", () => {
    const whole = createScreenText();
    for (const text of ["", "{", whole.slice(0, 100), "5", "null", "[]", "{}", '{"v":1}', '{"v":0}'])
      expect(readShown(text), text).toBeUndefined();
  });

  it("a screen file of a later version is shown as far as it is understood, and says what to do", () => {
    const shown = readShown(createScreenText({ v: 2, saved: "other", memory: [], background: 5, more: {} }));
    expect(shown?.now).toBe(13_300);
    expect(shown?.warnings).toEqual([expect.stringContaining("restart OpenCode")]);
  });

  it("a screen file with wrong figures and control characters shows neither", () => {
    const shown = see({
      title: "\u001b[2Jgone",
      context: { now: 10, without: 5, threshold: -1, kinds: { system: "x", words: -3, other: 9 } },
      cache: { last: 7, session: null },
      warnings: [null, 5, "\u001b]0;x\u0007told"],
    });
    expect(shown.title).toBe("gone");
    expect([shown.without, shown.threshold, shown.hits, shown.kinds]).toEqual([undefined, undefined, {}, []]);
    expect(shown.warnings).toEqual(["told"]);
  });
});

describe("/memory as a page", () => {
  it("the page of /memory has the figures in sections, then what can be done", () => {
    const { options, title } = planMemoryPage(see({ warnings: ["13 settings are wrong"] }));
    expect(title).toBe("Strata: Orders fail");
    expect([...new Set(options.map(({ category }) => category))]).toEqual([
      "This session",
      "Project",
      "Now",
      "In the context",
      "Memory",
      "Steer",
    ]);
    expect(titlesOf(options)).toEqual(
      expect.arrayContaining([
        "context 13.3K tokens of 80K, 17 %",
        "without Strata 25.6K tokens (−48 %)",
        "saved in all 38 %, $3.10",
        "13 settings are wrong",
        "system, tools 8.1K tokens, 61 %",
      ]),
    );
  });

  it("the page of /memory fits the host's 61 columns, and opens the memories where no session is", () => {
    const page = planMemoryPage(see({ breaker: "漢字".repeat(100) }));
    expect(page.options.filter(({ title }) => countColumns(title) > 61)).toEqual([]);
    expect(titlesOf(planMemoryPage(undefined).options)).toContain("Look at the memories …");
  });
});
