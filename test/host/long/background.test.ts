/** Model calls of our own in the real OpenCode: what is sent, what is left behind, and what it costs. */
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import type { UsedTokens } from "../../../src/io/host.js";
import { HEARD, writingPlugin } from "../fixtures/writing-plugin.js";
import { only1 } from "../only-1.js";
import { whenContains } from "../stage/files.js";
import type { ModelRequest } from "../stage/model-request.js";
import { startOpenCode } from "../stage/opencode.js";
import { openStage, type Stage } from "../stage/stage.js";
import { call, fail, type Step, say, stall } from "../stage/steps.js";
import { HOST } from "../stage/which-host.js";

const PROMPT = `Summarise this.\n${"a line of the material\n".repeat(4_000)}`;
const SETTINGS = { plugin: [], mcp: true, config: { small_model: "mock/m2" } };
const PLUGIN = ".opencode/plugin/writing.js";

/** A host whose small model does this with what our own sessions ask, and a session to begin with. */
async function openWriting(step: (request: ModelRequest) => Step): Promise<Stage> {
  const stage = await openStage({ ...SETTINGS, files: { [PLUGIN]: writingPlugin(PROMPT) } });
  stage.model.respond((request) => (isOwn(request) ? step(request) : undefined));
  return stage;
}

const isOwn = (request: ModelRequest): boolean => request.body.model === "m2";
const whenLogged = (stage: Stage, text: string) =>
  whenContains(stage.project.file(".opencode/strata/strata.log"), text);

interface SessionRecord {
  id: string;
  title: string;
  parentID?: string;
}

async function listOwn({ host }: Pick<Stage, "host">): Promise<SessionRecord[]> {
  const sessions = await host.sessions();
  return sessions.filter(({ title }) => title.startsWith("[strata] "));
}

interface LayerCall {
  hook?: string;
  type?: string;
  sessionID?: string;
  result?: { kind: string; text?: string; why?: string };
  status?: object;
  models?: object;
}

/** What the plugin noted, once it has the result of its call. */
async function hear(stage: Stage): Promise<LayerCall[]> {
  await whenContains(stage.project.file(HEARD), '"result"');
  const lines = stage.read(HEARD).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as LayerCall);
}

const resultOf = (heard: LayerCall[]) => heard.find(({ result }) => result)?.result;

function readBudget(stage: Stage): Record<string, unknown>[] {
  const folder = ".opencode/strata/state/background";
  const [name = ""] = readdirSync(stage.project.file(folder));
  const lines = stage.read(`${folder}/${name}`).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("a model call of our own is one request without tools that no layer sees or changes, and it leaves nothing behind", async () => {
  await using stage = await openWriting(() => say("the summary"));
  const session = await stage.newSession("main");
  expect((await session.ask("hello")).text).toBe("ok");
  const heard = await hear(stage);
  expect(resultOf(heard)).toMatchObject({ kind: "text", text: "the summary" });

  const [request, ...others] = stage.model.requests.filter(isOwn);
  expect(others).toEqual([]);
  expect(stage.model.titleRequests).toEqual([]);
  expect(request?.tools).toEqual([]);
  expect(request?.textOf("user")).toBe(PROMPT);

  const seen = heard.filter(({ hook }) => hook === "context").map(({ sessionID }) => sessionID);
  expect(seen).toEqual(seen.map(() => session.id));
  expect(await listOwn(stage)).toEqual([]);

  const [reserved, spent] = readBudget(stage);
  expect(reserved).toMatchObject({ kind: "reserved", purpose: "test notes", session: session.id });
  const { promptTokens = 0, outputTokens = 0 } = request ?? {};
  expect(reserved?.tokens).toBeGreaterThan(promptTokens + 8_000);
  expect(spent).toMatchObject({ kind: "spent", id: reserved?.id });
  const { cacheRead, input, output } = (spent?.tokens ?? {}) as UsedTokens;
  // OpenCode 2 reports no usage: it is estimated.
  expect(Math.abs((input + output + cacheRead) / (promptTokens + outputTokens) - 1)).toBeLessThan(0.15);
  expect(heard.at(-1)).toMatchObject({
    models: { main: "mock/m1", small: "mock/m2" },
    status: { isAllowed: true, model: "mock/m2" },
  });
});

only1("a background call has no session")(
  "a model call of our own is made by a child session with an agent of ours, and its tokens are those the model reported",
  async () => {
    await using stage = await openWriting(() => say("the summary"));
    const session = await stage.newSession("main");
    await session.ask("hello");
    const heard = (await hear(stage)).filter(({ hook }) => hook);
    expect(heard.map(({ sessionID }) => sessionID ?? session.id)).toEqual(heard.map(() => session.id));
    const [request] = stage.model.requests.filter(isOwn);
    expect(request?.body).toMatchObject({ max_tokens: 8_000 });
    expect(request?.textOf("system")).toMatch(
      /^You are a background writer of opencode-strata, [\s\S]*\nYou are powered by/,
    );
    expect(request?.parentSessionID).toBe(session.id);
    await expect(stage.session(request?.sessionID ?? "").info()).rejects.toThrow("404");
    const { promptTokens = 0, cachedTokens = 0, outputTokens = 0 } = request ?? {};
    const tokens = { input: promptTokens - cachedTokens, output: outputTokens, cacheRead: cachedTokens };
    expect(readBudget(stage)[1]).toMatchObject({ tokens });
  },
);

test("a refused model call of our own is one request, which the host would repeat without end, and the next call waits", async () => {
  await using stage = await openWriting(() => fail(429));
  const session = await stage.newSession("main");
  await session.ask("hello");
  expect(resultOf(await hear(stage))).toEqual({ kind: "failed", why: "scripted failure 429" });
  expect(await listOwn(stage)).toEqual([]);
  await session.ask("again");
  await whenContains(stage.project.file(HEARD), '"refused"');
  expect(stage.model.requests.filter(isOwn)).toHaveLength(1);
  await whenLogged(stage, "test notes: scripted failure 429 (tokens in ");
  await whenLogged(stage, "no model call for 30 s");
});

test("a background model that calls tools it does not have is stopped, and what it cost is counted", async () => {
  await using stage = await openWriting(() => call("bash", { command: "touch made-by-model" }));
  await (await stage.newSession("main")).ask("hello");
  expect(resultOf(await hear(stage))).toMatchObject({ kind: "failed" });
  expect(stage.model.requests.filter(isOwn).length).toBeLessThanOrEqual(2);
  expect(await listOwn(stage)).toEqual([]);
  expect(readdirSync(stage.project.path)).not.toContain("made-by-model");
});

only1("a background call has no session")(
  "background sessions that killed hosts leave behind go at the next start, and that of a running host stays",
  async () => {
    await using stage = await openWriting(() => stall());
    const main = await stage.newSession("main");
    await main.ask("hello");
    await stage.model.waitForRequest(isOwn);
    const [running] = await listOwn(stage);
    expect(running?.title).toBe(`[strata] test notes · ${stage.host.pid}`);
    const left = { parentID: main.id, title: "[strata] test notes · 999999999" };
    await stage.host.api("POST", "/session", left);

    const second = await startOpenCode({ project: stage.project });
    try {
      await (await second.newSession("beside")).ask("hello");
      await whenLogged(stage, "removed 1 leftover sessions of the plugin");
      await stage.model.waitForRequest(
        (request) => stage.model.requests.filter(isOwn).indexOf(request) === 1,
      );
      const titles = (await listOwn(stage)).map(({ title }) => title);
      expect(titles.sort()).toEqual(
        [stage.host.pid, second.pid].map((pid) => `[strata] test notes · ${pid}`).sort(),
      );
    } finally {
      await second.kill();
    }

    await stage.restart({ kill: true });
    await stage.newSession("next");
    await whenLogged(stage, "removed 2 leftover sessions of the plugin");
    expect(await listOwn(stage)).toEqual([]);
  },
);

test("the agent of our own sessions changes no byte of any other request", async () => {
  const play = async (options: Record<string, unknown>) => {
    await using stage = await openStage({ options, files: { "a.txt": "one\n" } });
    stage.model.script(call("read", { filePath: stage.project.file("a.txt") }, { id: "r" }), say("done"));
    const session = await stage.newSession("agent");
    await session.ask("go");
    const agents = await stage.host.agents();
    const requests = stage.model.requests.map(({ prompt }) => prompt).join("\n");
    return {
      hasAgent: agents.some(({ name }) => name === "strata"),
      requests: requests.replaceAll(stage.project.path, "PROJECT").replaceAll(session.id, "SESSION"),
    };
  };
  const without = await play({ background: { enabled: false } });
  const having = await play({ background: { enabled: true } });
  expect([without.hasAgent, having.hasAgent]).toEqual([false, HOST === 1]);
  expect(having.requests).toBe(without.requests);
});
