/** What another tool has as private stays private: not in git, not on a remote. On a real disk, with a real git. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { systemClock } from "../../src/io/clock.js";
import { nodeFiles } from "../../src/io/node-files.js";
import { removeFolder } from "../support/remove-folder.js";
import { runStrata } from "../support/shell.js";
import { envOf } from "../support/sync-world.js";

it("an entry that is imported as private is neither in git's view nor pushed", async () => {
  const root = mkdtempSync(join(tmpdir(), "strata-import-"));
  const [project, remote] = [join(root, "one", "project"), join(root, "remote.git")];
  const git = (...args: string[]): string => execFileSync("git", args, { encoding: "utf8" });
  const strata = (line: string) =>
    runStrata(nodeFiles, line, { folder: project, clock: systemClock, env: envOf(join(root, "one")) });
  mkdirSync(project, { recursive: true });
  git("init", "-q", "--bare", remote);
  git("-C", project, "init", "-q");
  const entries = [
    { type: "fact", content: "The port is 8080." },
    { type: "lesson", content: "The quokka is the lawyer.", sensitivity: "private" },
  ];
  writeFileSync(join(root, "spark.json"), JSON.stringify(entries));
  expect(await strata(`import ${join(root, "spark.json")}`)).toMatchObject({ out: "Imported: 2 memories" });
  await strata(`sync init ${remote}`);
  expect((await strata("sync push")).code).toBe(0);
  git("-C", project, "add", "-A");
  const pushed = git("-C", remote, "cat-file", "--batch-all-objects", "--batch");
  for (const text of [pushed, git("-C", project, "diff", "--cached")]) {
    expect(text).toContain("The port is 8080.");
    expect(text).not.toContain("quokka");
  }
  removeFolder(root);
});
