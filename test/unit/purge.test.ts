/** What `strata init --remove --purge` deletes, and what it leaves alone. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { nodeFiles } from "../../src/io/node-files.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { runStrata } from "../support/shell.js";

const PATH = "/project/opencode.json";

const OWN = "/project/.opencode/";
const openUsed = () =>
  createMemoryFiles({
    "/project/.git/HEAD": "x",
    [PATH]: '{"plugin": ["opencode-strata"]}',
    [`${OWN}strata/state/owner`]: "me",
    [`${OWN}strata/strata.log`]: "a line",
    [`${OWN}memory/decision/port.md`]: "8080",
    [`${OWN}tool-results/one.txt`]: "1",
    [`${OWN}session-memory/ses_1.md`]: "# Notes",
    [`${OWN}plugin/mine.js`]: "mine",
    "/project/src/a.ts": "a",
  });
const left = (files: MemoryFiles): string[] => [...files.contents.keys()].sort();

it("init --remove --purge lists what it deletes, and deletes it and the entries once that is agreed to", async () => {
  const files = openUsed();
  const { code, out } = await runStrata(files, "init --remove --purge", { answers: true });
  expect(code).toBe(0);
  for (const line of [`${OWN}memory  1 file, 4 bytes`, `${OWN}strata  2 files, 8 bytes`, "Deleted."])
    expect(out).toContain(line);
  expect(left(files)).toEqual(["/project/.git/HEAD", `${OWN}plugin/mine.js`, PATH, "/project/src/a.ts"]);
  expect(files.text(PATH)).toBe("{}");
  const again = await runStrata(files, "init --remove --purge --yes");
  expect([again.code, again.out]).toEqual([0, expect.stringContaining("There is nothing to delete")]);
});

it.each(["", "--global "])("an agent's shell cannot delete it: init %s--remove --purge", async (where) => {
  const files = openUsed();
  const before = left(files);
  const line = `init ${where}--remove --purge --yes`;
  const { code, err } = await runStrata(files, line, { env: { OPENCODE: "1" } });
  expect([code, err]).toEqual([3, expect.stringContaining("this shell is an agent's")]);
  expect(left(files)).toEqual(before);
});

it.each([
  ["", true],
  [`${OWN}agent/mine.md`, false],
  [`${OWN}node_modules/other/package.json`, false],
])(
  "what OpenCode 1 installs into .opencode goes as well, unless somebody else uses it: %s",
  async (path, goes) => {
    const dependencies = { "@opencode-ai/plugin": "1", ...(path.includes("other") && { other: "1" }) };
    const files = createMemoryFiles({
      "/project/.git/HEAD": "x",
      [`${OWN}strata/strata.log`]: "a line",
      [`${OWN}.gitignore`]: "node_modules",
      [`${OWN}package.json`]: JSON.stringify({ dependencies }),
      [`${OWN}node_modules/@opencode-ai/plugin/index.js`]: "x",
      ...(path !== "" && { [path]: "mine" }),
    });
    await runStrata(files, "init --remove --purge --yes");
    expect(left(files).length === 1).toBe(goes);
  },
);

it("init --global --remove --purge leaves nothing in the user's folders, and projects alone", async () => {
  const files = createMemoryFiles({
    "/home/me/.config/opencode/opencode.json": "{}",
    "/home/me/.config/opencode/memory/decision/port.md": "8080",
    "/home/me/.config/opencode/strata/state/memory/clone": "x",
    "/home/me/.local/state/opencode-strata/key": "k",
    "/home/me/.local/state/opencode-strata/conversations/index.db": "x",
    [`${OWN}memory/decision/port.md`]: "8080",
  });
  await runStrata(files, "init --global --remove --purge --yes");
  expect(left(files)).toEqual(["/home/me/.config/opencode/opencode.json", `${OWN}memory/decision/port.md`]);
});

it("init --remove --purge follows no link, leaves a folder alone that is one, and leaves no empty folder", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "strata-purge-")));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const path of ["memory/decision/port.md", "strata/state/mail/ses_1.jsonl", "tool-results/one.txt"])
    write(`project/.opencode/${path}`, "x");
  write("project/.git/HEAD", "x");
  write("project/opencode.json", '{"plugin": ["opencode-strata"]}');
  write("elsewhere/mine.md", "mine");
  symlinkSync(join(root, "elsewhere"), join(root, "project/.opencode/session-memory"));
  symlinkSync(join(root, "elsewhere"), join(root, "project/.opencode/memory/plan"));
  const folder = join(root, "project");
  const { code, out } = await runStrata(nodeFiles, "init --remove --purge --yes", { folder });
  expect(code).toBe(0);
  expect(out).toContain(`session-memory leads to ${join(root, "elsewhere")}, and is left alone`);
  expect(readdirSync(join(folder, ".opencode"))).toEqual(["session-memory"]);
  expect(readdirSync(join(root, "elsewhere"))).toEqual(["mine.md"]);
  rmSync(root, { recursive: true });
});
