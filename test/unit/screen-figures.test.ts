/** What the sidebar, the prompt and the pages of the screen half show, as text. */
import { describe, expect, it } from "vitest";
import { KINDS, type SessionScreen } from "../../src/status/session-screen.js";
import { countColumns, wrap } from "../../src/text/columns.js";
import {
  formatFooter,
  formatSaving,
  formatSidebar,
  SIDEBAR_COLUMNS,
  textOf,
} from "../../src/tui/format-sidebar.js";
import { planMemoryPage } from "../../src/tui/page-memory.js";
import { readScreen } from "../../src/tui/screen.js";
import { fc, runs } from "../support/property.js";
import { createScreenText, titlesOf } from "../support/screen.js";

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
      "▪ system      8.1K ▪ results     2.5K",
      "▪ answers      900 ▪ memory       800",
      "▪ tool calls   600 ▪ your words   400",
      "cache hits         94 % (91 % in all)",
      "saved today               38 %, $0.42",
      "12 memories · 3 candidates",
      "1 blocker",
    ]);
  });

  it("the sidebar cuts no label and no figure, whatever the session has", () => {
    const tokens = fc.oneof(fc.nat(999), fc.nat(999_999), fc.nat(99_999_999));
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const some = fc.option(share, { nil: undefined });
    const saving = fc.record({
      tokens: fc.oneof(
        tokens,
        tokens.map((one) => -one),
      ),
      share: some,
      dollars: fc.option(fc.double({ min: -1_000, max: 10_000, noNaN: true }), { nil: undefined }),
    });
    const count = fc.nat(99_999);
    const screens = fc.record({
      context: fc.record({
        ...{ now: tokens, without: tokens, threshold: tokens, isEstimate: fc.boolean() },
        kinds: fc.record(Object.fromEntries(KINDS.map((kind) => [kind, tokens]))),
      }),
      cache: fc.record({ last: some, session: some }),
      saved: fc.record({ session: saving, today: saving, project: saving }),
      memory: fc.record({ memories: count, candidates: count, blockers: count, conflicts: count }),
      background: fc.subarray(["session notes", "memory judgement", "findings", "dream"]),
    });
    fc.assert(
      fc.property(screens, (parts) => {
        const lines = sidebar(parts);
        expect(lines.filter((line) => countColumns(line) > SIDEBAR_COLUMNS)).toEqual([]);
        expect(lines.filter((line) => line.includes("…"))).toEqual([]);
        const cells = lines.flatMap((line) => (line.startsWith("▪") ? line.split("▪ ").slice(1) : []));
        expect(cells.filter((cell) => !/^[a-z]+( [a-z]+)? +[\d.]+[KM]? ?$/.test(cell))).toEqual([]);
        expect(countColumns(formatFooter(see(parts)).map(textOf).join(""))).toBeLessThanOrEqual(40);
      }),
      { numRuns: runs(300, 5_000, "sets of figures in the sidebar") },
    );
  });

  it("the sidebar never has a line that is wider than it, with long sentences and wide characters", () => {
    const long = "設定が間違っています ".repeat(20) + "x".repeat(200);
    const parts = {
      title: long,
      breaker: long,
      warnings: [long, long, long, long, long],
      background: [long],
    };
    expect(sidebar(parts).filter((line) => countColumns(line) > SIDEBAR_COLUMNS)).toEqual([]);
    expect(sidebar(parts).at(-1)).toBe("and 3 more: /memory");
  });
});

describe("a screen file", () => {
  it("a screen file that is damaged, half written or something else is not shown", () => {
    const whole = createScreenText();
    for (const text of ["", "{", whole.slice(0, 100), "5", "null", "[]", "{}", '{"v":1}', '{"v":0}'])
      expect(readScreen(text), text).toBeUndefined();
    expect(readScreen(createScreenText({ cache: { last: 7 } }))).toBeUndefined();
  });

  it("a screen file with control characters is shown without them", () => {
    const told = "\u001b[2J\u001b]0;x\u0007told";
    const parts = { title: told, breaker: told, background: [told], warnings: [told] };
    expect(see(parts)).toMatchObject({
      ...{ title: "told", breaker: "told" },
      ...{ background: ["told"], warnings: ["told"] },
    });
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
        "system and tools 8.1K tokens, 61 %",
      ]),
    );
  });
});
