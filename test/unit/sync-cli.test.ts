/** `strata sync` as a person uses it, on two machines with a remote on disk. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { systemClock as clock } from "../../src/io/clock.js";
import { nodeFiles as files } from "../../src/io/node-files.js";
import { removeFolder } from "../support/remove-folder.js";
import { type Ran, runStrata } from "../support/shell.js";
import { envOf, listAll } from "../support/sync-world.js";

let root: string;
let remote: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "strata-sync-cli-"));
  remote = join(root, "remote.git");
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", remote]);
  for (const name of ["one", "two"]) {
    mkdirSync(projectOf(name), { recursive: true });
    execFileSync("git", ["-C", projectOf(name), "init", "-q", "-b", "main"]);
  }
});
afterEach(() => removeFolder(root));

const projectOf = (machine: string): string => join(root, machine, "project");

function strata(machine: string, line: string, env: Record<string, string> = {}): Promise<Ran> {
  const own = { ...envOf(join(root, machine)), ...env };
  return runStrata(files, line, { folder: projectOf(machine), clock, env: own });
}

function write(machine: string, path: string, text: string): void {
  const file = join(projectOf(machine), path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const objects = (): string =>
  execFileSync("git", ["-C", remote, "cat-file", "--batch-all-objects", "--batch"], { encoding: "utf8" });

it("strata sync init, push and pull bring a memory to another machine, where it is the user's", async () => {
  await strata("one", "remember --type decision The server listens on port 8080");
  expect(await strata("one", `sync init ${remote}`)).toMatchObject({
    code: 0,
    out: expect.stringContaining("1 change to push; send with: strata sync push"),
  });
  expect(await strata("one", "sync push")).toMatchObject({
    code: 0,
    out: expect.stringContaining("1 change sent"),
  });
  const joined = await strata("two", `sync init ${remote}`);
  expect(joined).toMatchObject({ code: 0, out: expect.stringContaining("1 memory changed here") });
  expect(joined.out).toContain("Nothing to push.");
  expect((await strata("two", "list")).out).toContain("8080");
  expect((await strata("two", "list --foreign")).out).not.toContain("8080");
  expect((await strata("two", "sync status")).out).toMatch(
    /pulled just now, pushed never, 0 changes to push/,
  );
  expect(execFileSync("git", ["-C", projectOf("one"), "for-each-ref"], { encoding: "utf8" })).toBe("");
});

it("memories from a team's branch count as the repository's until they are accepted", async () => {
  await strata("one", "remember --type decision The server listens on port 8080");
  await strata("one", `sync init ${remote} --team`);
  await strata("one", "sync push");
  await strata("two", `sync init ${remote} --team`);
  expect((await strata("two", "list --foreign")).out).toContain("8080");
  await strata("two", "trust --yes");
  expect((await strata("two", "list --foreign")).out).not.toContain("8080");
});

it.each(["--upload-pack=date>hooked;", "--upload-pack=date>hooked;//a:b", "ext::touch% hooked", "fd::17"])(
  "the project's git configuration, which an archive can contain, runs no program with %s",
  async (url) => {
    const config = `[core]\n\tbare = false\n[remote "origin"]\n\turl = ${url}\n`;
    writeFileSync(join(projectOf("one"), ".git", "config"), config);
    expect((await strata("one", "sync init origin")).code).toBeGreaterThan(0);
    await strata("one", "sync pull");
    expect(listAll(root).filter((path) => path.includes("hooked"))).toEqual([]);
  },
);

it("each memory that stays here is listed with the reason, everything else is sent, and the remote has no trace of it", async () => {
  await strata("one", "remember --type decision The server listens on port 8080");
  await strata("one", "remember --private --type decision The launch is in May, says hushlaunch");
  await strata("one", "remember --type preference I like tabs, says hushtabs");
  await strata("one", `remember --type decision Logs are in ${projectOf("one")}/logs, says hushpath`);
  await strata("one", "remember --type decision The plan is private/decision/the-launch, says hushhint");
  write("one", ".opencode/memory/idea/key.md", "token ghp_a8Kd72Jq0LmPzXc4Vb6Nn1Qw3Er5Ty7Ui9Op hushkey\n");
  write("one", ".opencode/memory/idea/hint.md", "see private/decision/the-launch hushname\n");
  await strata("one", `sync init ${remote}`);
  const pushed = await strata("one", "sync push");
  expect(pushed.code).toBe(1);
  expect(pushed.out).toContain("1 change sent");
  expect(pushed.err).toMatch(/Not sent\s+decision\/logs-\S*: it names a path of this machine/);
  expect(pushed.err).toMatch(/Not sent\s+idea\/hint: it/);
  expect(pushed.err).not.toContain("ghp_");
  const all = objects();
  expect(all).toContain("8080");
  expect(all).not.toMatch(/hush|private\/|ghp_/);
  const status = await strata("one", "sync status --json");
  expect(JSON.parse(status.out).project.refused.length).toBeGreaterThan(0);
});

it("global memories have a separate remote", async () => {
  await strata("one", "remember --global --type decision Answer in English everywhere");
  await strata("one", "remember --type decision The server listens on port 8080");
  await strata("one", `sync init ${remote} --global`);
  await strata("one", "sync push");
  expect(objects()).not.toContain("port 8080");
  await strata("two", `sync init ${remote} --global`);
  expect((await strata("two", "list")).out).toContain("global/decision/answer-in-english-everywhere");
  const mixed = await strata("two", `sync init ${remote} --branch strata-memory-global`);
  expect(mixed.code).toBe(3);
  expect(mixed.err).toContain("it holds global memories, expected project");
});

it("a remote that cannot be reached is named without credentials, changes nothing, and the next push sends all", async () => {
  await strata("one", "remember --type decision The server listens on port 8080");
  const gone = `${remote}-gone`;
  expect(await strata("one", `sync init ${gone}`)).toMatchObject({
    code: 1,
    err: expect.stringContaining("Not reached"),
  });
  expect((await strata("one", "sync push")).code).toBe(1);
  expect((await strata("one", "sync status")).out).toContain("the last attempt failed");
  execFileSync("git", ["init", "-q", "--bare", gone]);
  expect((await strata("one", "sync push")).out).toContain("1 change sent");
  expect((await strata("one", "sync status")).out).not.toContain("failed");
});

it.each([
  ["sync init", "missing required argument"],
  ["sync push now", "too many arguments"],
  ["sync init https://me:secret@example.org/x.git", "a URL with a password"],
  ["sync init ext::sh", "runs a program"],
  ["sync init /x --branch a..b", "--branch must be"],
  ["sync init /x --mine --team", "use --mine or --team"],
  ["sync push --team", "unknown option"],
])("strata %s is wrong usage and chooses nothing", async (line, why) => {
  const { code, err } = await strata("one", line);
  expect([code, err]).toEqual([2, expect.stringContaining(why)]);
  expect(listAll(join(root, "one", "home")).filter((path) => path.includes("sync"))).toEqual([]);
});

it("an agent cannot choose a remote", async () => {
  const { code, err } = await strata("one", `sync init ${remote}`, { OPENCODE: "1" });
  expect([code, err]).toEqual([3, expect.stringContaining("this shell is an agent's")]);
});
