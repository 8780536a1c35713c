/** What the sidebar, the prompt and the pages of the screen half show, as text. */
import { describe, expect, it } from "vitest";
import { countColumns, wrap } from "../../src/base/columns.js";
import type { SessionScreen } from "../../src/status/session-screen.js";
import { formatSaving, formatSidebar } from "../../src/tui/format-sidebar.js";
import { planMemoryPage } from "../../src/tui/pages.js";
import { readScreen } from "../../src/tui/screen.js";
import { createScreenText, textOf, titlesOf } from "../support/screen.js";

function see(parts: Record<string, unknown> = {}): SessionScreen {
  const shown = readScreen(createScreenText(parts));
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
  it("a saving begins with the share, is of tokens where the host has no price, and is never a negative greeting", () => {
    expect(formatSaving({ share: 0.38, tokens: 9_000, dollars: 0.42 })).toBe("38 %, $0.42");
    expect(formatSaving({ share: 0.38, tokens: 9_000 })).toBe("38 % of tokens");
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
      "▪ system      8.1K ▪ results     2.5K",
      "▪ answers      900 ▪ memory       800",
      "▪ tool calls   600 ▪ your words   400",
      "cache hits         94 % (91 % in all)",
      "saved today               38 %, $0.42",
      "12 memories · 3 candidates",
      "1 blocker",
    ]);
  });
});

describe("a screen file", () => {
  it("a screen file that is damaged, half written or something else is not shown", () => {
    const whole = createScreenText();
    for (const text of ["", "{", whole.slice(0, 100), "5", "null", "[]", "{}", '{"v":1}', '{"v":0}'])
      expect(readScreen(text), text).toBeUndefined();
    expect(readScreen(createScreenText({ cache: { last: 7 } }))).toBeUndefined();
  });
});

it("the page of /memory has the figures in sections, then what can be done", () => {
  const { options, title } = planMemoryPage(see({ warnings: ["13 settings are wrong"] }));
  expect(title).toBe("Strata: Orders fail");
  const categories = ["This session", "Project", "Now", "In the context", "Memory", "Steer"];
  expect([...new Set(options.map(({ category }) => category))]).toEqual(categories);
  const titles = [
    "context 13.3K tokens of 80K, 17 %",
    "without Strata 25.6K tokens (−48 %)",
    "saved in all 38 %, $3.10",
    "13 settings are wrong",
    "system and tools 8.1K tokens, 61 %",
  ];
  expect(titlesOf(options)).toEqual(expect.arrayContaining(titles));
});
