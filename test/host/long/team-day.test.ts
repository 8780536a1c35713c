/** A team's ordinary day with memories in git, in the real OpenCode: what is asked, and how often. */

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { patiently } from "../../support/patience.js";
import { untilDiskMoves } from "../../support/trust-world.js";
import { whenContains, whenFits } from "../stage/files.js";
import type { Project } from "../stage/project.js";
import { openStage, type Stage } from "../stage/stage.js";
import { say } from "../stage/steps.js";
import { strata } from "../stage/strata.js";

const RULE = ".opencode/memory/directive/tests.md";
const LOG = ".opencode/strata/strata.log";
const ASKED = "/memory-trust shows and accepts them";

function git({ path, folders }: Project, ...args: string[]): string {
  const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.invalid"];
  const env = { PATH: process.env.PATH, HOME: folders.home, GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("git", [...who, ...args], { cwd: path, env, encoding: "utf8", stdio: "pipe" });
}

function write(project: Project, path: string, text: string): void {
  mkdirSync(dirname(project.file(path)), { recursive: true });
  writeFileSync(project.file(path), text);
}

type Told = Record<"rules" | "team" | "others", string>;

/** What the first message of a new session is told. */
async function begin(stage: Stage, title: string): Promise<Told> {
  stage.model.script(say("ok"));
  const session = await stage.newSession(title);
  await session.ask("Hello.");
  const text = stage.model.lastRequest().textOf("user");
  const rules = /Rules of the user's[^\n]*\n((?:- .*\n?)*)/.exec(text)?.[1] ?? "";
  const others = /From files in this repository[^\n]*\n((?:- .*\n?)*)/.exec(text)?.[1] ?? "";
  const team = /From the user's team[^\n]*\n((?:- .*\n?)*)/.exec(text)?.[1] ?? "";
  return { rules, team, others };
}

/** What a person does when the turn is over and the plugin has heard of that, and some time before the next one. */
async function betweenTurns({ project }: Stage, work: () => void): Promise<void> {
  const folder = join(project.folders.state, "opencode-strata", "turns");
  const [name = ""] = readdirSync(folder).filter((one) => one.endsWith(".jsonl"));
  const count = (text: string, op: string): number => text.split(`"op":"${op}"`).length - 1;
  const isOver = (text: string): boolean => count(text, "begin") === count(text, "end");
  await whenFits(join(folder, name), isOver, "the end of each turn");
  untilDiskMoves(project.root);
  work();
  untilDiskMoves(project.root);
}

/** The same once a new session knows this rule: what changed on disk a moment ago, or on a busy machine, may come with the next one. */
async function beginWith(
  stage: Stage,
  title: string,
  rule: string,
  where: keyof Told = "rules",
): Promise<Told> {
  for (let tries = 1; ; tries++) {
    const told = await begin(stage, title);
    if (told[where].includes(rule) || tries === 5) return told;
  }
}

const countAsked = ({ project }: Stage): number =>
  readFileSync(project.file(LOG), "utf8").split(ASKED).length - 1;

test(
  "a team's day asks once for the clone and once for a pull, and never for what is done by hand",
  async () => {
    await using stage = await openStage({
      alone: true,
      isCloned: true,
      files: {
        [RULE]: "Run the tests before you push.\n",
        ".gitignore": ".opencode/strata\n.opencode/node_modules\n",
      },
    });
    const { project } = stage;
    const origin = `${project.path}-origin`;
    git(project, "clone", "-q", "--bare", project.path, origin);
    git(project, "remote", "add", "origin", origin);
    git(project, "push", "-q", "-u", "origin", "HEAD");

    const first = await beginWith(stage, "morning", "Run the tests", "others");
    await whenContains(project.file(LOG), ASKED);
    expect([first.rules, first.others]).toEqual(["", expect.stringContaining("Run the tests")]);
    const answer = await answered(stage, "memory-trust", "");
    expect(answer).toContain("directive/tests  Run the tests before you push.");
    expect(await answered(stage, "memory-trust", "yes")).toContain("1 memory counts as yours now");
    const second = await beginWith(stage, "later", "Run the tests");
    expect([second.rules, second.others]).toEqual([expect.stringContaining("Run the tests"), ""]);

    await betweenTurns(stage, () => {
      write(project, RULE, "Run all tests before you push.\n");
      write(project, ".opencode/memory/directive/tabs.md", "Use tabs, never spaces.\n");
    });
    const third = await beginWith(stage, "after an edit by hand", "Run all tests");
    expect(third.rules).toContain("Run all tests");
    expect(third.rules).toContain("Use tabs");
    await betweenTurns(stage, () =>
      write(project, ".opencode/memory/directive/quotes.md", "Use double quotes.\n"),
    );
    expect(strata(project, "remember", "knowledge: the port is 8080").status).toBe(0);
    expect(strata(project, "list").stdout).not.toContain("not yours");
    const afterCommand = await beginWith(stage, "after a command that writes", "Use double quotes");
    expect(afterCommand.rules).toContain("Use double quotes");
    git(project, "add", "-A");
    git(project, "commit", "-qm", "our rules");
    const fourth = await begin(stage, "after a commit");
    expect(fourth.rules).toContain("Run all tests");
    expect(countAsked(stage)).toBe(1);

    const theirs = {
      ...project,
      path: `${project.path}-theirs`,
      file: (path: string) => `${project.path}-theirs/${path}`,
    };
    git(project, "push", "-q");
    git(project, "clone", "-q", origin, theirs.path);
    write(theirs, RULE, "Run no tests, they are slow.\n");
    git(theirs, "commit", "-qam", "faster");
    git(theirs, "push", "-q");
    await betweenTurns(stage, () => git(project, "pull", "-q"));
    await begin(stage, "it is seen");
    await whenAsked(stage, 2);
    const fifth = await begin(stage, "after a pull");
    expect(fifth.rules).not.toContain("Run no tests");
    expect(fifth.rules).toContain("Use tabs");
    expect(fifth.others).toContain("Run no tests");
    await stage.restart();
    await begin(stage, "next morning");
    expect(countAsked(stage)).toBe(2);
    expect(await answered(stage, "memory-trust", "yes")).toContain("Run no tests");
    expect(await answered(stage, "memory-trust", "yes")).toContain("1 memory counts as yours now");
    expect((await beginWith(stage, "accepted", "Run no tests")).rules).toContain("Run no tests");
    expect(await answered(stage, "memory-trust", "undo")).toContain("Taken back: 1 memory");
    expect((await begin(stage, "taken back")).rules).not.toContain("Run no tests");
    expect(countAsked(stage)).toBe(2);
  },
  patiently(240_000),
);

test(
  "a team is asked about once: after a yes the other's memory is told with its author, and another address asks again",
  async () => {
    await using stage = await openStage({
      ...{ alone: true, isCloned: true },
      files: { ".gitignore": ".opencode/strata\n" },
    });
    const { project } = stage;
    const origin = `${project.path}-origin`;
    git(project, "clone", "-q", "--bare", project.path, origin);
    git(project, "remote", "add", "origin", origin);
    git(project, "push", "-q", "-u", "origin", "HEAD");
    const path = `${project.path}-theirs`;
    const theirs = { ...project, path, file: (name: string) => `${path}/${name}` };
    git(project, "clone", "-q", origin, path);
    const push = (name: string, text: string): void => {
      write(theirs, name, text);
      git(theirs, "add", "-A");
      git(theirs, "-c", "user.name=Grace Hopper", "commit", "-qm", name);
      git(theirs, "push", "-q");
    };
    push(RULE, "Run the tests before you push.\n");
    git(project, "pull", "-q");
    await beginWith(stage, "morning", "Run the tests", "others");
    await whenContains(project.file(LOG), `asks whether origin (${origin}) is your team's`);
    expect(await answered(stage, "memory-trust", "")).toContain(`1 memory here came from origin (${origin})`);
    expect(await answered(stage, "memory-trust", "team yes")).toContain("is your team's from now on");

    push(".opencode/memory/directive/port.md", "Never use port 8080.\n");
    await betweenTurns(stage, () => git(project, "pull", "-q"));
    const told = await beginWith(stage, "after a pull", "8080", "team");
    expect(told.team).toMatch(
      /Never use port 8080\. \(directive, by Grace Hopper in git, not said by the user/,
    );
    expect(told.team).toMatch(/Run the tests before you push\. \(directive, by Grace Hopper in git/);
    expect([told.rules, told.others]).toEqual(["", ""]);
    expect(countAsked(stage)).toBe(1);

    push(".opencode/memory/directive/tabs.md", "Use tabs.\n");
    await betweenTurns(stage, () => {
      git(project, "remote", "set-url", "origin", `${origin}/../other.git`);
      git(project, "pull", "-q", path, "HEAD");
    });
    expect((await beginWith(stage, "elsewhere", "8080", "others")).team).toBe("");
    await whenFits(
      project.file(LOG),
      (text) => /asks whether origin \(\S+other\) is/.test(text),
      "a question",
    );
    expect(await answered(stage, "memory-trust", "")).toMatch(
      /2 memories here came from origin \(\S+other\)/,
    );
  },
  patiently(240_000),
);

/** Resolves when it was asked so often. */
async function whenAsked({ project }: Stage, count: number): Promise<void> {
  const path = project.file(LOG);
  await whenFits(path, (text) => text.split(ASKED).length - 1 >= count, `${count} times "${ASKED}"`);
}

/** What a slash command shows; no model is asked. */
async function answered(stage: Stage, name: string, words: string): Promise<string> {
  const session = await stage.newSession(name);
  const before = stage.model.requests.length;
  // The host takes a command that was answered for one that failed.
  await session.command(name, words).catch(() => {});
  expect(stage.model.requests.length).toBe(before);
  const shown = (await session.messages()).flatMap(({ parts }) => parts);
  return shown.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
