/** What the package shows on OpenCode's real screen, at three sizes. long/screen-odd.test.ts installs it as its user does. */

import { expect, test } from "vitest";
import type { SessionScreen } from "../../src/status/session-screen.js";
import { FIGURES } from "./fixtures/screen-figures.js";
import { repository } from "./repository.js";
import { say } from "./stage/steps.js";
import { HOST } from "./stage/which-host.js";
import { SIDEBAR, SIZES } from "./terminal/tui.js";
import { openTuiStage } from "./terminal/tui-stage.js";

test("the sidebar shows a session's figures and follows them; narrow terminals show two of them beside the prompt", async () => {
  await using stage = await openTuiStage({ screen: repository });
  await using tui = await stage.openTui();
  stage.model.script(say("An answer."));
  await tui.send("hello");
  await tui.waitFor("An answer.");
  await tui.waitFor(() => tui.sidebar().includes("figures follow with the next request"));
  const { sessionID: session = "" } = stage.model.lastRequest();
  const show = (figures: SessionScreen): Promise<void> =>
    stage.project.write(
      `.opencode/strata/state/screen/${session}.json`,
      JSON.stringify({ ...figures, session }),
    );
  await show(FIGURES);
  await tui.waitFor(() => tui.sidebar().includes("13.3K of 80K"));
  const block = [
    /Strata/,
    /context 13\.3K of 80K +17 %/,
    /█+░+/,
    /instead of 25\.6K \(−48 %\)/,
    /system +8K.*results +2\.7K/,
    /answers +900.*tool calls +700/,
    /your words +400.*notes +312/,
    /memory +300/,
    /cache hits +94 % \(90 % in all\)/,
    /saved today +38 %, \$0\.42/,
    /12 memories · 3 candidates/,
    /1 blocker · 2 wait for you/,
    /in the background: session notes,/,
    /memory judgement/,
    /! automatic summaries do not help:/,
  ];
  const shown = new RegExp(block.map(({ source }) => source).join(".*\\n.*")).exec(tui.sidebar())?.[0] ?? "";
  expect(shown, tui.sidebar()).not.toBe("");
  for (const line of shown.split("\n")) expect(line.length).toBeLessThan(SIDEBAR);
  expect(shown).not.toContain("…");
  // The bar has the colours of the kinds, and no other.
  const bar = tui.screen().cells.find((row) => row.some(({ text }) => text === "░")) ?? [];
  expect(new Set(bar.filter(({ text }) => text === "█").map(({ ink }) => ink)).size).toBeGreaterThan(1);
  await show({ ...FIGURES, context: { ...FIGURES.context, now: 40_000, without: 90_000 } });
  await tui.waitFor(() => tui.sidebar().includes("context 40K of 80K"));
  for (const size of [SIZES.middle, SIZES.narrow]) {
    tui.resize(size);
    // OpenCode 2 has its own figures in that line, and less room.
    const text = await tui.waitFor(
      HOST === 2 ? /cache 94 % · saved 38 % *$/m : /cache 94 % · saved 38 %, \$0\.42/,
    );
    expect(text).toContain("An answer.");
    expect(text).not.toContain("Strata\n");
    expect(text.split("\n")).toHaveLength(size.rows);
  }
});
