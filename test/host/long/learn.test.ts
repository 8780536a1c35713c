/** `strata learn` and what the real OpenCode has stored: exports, its server, a server started for it. */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { only1 } from "../only-1.js";
import { whenContains } from "../stage/files.js";
import { isolation, runOpenCode } from "../stage/opencode.js";
import { openStage, type Stage } from "../stage/stage.js";
import { call, say } from "../stage/steps.js";
import { runStrata, type StrataRun } from "../stage/strata.js";
import { HOST } from "../stage/which-host.js";

const RULE = "From now on always indent with tabs.";
const PORT = "Remember: the staging port is 5432.";
const ONLY_IN_FORK = "Never push to main without asking.";

const contentsOf = ({ out }: StrataRun): unknown[] =>
  out === ""
    ? []
    : out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).content);

function learn({ project }: Stage, ...args: string[]): Promise<StrataRun> {
  // In the PATH of a test there is OpenCode 1 as well.
  const { PATH: _, ...env } = isolation(project);
  return runStrata(project, ["learn", ...args, "--json"], { env });
}

/** A session with a command's template, an attached file, a subagent and a fork, all with sentences that sound like rules. */
async function play(stage: Stage): Promise<string[]> {
  const asked = [say("ok"), say("checked"), say("read"), say("forked")];
  stage.model.script(...asked);
  const session = await stage.newSession("talk");
  await session.ask(RULE);
  await session.command("check", "the tests");
  const file = {
    mime: "text/plain",
    url: `file://${stage.project.file("rules.txt")}`,
    filename: "rules.txt",
  };
  await session.ask(PORT, { parts: [{ type: "file", ...file }] });
  const fork = await session.fork();
  await fork.ask(ONLY_IN_FORK);
  const args = {
    description: "sub",
    prompt: "From now on always answer in French.",
    subagent_type: "general",
  };
  stage.model.script(call("task", args), say("sub done"), say("done"));
  await session.ask("Use a subagent.");
  return [session.id, fork.id];
}

const FILES = {
  "rules.txt": "From now on always deploy on Fridays.",
  ".opencode/command/check.md": "---\ndescription: x\n---\nFrom now on always check $ARGUMENTS twice.",
};
const WANTED = [RULE, PORT, ONLY_IN_FORK];

test("strata learn reads the user's own words, once, from a running server, and from one that it starts", async () => {
  await using stage = await openStage({ plugin: [], files: FILES });
  const ids = await play(stage);
  const ofServer = await learn(stage, "--server", stage.host.url, "--dry-run");
  expect([ofServer.code, contentsOf(ofServer)]).toEqual([0, WANTED]);
  const ofSessions = await learn(stage, "--sessions");
  expect([ofSessions.code, ofSessions.out]).toEqual([0, ofServer.out]);
  const again = await learn(stage, "--sessions");
  expect([again.code, again.out]).toEqual([0, ""]);
  const [first] = JSON.parse((await runStrata(stage.project, ["list", "--json"])).out).memories;
  const said = (await stage.session(ids[0] ?? "").messages()).map(({ info }) => info.time.created);
  expect(said).toContain(Date.parse(first.created));
});

only1("it has no export command")("strata learn reads the same from exports", async () => {
  await using stage = await openStage({ plugin: [], files: FILES });
  const ids = await play(stage);
  const exports = await Promise.all(ids.map((id) => runOpenCode(stage.project, ["export", id])));
  const path = join(stage.project.root, "exports.json");
  writeFileSync(path, exports.map(({ out }) => out).join("\n"));
  const ofFile = await learn(stage, path, "--dry-run");
  expect([ofFile.code, contentsOf(ofFile)]).toEqual([0, WANTED]);
  const both = await learn(stage, path, "--sessions", "--dry-run");
  expect([both.code, both.out]).toEqual([0, ofFile.out]);
});

test("strata learn finds nothing new in a session that the plugin has listened to", async () => {
  await using stage = await openStage();
  stage.model.script(say("ok"), say("ok"));
  const session = await stage.newSession("talk");
  await session.ask(RULE);
  await session.ask(PORT);
  await whenContains(stage.project.file(".opencode/memory/MEMORY.md"), "tabs");
  await whenContains(stage.project.file(".opencode/memory/MEMORY.md"), "5432");
  const ran = await learn(stage, "--server", stage.host.url);
  expect([ran.code, ran.out]).toEqual([0, ""]);
  expect(ran.err).toContain("2 already known");
});

const SAID =
  "We had a long talk with the accountants last week. We number invoices per year, because the tax office in Lyon wants them without gaps. Mails about them go out at 23:00, when the shop in Berlin is closed. The old ones of 2019 lie in archive/invoices.csv, and nobody may change them.";

test("strata learn --judge asks the small model about past sessions, keeps what it proves, leaves no session behind, and asks once", async () => {
  await using stage = await openStage({ alone: true, plugin: [], config: { small_model: "mock/m2" } });
  const verdict = { quote: "m1.2", type: "decision", scope: "project", says: SAID.split(". ")[1] };
  const asked = (): string[] =>
    stage.model.requests
      .filter(({ body }) => body.model === "m2")
      .map(({ body }) => JSON.stringify(body))
      .filter((body) => body.includes("You decide what a coding agent"));
  stage.model.respond(({ body }) =>
    body.model === "m2" ? say(JSON.stringify([{ ...verdict, why: "a rule of the domain" }])) : undefined,
  );
  const session = await stage.newSession("talk");
  await session.ask(SAID);
  // OpenCode 2 answers questions without a session from the user's own configuration.
  const { folders } = stage.project;
  mkdirSync(join(folders.config, "opencode"), { recursive: true });
  copyFileSync(stage.project.configFile, join(folders.config, "opencode", "opencode.json"));
  const before = (await stage.host.sessions()).length;
  const ran = await learn(stage, "--sessions", "--judge", "--yes");
  expect(ran.err).toMatch(/1 session, 1 message that may hold something: 1 question, about [\d,]+ tokens/);
  expect([
    ran.code,
    ran.out
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  ]).toEqual([
    0,
    [expect.objectContaining({ type: "decision", candidate: false, why: "mock/m2: a rule of the domain" })],
  ]);
  expect(asked()).toHaveLength(1);
  // OpenCode 2 has no system prompt for such a question.
  if (HOST === 1) expect(asked()[0]).toContain("You are a background writer of opencode-strata");
  expect(
    stage.model.requests.filter(({ body }) => body.model === "m2").every(({ tools }) => tools.length === 0),
  ).toBe(true);
  expect(await stage.host.sessions()).toHaveLength(before);
  const again = await learn(stage, "--sessions", "--judge", "--yes");
  expect([again.code, again.out, asked().length]).toEqual([0, "", 1]);
  const { out } = await runStrata(stage.project, ["show", "invoices"], { env: isolation(stage.project) });
  expect(out).toContain("a small model (mock/m2: a rule of the domain)");
});
