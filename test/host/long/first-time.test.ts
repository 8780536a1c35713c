/** The first time: installed from the archive, used on the real screen, removed. What is on disk at each step. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Project } from "../stage/project.js";
import { call, say } from "../stage/steps.js";
import { installByNpm, installedStrata } from "../terminal/installed.js";
import { openTuiStage } from "../terminal/tui-stage.js";

const MEMORY = ".opencode/memory/decision/we-deploy-on-fridays.md";

/** What three turns, a memory and a dream leave in a project, as `docs/files.md` lists it. */
const LEFT = [
  /^memory\/(MEMORY\.md|\.gitignore|\.gitattributes)$/,
  /^memory\/archive\/decision\/we-deploy-on-fridays\.md$/,
  /^memory\/ledger\/[^/]+\.jsonl$/,
  /^session-memory\/(\.gitignore|ses_\w+(\.previous)?\.(md|json))$/,
  /^tool-results\/(\.gitignore|[\w-]+\.txt)$/,
  /^strata\/(\.gitignore|strata\.log|savings\/ses_\w+\.jsonl)$/,
  /^strata\/state\/.+$/,
];

test("from the archive: init, three turns, /memory, a dream, an undo; init --remove gives back both files and leaves the listed ones, --purge none", async () => {
  await using stage = await openTuiStage({
    isCloned: true,
    files: { "big.txt": "a line of a large file\n".repeat(3_000) },
  });
  const { model, project } = stage;
  const before = project.read("opencode.json");
  await installByNpm(project);
  const said = installedStrata(project, "init");
  for (const name of ["opencode.json", "tui.json"]) {
    expect(said).toContain(`${project.file(name)}: "plugin": ["./node_modules/opencode-strata"]`);
    expect(JSON.parse(project.read(name)).plugin).toEqual(["./node_modules/opencode-strata"]);
  }

  {
    await using tui = await stage.openTui();
    model.script(
      call("read", { filePath: project.file("big.txt") }, { id: "big" }),
      say("The file has many lines."),
      say("The second answer."),
      say("The third answer."),
    );
    await tui.send("Look at the large file.");
    await tui.waitFor("The file has many lines.");
    await tui.waitFor(() => /Strata\n *context +[\d.]+K of 80K/.test(tui.sidebar()));
    expect(model.lastRequest().toolResult("big")).toContain("[Strata]");
    await tui.send("And a second turn.");
    await tui.waitFor("The second answer.");
    await tui.run("/remember decision: we deploy on Fridays");
    await tui.waitFor(/Remembered/);
    expect(project.read(MEMORY)).toContain("we deploy on Fridays");
    await tui.send("And a third.");
    await tui.waitFor("The third answer.");
    const requests = model.requests.length;

    await tui.run("/memory");
    await tui.waitFor(/This session[\s\S]*context +[\d.]+K tokens of 80K/);
    tui.press("escape");
    await tui.waitWithout("This session");
    await tui.run("/dream");
    await tui.waitFor("[Strata] /dream");
    await tui.run("/memory");
    await tui.waitFor("This session");
    tui.type("take back");
    await tui.waitFor("Take back the last change");
    await tui.waitWithout("This session");
    tui.press("enter");
    await tui.waitFor("Undoes what was last remembered");
    tui.press("enter");
    await tui.waitFor("Taken back");
    expect(existsSync(project.file(MEMORY))).toBe(false);
    tui.press("enter");
    await tui.waitWithout("Taken back");
    // None of it has asked the model.
    expect(model.requests.length).toBe(requests);
    expect(await tui.quit()).toBe(0);
  }

  const doctor = installedStrata(project, "doctor", "--no-proof");
  expect(doctor).toMatch(/ok +the sidebar is configured, .*; OpenCode's TUI last loaded it at \d{4}-/);
  expect(doctor).toMatch(/ok +OpenCode last loaded opencode-strata \d/);
  expect(installedStrata(project, "init", "--remove")).toContain(`Removed ${project.file("tui.json")}`);
  expect(project.read("opencode.json")).toBe(before);
  expect(existsSync(project.file("tui.json"))).toBe(false);
  const left = listOwn(project);
  expect(left.filter((path) => !LEFT.some((pattern) => pattern.test(path)))).toEqual([]);
  for (const pattern of LEFT)
    expect(
      left.some((path) => pattern.test(path)),
      String(pattern),
    ).toBe(true);

  await using tui = await stage.openTui({ args: ["--continue"] });
  await tui.waitFor("The third answer.");
  await tui.waitFor("% used");
  expect(tui.sidebar()).not.toContain("Strata");
  expect(listOwn(project)).toEqual(left);
  expect(await tui.quit()).toBe(0);

  const purged = installedStrata(project, "init", "--remove", "--purge", "--yes");
  expect(purged).toMatch(/\.opencode\/memory {2}\d+ files, [\d,]+ bytes/);
  expect(listOwn(project)).toEqual([]);
  expect(readdirSync(join(project.folders.state, "opencode-strata/projects"))).toEqual([]);
});

/** Files of the plugin in the project, from `.opencode`; those that OpenCode installs there are not the plugin's. */
function listOwn(project: Project): string[] {
  const folder = project.file(".opencode");
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !/^(node_modules\/|package(-lock)?\.json$|\.gitignore$|bun\.lock)/.test(path))
    .sort();
}
