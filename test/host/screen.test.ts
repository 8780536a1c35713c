/** What the package shows on OpenCode's real screen, at three sizes; installed as its user installs it. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SessionScreen } from "../../src/screen/session-screen.js";
import { repository } from "./repository.js";
import { formatConfig } from "./stage/opencode.js";
import { createProject } from "./stage/project.js";
import { startScriptedModel } from "./stage/scripted-model.js";
import { stageConfig } from "./stage/stage.js";
import { say } from "./stage/steps.js";
import { HOST } from "./stage/which-host.js";
import { installByHost } from "./terminal/installed.js";
import { openTui, SIDEBAR, SIZES } from "./terminal/tui.js";
import { openTuiStage } from "./terminal/tui-stage.js";

/** As the plugin writes them behind a request. */
const FIGURES: SessionScreen = {
  v: 1,
  session: "",
  title: "The shop",
  time: "2026-11-22T10:00:00.000Z",
  context: {
    now: 13_312,
    without: 25_600,
    threshold: 80_000,
    kinds: { system: 8_000, words: 400, answers: 900, calls: 700, results: 2_700, memory: 300, notes: 312 },
  },
  cache: { last: 0.94, session: 0.9 },
  saved: {
    session: { share: 0.3, tokens: 9_000, dollars: 0.02 },
    today: { share: 0.38, tokens: 210_000, dollars: 0.42 },
    project: { share: 0.41, tokens: 900_000, dollars: 1.73 },
  },
  memory: { memories: 12, candidates: 3, blockers: 1, conflicts: 2 },
  breaker: "three summaries failed",
  background: ["session notes", "memory judgement"],
  warnings: [],
};

test("opencode plugin configures both halves, and OpenCode loads both: the plugin's commands and the sidebar", async () => {
  const model = await startScriptedModel();
  const project = await createProject({ "opencode.json": formatConfig(stageConfig(model.url, {})) });
  try {
    const said = await installByHost(project);
    if (HOST === 2) {
      const path = join(project.folders.config, "opencode/opencode.json");
      expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ plugins: ["opencode-strata"] });
    } else {
      expect(said).toContain("Detected server + tui targets");
      for (const name of ["opencode.json", "tui.json"])
        expect(JSON.parse(project.read(`.opencode/${name}`)).plugin).toEqual(["opencode-strata"]);
    }
    await using tui = await openTui(project);
    model.script(say("An answer."));
    await tui.send("hello");
    await tui.waitFor("An answer.");
    await tui.waitFor(() => /Strata\n *context +[\d.]+K of 80K/.test(tui.sidebar()));
    await tui.run("/memory");
    await tui.waitFor(/Strata: A title +esc[\s\S]*This session[\s\S]*context +[\d.]+K tokens of 80K/);
    expect(model.requests).toHaveLength(1);
  } finally {
    await model.close();
    await project.remove();
  }
});

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
    /1 blocker · 2 conflicts/,
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

test("a damaged file of figures leaves the screen as it was, turns go on, and without a file nothing is claimed", async () => {
  await using stage = await openTuiStage({ screen: repository });
  await using tui = await stage.openTui();
  stage.model.script(say("Hello."));
  await tui.send("hi");
  await tui.waitFor("Hello.");
  const { sessionID: session = "" } = stage.model.lastRequest();
  const path = `.opencode/strata/state/screen/${session}.json`;
  await stage.project.write(path, JSON.stringify({ ...FIGURES, session }));
  await tui.waitFor(() => tui.sidebar().includes("context 13.3K of 80K"));
  for (const [turn, odd] of ["{", '{"v":1,"context":7}', "\u001b[2J\u0000", "x".repeat(300_000)].entries()) {
    await stage.project.write(path, odd);
    stage.model.script(say(`Answer ${turn}.`));
    await tui.send(`question ${turn}`);
    await tui.waitFor(`Answer ${turn}.`);
    expect(tui.sidebar()).toContain("context 13.3K of 80K");
  }
  rmSync(stage.project.file(path));
  await tui.waitFor(() => tui.sidebar().includes("figures follow with the next request"));
});
