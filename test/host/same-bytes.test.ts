/** Invariant 1 in the real OpenCode: a request begins with the bytes of the one before it. */
import { expect, test, vi } from "vitest";
import { hashOf } from "../../src/base/hash.js";
import type { ToolCosts } from "../../src/status/tool-costs.js";
import { patiently } from "../support/patience.js";
import { removeFolder } from "../support/remove-folder.js";
import { repository } from "./repository.js";
import { firstDifference, type ModelRequest } from "./stage/model-request.js";
import { openStage, type Stage } from "./stage/stage.js";
import { call, calls, say } from "./stage/steps.js";
import { strata } from "./stage/strata.js";
import { HOST } from "./stage/which-host.js";

/** A large result, the same whenever it is asked for; the output of the host's shell tool may be cut short under load. */
const large = (bytes: number) => call("mcp_blob", { bytes });

/** Fails with the index of the message where any request parts from the one before it. */
function expectGrowing(stage: Stage): void {
  const { requests } = stage.model;
  for (let index = 1; index < requests.length; index++) {
    const [earlier, later] = [requests[index - 1], requests[index]];
    if (earlier && later) expect(firstDifference(earlier, later), `request ${index}`).toBeUndefined();
  }
}

test("requests begin with the same bytes within a session, after SIGKILL and a new start, and in a fork", async () => {
  await using stage = await openStage({ mcp: true });
  const session = await stage.newSession("same bytes");
  stage.model.script(calls(large(80_000), call("mcp_blob", { bytes: 90_000 })), large(60_000), say("one"));
  await session.ask("go");
  await stage.restart();
  stage.model.script(large(120_000), say("two"));
  await stage.session(session.id).ask("go on");
  await stage.restart();
  const fork = await stage.session(session.id).fork();
  stage.model.script(large(100_000), say("three"));
  await fork.ask("and in the fork");
  expectGrowing(stage);
  expect(stage.model.requests).toHaveLength(7);
  expect(
    stage.model
      .lastRequest()
      .toolResults()
      .filter(({ text }) => text.startsWith("[Strata]")),
  ).toHaveLength(5);
});

test("a fork and its parent that both go on do not disturb each other", async () => {
  await using stage = await openStage({ mcp: true });
  const session = await stage.newSession("parent");
  stage.model.script(large(80_000), say("one"));
  await session.ask("go");
  const before = stage.model.lastRequest();
  const fork = await session.fork();
  stage.model.script(large(120_000), say("in the fork"));
  await fork.ask("you there");
  stage.model.script(large(120_000), say("in the parent"));
  await session.ask("you here");
  const mine = stage.model.requests.filter(({ sessionID }) => sessionID === session.id);
  for (const request of stage.model.requests.slice(-4))
    expect(firstDifference(before, request)).toBeUndefined();
  expect(mine).toHaveLength(4);
});

test("a provider that uses its call ids again gets each result in its own place", async () => {
  await using stage = await openStage({ mcp: true });
  const session = await stage.newSession("call ids");
  const sizes = [70_000, 80_000, 90_000];
  stage.model.script(...sizes.map((bytes) => call("mcp_blob", { bytes }, { id: "call_0" })), say("done"));
  await session.ask("go");
  expectGrowing(stage);
  const previews = stage.model.lastRequest().toolResults();
  expect(previews.map(({ text }) => /\(([\d,]+) bytes/.exec(text)?.[1])).toEqual([
    "70,000",
    "80,000",
    "90,000",
  ]);
});

test("another threshold that is set during a session changes nothing that was sent", async () => {
  await using stage = await openStage({
    mcp: true,
    options: { toolResults: { threshold: 100_000 } },
  });
  const session = await stage.newSession("thresholds");
  stage.model.script(calls(large(7_000), large(120_000)), say("one"));
  await session.ask("go");
  await stage.restart({ config: { plugin: [[repository, { toolResults: { threshold: 4_096 } }]] } });
  stage.model.script(call("mcp_blob", { bytes: 7_000 }, { id: "later" }), say("two"));
  await stage.session(session.id).ask("go on");
  expectGrowing(stage);
  const [first] = stage.model.lastRequest().toolResults();
  expect(first?.text).toHaveLength(7_000);
  expect(stage.model.lastRequest().toolResult("later")).toContain("[Strata]");
});

test("machine state that is deleted between two starts does not break the prefix of a session with spilled results", async () => {
  await using stage = await openStage({ mcp: true });
  const session = await stage.newSession("state");
  stage.model.script(large(80_000), say("one"));
  await session.ask("go");
  await stage.restart({
    meanwhile: ({ file }) => {
      removeFolder(file(".opencode/strata"));
      removeFolder(file(".opencode/tool-results"));
    },
  });
  stage.model.script(say("two"));
  await stage.session(session.id).ask("go on");
  expectGrowing(stage);
});

/** Characters of the definitions of OpenCode's own tools. */
const sizeOf = ({ tools }: ModelRequest): number =>
  JSON.stringify(tools.filter(({ function: { name } }) => !/^(memory_|fork$|lease$|send_)/.test(name)))
    .length;
/** Of these, but for one that names a folder of the stage. */
const describeShort = ({ tools }: ModelRequest): string =>
  tools
    .filter(({ function: { name } }) =>
      /^(edit|read|write|task|todowrite|execute|question|(?!send_)s\w+|grep)$/.test(name),
    )
    .map((tool) => tool.function.description)
    .join("\n");
const nameTools = ({ tools }: ModelRequest): string[] => tools.map((tool) => tool.function.name);

/** As written behind the last turn. */
const readToolCosts = (stage: Stage): Promise<ToolCosts> =>
  vi.waitUntil(
    () => {
      const { status, stdout } = strata(stage.project, "context", "--json");
      return status === 0 ? (JSON.parse(stdout) as { tools?: ToolCosts }).tools : undefined;
    },
    { timeout: patiently(20_000), interval: 100 },
  );

test("short definitions are the same bytes after a restart, in OpenCode 2 also with other settings by then, and strata context says what they save", async () => {
  const off = { config: { plugin: [[repository, { tools: { short: false, leaveOut: [] } }]] } };
  await using stage = await openStage({ options: { tools: { short: true, leaveOut: ["webfetch"] } } });
  const session = await stage.newSession("short");
  stage.model.script(call("glob", { pattern: "*.md" }), say("one"));
  await session.ask("go");
  const short = stage.model.lastRequest();
  // Another text would cost each running session its prompt cache.
  expect(hashOf(describeShort(short))).toBe(
    HOST === 1 ? "694cb99b45ba5161bac30ebff7f4fdb0" : "cfe87209b1e11b0d5a0a6142c1cd89f0",
  );
  await stage.restart(HOST === 2 ? off : {});
  stage.model.script(say("two"));
  await stage.session(session.id).ask("go on");
  expectGrowing(stage);
  const { advice, rows, tokens } = await readToolCosts(stage);
  expect(rows.find(({ name }) => name === "glob")).toMatchObject({ calls: 1, isLeftOut: false });
  expect(advice).toEqual([expect.stringMatching(/^tools\.short saves [\d,]+ tokens in each request\.$/)]);
  expect(rows.filter(({ isLeftOut }) => isLeftOut)).toHaveLength(HOST === 2 ? 1 : 0);
  if (HOST === 1) {
    const sent = short.tools.reduce((sum, tool) => sum + Math.ceil(JSON.stringify(tool).length / 4), 0);
    expect(tokens / sent).toBeCloseTo(1, 1);
    await stage.restart(off);
  }
  stage.model.script(say("three"));
  await (await stage.newSession("as the host has them")).ask("go");
  const whole = stage.model.lastRequest();
  expect(nameTools(whole).filter((name) => !nameTools(short).includes(name))).toEqual(
    HOST === 2 ? ["webfetch"] : [],
  );
  expect(sizeOf(short) / sizeOf(whole)).toBeLessThan(HOST === 1 ? 0.52 : 0.82);
});
