/** Worktrees of one repository and their memories, with real git. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { systemClock as clock } from "../../src/io/clock.js";
import { nodeFiles as files } from "../../src/io/node-files.js";
import { findMemoryProject, type WorktreeSharing } from "../../src/memory/trust/git.js";
import { removeFolder } from "../support/remove-folder.js";
import { type Ran, runStrata } from "../support/shell.js";
import { envOf, listAll } from "../support/sync-world.js";

let root: string;
let main: string;
let linked: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "strata-worktree-")));
  main = join(root, "main");
  linked = join(root, "linked");
  mkdirSync(main);
  git(main, "init", "-q", "-b", "main");
  git(main, "commit", "-qm", "first", "--allow-empty");
  git(main, "worktree", "add", "-q", linked);
});
afterEach(() => removeFolder(root));

function git(folder: string, ...args: string[]): void {
  execFileSync("git", ["-C", folder, "-c", "user.name=x", "-c", "user.email=x@x", ...args], {
    stdio: "pipe",
  });
}

const strata = (folder: string, line: string): Promise<Ran> =>
  runStrata(files, line, { folder, clock, env: envOf(root) });

const find = (project: string, sharing: WorktreeSharing = "auto"): Promise<string> =>
  findMemoryProject(
    files,
    project,
    async () => sharing,
    (problem) => expect.fail(problem),
  );

const giveMemory = (project: string): void => {
  mkdirSync(join(project, ".opencode", "memory", "decision"), { recursive: true });
  writeFileSync(join(project, ".opencode", "memory", "decision", "port.md"), "8080\n");
};

it("a new linked worktree reads and writes the memories of the main one, under one lock", async () => {
  await strata(main, "remember --type decision The server listens on port 8080");
  expect((await strata(linked, "list")).out).toContain("8080");
  await strata(linked, "remember --type decision The queue is in Postgres");
  expect((await strata(main, "list")).out).toContain("Postgres");
  expect(readdirSync(join(main, ".opencode", "memory", "decision"))).toHaveLength(2);
  expect(listAll(join(linked, ".opencode")).filter((path) => path.startsWith("memory/"))).toEqual([]);
  expect(listAll(join(linked, ".opencode")).filter((path) => path.includes("state/memory"))).toEqual([]);
});

it("a linked worktree keeps its own memories, and shares those of the main one only if it is set to", async () => {
  giveMemory(main);
  giveMemory(linked);
  expect(await find(linked)).toBe(linked);
  expect(await find(linked, true)).toBe(main);
  expect(await find(linked, false)).toBe(linked);
});

it("the main worktree, a folder without git, a clone and a submodule use their own memories", async () => {
  giveMemory(main);
  mkdirSync(join(root, "plain"));
  git(root, "clone", "-q", main, join(root, "clone"));
  git(main, "-c", "protocol.file.allow=always", "submodule", "add", "-q", join(root, "clone"), "module");
  for (const one of ["main", "plain", "clone", "main/module"])
    expect(await find(join(root, one), true)).toBe(join(root, one));
});

it("a folder whose forged .git names another repository gets none of its memories", async () => {
  giveMemory(main);
  const forged = join(root, "forged");
  const fake = join(forged, "fake");
  mkdirSync(fake, { recursive: true });
  writeFileSync(join(forged, ".git"), "gitdir: fake\n");
  writeFileSync(join(fake, "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(fake, "gitdir"), `${forged}/.git\n`);
  writeFileSync(join(fake, "commondir"), `${main}/.git\n`);
  expect(await find(forged, true)).toBe(forged);
});
