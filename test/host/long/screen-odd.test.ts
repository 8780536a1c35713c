/** The sidebar on OpenCode's real screen, installed as its user installs it, and with a damaged file of figures. */

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FIGURES } from "../fixtures/screen-figures.js";
import { repository } from "../repository.js";
import { formatConfig } from "../stage/opencode.js";
import { createProject } from "../stage/project.js";
import { startScriptedModel } from "../stage/scripted-model.js";
import { stageConfig } from "../stage/stage.js";
import { say } from "../stage/steps.js";
import { HOST } from "../stage/which-host.js";
import { installByHost } from "../terminal/installed.js";
import { openTui } from "../terminal/tui.js";
import { openTuiStage } from "../terminal/tui-stage.js";

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
