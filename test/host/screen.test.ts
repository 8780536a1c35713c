/** The package as people get it, on OpenCode's real screen, at three sizes. */
import { describe, expect, test } from "vitest";
import { createProject } from "./stage/project.js";
import { startScriptedModel } from "./stage/scripted-model.js";
import { stageConfig } from "./stage/stage.js";
import { call, say } from "./stage/steps.js";
import { installByHost } from "./terminal/installed.js";
import { openTui, SIZES } from "./terminal/tui.js";

test("opencode plugin configures both halves, and both are loaded from what it installed", async () => {
  const model = await startScriptedModel();
  const project = await createProject({ "opencode.json": JSON.stringify(stageConfig(model.url, {})) });
  try {
    expect(await installByHost(project)).toContain("Detected server + tui targets");
    for (const name of ["opencode.json", "tui.json"])
      expect(JSON.parse(project.read(`.opencode/${name}`)).plugin).toEqual(["opencode-strata"]);
    await using tui = await openTui(project);
    await tui.send("hello");
    await tui.waitFor(() => tui.sidebar().includes("Strata"));
    console.log(tui.text());
  } finally {
    await model.close();
    await project.remove();
  }
});
