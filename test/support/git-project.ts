/** A project in a real git repository, for each test of a file a new one. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { systemClock as clock } from "../../src/io/clock.js";
import { nodeFiles as files } from "../../src/io/node-files.js";
import { type Ran, runStrata } from "./shell.js";

export function useGitProject() {
  let project = "";
  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), "strata-kept-"));
    git("init", "-q", "-b", "main");
    write("opencode.json", "{}\n");
  });
  afterEach(() => rmSync(project, { recursive: true, force: true }));

  const at = (path: string): string => join(project, path);
  const read = (path: string): string => readFileSync(at(path), "utf8");
  const isThere = (path: string): boolean => existsSync(at(path));
  /** The texts that git sees, with their paths. */
  const seen = (): string => [...readSeen()].flat().join("\n");
  return { at, git, isThere, operations, read, readSeen, seen, strata, write };

  function git(...args: string[]): string {
    const who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    return execFileSync("git", [...who, ...args], { cwd: project, encoding: "utf8", stdio: "pipe" });
  }

  function write(path: string, text: string): void {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  }

  function strata(line: string): Promise<Ran> {
    const home = at(".git/home");
    const env = { XDG_CONFIG_HOME: `${home}/config`, XDG_STATE_HOME: `${home}/state` };
    return runStrata(files, line, { folder: project, clock, env });
  }

  /** Everything that `git add -A` would commit, by path. */
  function readSeen(): Map<string, string> {
    git("add", "-A");
    const paths = git("ls-files", "-z").split("\0").filter(Boolean);
    return new Map(paths.map((path) => [path, git("show", `:${path}`)]));
  }

  /** What the lines of a ledger did to memories with this word in their id. */
  function operations(folder: string, word = "tabs"): string[] {
    const names = isThere(folder) ? readdirSync(at(folder)) : [];
    const lines = names.flatMap((name) => read(`${folder}/${name}`).split("\n").filter(Boolean));
    const all = lines.map((line) => JSON.parse(line) as { key: string; operation: string });
    return all.filter(({ key }) => key.includes(word)).map(({ operation }) => operation);
  }
}
