/** The first hour of somebody who has the packed package and an empty home, and reads only what is on the screen. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Project } from "./stage/project.js";
import { HOST } from "./stage/which-host.js";
import {
  askForFigures,
  FILES,
  ORDERS,
  playFirstSession,
  playNextDay,
  steerContext,
} from "./terminal/first-hour.js";
import { installedStrata, installGlobally, uninstallGlobally } from "./terminal/installed.js";
import { openTuiStage } from "./terminal/tui-stage.js";

const LAST_ORDER = ORDERS.split("\n").at(-1) ?? "";

test("two lines install it; a large result leaves, a sentence stays, the context is steered, the next session knows, a wrong setting is named, and nothing is left of it", async () => {
  await using stage = await openTuiStage({
    isCloned: true,
    files: FILES,
    promptCache: { title: "The first hour" },
  });
  const { model, project } = stage;
  const global = join(project.folders.config, "opencode/opencode.json");
  installGlobally(project);
  const said = installedStrata(project, "init", "--global").out;
  expect(said).toContain(`Created ${global}: "plugin${HOST === 2 ? "s" : ""}": ["${project.root}/npm/`);

  // The first answer comes within 50 s of the second line, as these waits end then.
  {
    await using tui = await stage.openTui();
    const keep = (): void => {};
    await playFirstSession(stage, tui, keep);
    expect(model.requests[1]?.toolResult("orders")).toContain("[Strata]");
    expect(readdirSync(project.file(".opencode/memory/directive"))).toEqual([
      "dev-server-listens-port-8080.md",
    ]);
    await steerContext(stage, tui, keep);
    const [dropped, expanded] = model.requests.slice(-2).map(({ messages }) => JSON.stringify(messages));
    expect(dropped).not.toContain("order 900 has invoice");
    expect(expanded).toContain("order 900 has invoice");
    expect(expanded).toContain(LAST_ORDER);
    const asked = model.requests.length;
    await askForFigures(tui, keep);
    expect(model.requests.length).toBe(asked);
    expect(await tui.quit()).toBe(0);
  }

  misspell(global);
  {
    await using tui = await stage.openTui();
    await playNextDay(stage, tui, () => {});
    expect(JSON.stringify(model.lastRequest().messages)).toContain(
      "From now on the dev server listens on port 8080.",
    );
    const wrong = "! wrong setting: toolResults.treshold is not a setting; did you mean threshold?";
    await tui.waitFor(() => tui.sidebar().replace(/\s+/g, " ").includes(wrong));
    // Once, though it was also in a toast.
    expect(tui.sidebar().match(/treshold/g)).toHaveLength(1);
    expect(await tui.quit()).toBe(0);
  }
  const { code, out } = installedStrata(project, "doctor", "--no-proof");
  expect([code, out]).toEqual([
    1,
    expect.stringMatching(/^problem +toolResults\.treshold is not a setting; did you mean/),
  ]);

  installedStrata(project, "init", "--remove", "--purge", "--yes");
  expect(installedStrata(project, "init", "--global", "--remove", "--purge", "--yes").out).toContain(
    "Deleted.",
  );
  uninstallGlobally(project);
  expect(listTraces(project)).toEqual([]);
  expect(existsSync(project.file(".opencode"))).toBe(false);
});

/** As somebody who mistypes the name of a setting. */
function misspell(path: string): void {
  const config = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  const options = { toolResults: { treshold: 20_000 } };
  for (const [list, entries] of Object.entries(config))
    if (Array.isArray(entries))
      config[list] = entries.map((spec) => (HOST === 2 ? { package: spec, options } : [spec, options]));
  writeFileSync(path, JSON.stringify(config, null, 2));
}

/** Files with Strata's name in their path, or in the text of a configuration. What OpenCode and npm log is theirs. */
function listTraces({ root }: Project): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !/^(data|cache|tmp|home\/\.npm|state\/opencode)\/|\.tgz$/.test(path))
    .filter(
      (path) =>
        /strata/i.test(path) ||
        (/\.jsonc?$/.test(path) &&
          !path.includes("node_modules") &&
          /opencode-strata/.test(readFileSync(join(root, path), "utf8"))),
    );
}
