/** The tool `fork` in the real OpenCode: what its helpers are sent, what the cache gives, what is left behind. */

import { expect, test } from "vitest";
import { patiently } from "../support/patience.js";
import { whenContains } from "./stage/files.js";
import { firstDifference, type ModelRequest } from "./stage/model-request.js";
import { openStage, type Stage } from "./stage/stage.js";
import { call, calls, say, stall } from "./stage/steps.js";

const large = (bytes: number) => call("mcp_blob", { bytes });
const FILES = { "a.txt": "one\n" };
const open = (options: Record<string, unknown> = {}, config: Record<string, unknown> = {}) =>
  openStage({ mcp: true, options, config, files: FILES });
const ofForks = ({ model }: Stage, sessionID: string): ModelRequest[] =>
  model.requests.filter((request) => request.sessionID !== sessionID);
const taskOf = (request: ModelRequest): string =>
  /The task:\n([^"\\]*)/.exec(request.textOf("user"))?.[1] ?? "";

/** Every session that is not the one the test has opened. */
async function listOthers({ host }: Stage, sessionID: string): Promise<string[]> {
  const sessions = await host.sessions();
  return sessions.filter(({ id }) => id !== sessionID).map(({ title }) => title);
}

/** The first requests of the forks begin with the parent's last one, as the model counts it and to the byte. */
function expectShared(stage: Stage, sessionID: string, count: number): void {
  const parents = stage.model.requests.filter((request) => request.sessionID === sessionID);
  const firsts = [
    ...new Map(
      ofForks(stage, sessionID)
        .toReversed()
        .map((one) => [one.sessionID, one]),
    ).values(),
  ];
  expect(firsts).toHaveLength(count);
  const before = parents.findLast(({ at }) => firsts.every((first) => at <= first.at));
  if (!before) throw new Error("the parent has sent nothing before its forks");
  for (const first of firsts) {
    expect(firstDifference(before, first)).toBeUndefined();
    expect(first.cachedTokens / first.promptTokens).toBeGreaterThanOrEqual(0.95);
  }
}

test("a forked task runs on a copy that begins with the parent's bytes, brings back its answer and what the cache gave, and leaves no copy", async () => {
  await using stage = await openStage({ mcp: true, files: FILES });
  const session = await stage.newSession("one fork");
  stage.model.respond((request) => (taskOf(request) === "" ? undefined : say("It is 42.")));
  stage.model.script(large(9_000), call("fork", { tasks: ["What is it?"] }, { id: "f" }), say("done"));
  expect((await session.ask("go")).text).toBe("done");
  expectShared(stage, session.id, 1);
  const told = stage.model.lastRequest().toolResult("f");
  expect(told).toContain("=== fork 1 of 1: What is it?\nIt is 42.");
  const [first] = ofForks(stage, session.id);
  expect(told).toContain(`of ${first?.promptTokens.toLocaleString("en-US")} prompt tokens from the cache (9`);
  expect(await listOthers(stage, session.id)).toEqual([]);
  await whenContains(
    stage.project.file(`.opencode/session-memory/${session.id}.md`),
    '"What is it?" found: "It is 42."',
  );
});

test("five forked tasks at once share one prefix, also after results were cleared and history was cut in the parent", async () => {
  await using stage = await open(
    { microCompact: { floor: 1_000, keepRecent: 1 }, autoCompact: { threshold: 22_000 } },
    { provider: { mock: { models: { m1: { limit: { context: 60_000, output: 4_000 } } } } } },
  );
  const session = await stage.newSession("five forks");
  stage.model.respond((request) => (taskOf(request) === "" ? undefined : say(`about ${taskOf(request)}`)));
  for (let turn = 0; turn < 6; turn++) {
    stage.model.script(
      large(19_000),
      call("bash", { command: "seq 1 3000", description: "count" }),
      say("on"),
    );
    await session.ask(`turn ${turn}`);
  }
  await whenContains(stage.project.file(`.opencode/strata/savings/${session.id}.jsonl`), '"event":"cut"');
  const tasks = ["A", "B", "C", "D", "E"];
  stage.model.script(call("fork", { tasks }, { id: "f" }), say("done"));
  await session.ask("now look");
  expectShared(stage, session.id, 5);
  const told = stage.model.lastRequest().toolResult("f");
  for (const [index, task] of tasks.entries())
    expect(told).toContain(`=== fork ${index + 1} of 5: ${task}\nabout ${task}\n`);
  expect(told.match(/from the cache \((9[5-9]\.\d|100\.0) %\)/g)).toHaveLength(5);
  expect(await listOthers(stage, session.id)).toEqual([]);
});

test("a forked copy uses its tools with layer 1 alone, makes no copies, keeps no notes, and is refused what it would have to ask for", async () => {
  await using stage = await open({}, { permission: { "*": "allow", webfetch: "ask" } });
  const session = await stage.newSession("at work");
  const steps = [
    call("read", { filePath: stage.project.file("a.txt") }),
    large(40_000),
    call("fork", { tasks: ["deeper"] }, { id: "deeper" }),
    call("webfetch", { url: "http://127.0.0.1:9/", format: "text" }),
  ];
  stage.model.respond((request) => (taskOf(request) === "" ? undefined : (steps.shift() ?? say("never"))));
  stage.model.script(call("fork", { tasks: ["work"] }, { id: "f" }), say("done"));
  await session.ask("go");
  const last = ofForks(stage, session.id).at(-1);
  expect(last?.toolResult("deeper")).toContain("a copy makes no copies");
  expect(last?.toolResults().some(({ text }) => text.startsWith("[Strata] This mcp_blob result"))).toBe(true);
  const told = stage.model.lastRequest().toolResult("f");
  expect(told).toContain("No report: it ended without an answer.");
  expect(told).toContain("[Strata] read: a.txt");
  expect(told).toContain("refused, because nobody could be asked: webfetch (http://127.0.0.1:9/)");
  expect(await listOthers(stage, session.id)).toEqual([]);
  expect(() => stage.read(`.opencode/session-memory/${last?.sessionID}.md`)).toThrow();
});

test("an ended turn ends its copies, and those that a killed host leaves behind go at the next start", async () => {
  await using stage = await openStage({ mcp: true, files: FILES });
  const session = await stage.newSession("ended");
  stage.model.respond((request) => (taskOf(request) === "" ? undefined : stall()));
  const fork = calls(call("fork", { tasks: ["one", "two"] }));
  stage.model.script(fork);
  const turn = session.ask("go").catch(() => undefined);
  await stage.model.waitForRequest((request) => taskOf(request) === "two");
  expect((await listOthers(stage, session.id)).sort()).toEqual([
    `[strata fork] one · ${stage.host.pid}`,
    `[strata fork] two · ${stage.host.pid}`,
  ]);
  await session.abort();
  await turn;
  const gone = async () => (await listOthers(stage, session.id)).length === 0;
  await expect.poll(gone, { timeout: patiently(10_000) }).toBe(true);

  stage.model.script(fork);
  void session.ask("again").catch(() => undefined);
  await stage.model.waitForRequest(
    (request) => stage.model.requests.filter((one) => taskOf(one) === "two").indexOf(request) === 1,
  );
  await stage.restart({ kill: true });
  await stage.newSession("next");
  await whenContains(
    stage.project.file(".opencode/strata/strata.log"),
    "removed 2 leftover sessions of the plugin",
  );
  expect((await listOthers(stage, session.id)).filter((title) => title.startsWith("[strata"))).toEqual([]);
});
