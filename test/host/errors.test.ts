/** What failed before, in the real OpenCode: errors.log, and what the next one who does it is told. */
import { expect, test } from "vitest";
import { whenContains } from "./stage/files.js";
import { firstDifference } from "./stage/model-request.js";
import { openStage, type Stage } from "./stage/stage.js";
import { call, type Step, say } from "./stage/steps.js";

const LOG = ".opencode/memory/errors.log";
const FILES = { "docs/notes/plan.md": "the plan\n" };

const run = (command: string, id: string) => call("bash", { command, description: "run" }, { id });

/** A session that goes through these steps; every request begins with the bytes of the one before. */
async function play(stage: Stage, title: string, ...steps: Step[]): Promise<void> {
  const session = await stage.newSession(title);
  const from = stage.model.requests.length;
  stage.model.script(...steps, say("done"));
  await session.ask("go");
  const requests = stage.model.requests.slice(from);
  expect(requests).toHaveLength(steps.length + 1);
  for (const [index, request] of requests.slice(1).entries())
    expect(firstDifference(requests[index] ?? request, request), `request ${index + 1}`).toBeUndefined();
}

const resultOf = (stage: Stage, id: string): string => stage.model.lastRequest().toolResult(id) ?? "";
const today = (): string => new Date().toISOString().slice(0, 10);

test("a session whose command fails as one failed before is told when that was, and what worked", async () => {
  await using stage = await openStage({ files: FILES });
  await play(stage, "first", run("cat notes/plan.md", "wrong"), run("cat docs/notes/plan.md", "right"));
  expect(resultOf(stage, "wrong")).not.toContain("[Strata]");
  await whenContains(stage.project.file(LOG), "worked as: cat docs/notes/plan.md");
  expect(stage.read(LOG)).toMatch(
    /^[\d-]{10} [\d:]{8} {2}failed {4}bash {2}cat notes\/plan\.md {2}exit 1: cat: notes\/plan\.md: No such file or directory {2}attempt 1 {2}\[ses_/,
  );

  await stage.restart();
  await play(stage, "second", run("cat notes/plan.md", "again"), run("ls docs", "fine"));
  expect(resultOf(stage, "again")).toContain(
    `This very call failed the same way once before, on ${today()} (${LOG}). What came of it on ${today()}: "worked as: cat docs/notes/plan.md"`,
  );
  expect(resultOf(stage, "fine")).not.toContain("[Strata]");
});

test("a session learns of an earlier session's failure with its first message, before it makes the call", async () => {
  await using stage = await openStage({ files: FILES });
  await play(stage, "first", run("cat notes/plan.md", "wrong"), run("cat docs/notes/plan.md", "right"));
  await whenContains(stage.project.file(LOG), "worked as: cat docs/notes/plan.md");
  await stage.restart();
  await play(stage, "second", run("cat docs/notes/plan.md", "right"));
  const [told = ""] =
    /\[Strata\] Calls that failed here before[\s\S]*?\n- .*/.exec(stage.model.lastRequest().textOf("user")) ??
    [];
  expect(told).toContain(
    `- bash "cat notes/plan.md" failed once, last on ${today()}: "exit 1: cat: notes/plan.md: No such file or directory". What came of it: "worked as: cat docs/notes/plan.md"`,
  );
});
