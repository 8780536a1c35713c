/** The sessions of our own in OpenCode 1: children that a model writes in, and forks. */
import type { PluginInput } from "@opencode-ai/plugin";
import { expect, it } from "vitest";
import { createOpenCodeHost } from "../../src/host/1/opencode.js";
import type { ForkRequest, GenerateRequest } from "../../src/io/host.js";
import { createFakeClock } from "../support/fake-clock.js";

const never = () => new Promise<never>(() => {});
const settled = () => new Promise(setImmediate);
const countOf = (input: number, read: number) => ({
  ...{ input, output: 9, reasoning: 1 },
  cache: { read, write: 5 },
});
/** Of one answer, as it is counted for us. */
const USED = { input: 20, output: 10, cacheRead: 980 };
const NOTHING = { input: 0, output: 0, cacheRead: 0 };

const answerOf = (text: string, info: object = {}) => ({
  info: { role: "assistant", tokens: countOf(15, 980), time: { created: Number.MAX_VALUE }, ...info },
  parts: [{ type: "step-start" }, { type: "text", text }],
});

type Answers = Record<string, (options: never) => unknown>;

const PARENT = { title: "main", permission: [{ permission: "task", pattern: "*", action: "deny" }] };
const ASKED = {
  ...{ role: "user", agent: "plan", tools: { bash: false }, system: "Be short." },
  model: { providerID: "acme", modelID: "large", variant: "high" },
};

/** The host over a client whose sessions answer as given; what it was called with is kept. */
function open(given: Answers = {}) {
  const clock = createFakeClock();
  const calls: [name: string, options: unknown][] = [];
  const answers: Answers = {
    message: async ({ path }: { path: { messageID: string } }) => ({
      data: { info: path.messageID === "msg_run" ? { role: "assistant", parentID: "msg_asked" } : ASKED },
    }),
    fork: async () => ({ data: { id: "ses_own" } }),
    create: async () => ({ data: { id: "ses_own" } }),
    get: async () => ({ data: PARENT }),
    update: async () => ({ data: {} }),
    prompt: async () => ({ data: answerOf(" written ") }),
    messages: async () => ({
      data: [answerOf("before", { time: { created: 0 }, role: "user" }), answerOf("written")],
    }),
    abort: async () => ({ data: true }),
    delete: async () => ({ data: true }),
    list: async () => ({ data: [] }),
    ...given,
  };
  const watched = Object.entries(answers).map(([name, answer]) => [
    name,
    (options: unknown) => {
      calls.push([name, options]);
      return answer(options as never);
    },
  ]);
  const refuse = (name: string) => async (options: unknown) => void calls.push([name, options]);
  const client = {
    session: Object.fromEntries(watched),
    postSessionIdPermissionsPermissionId: refuse("refuse permission"),
    _client: { post: refuse("refuse question") },
  };
  const input = { client, directory: "/repo", worktree: "/repo" } as unknown as PluginInput;
  const host = createOpenCodeHost(input, clock, { ownID: 7, isRunning: (id) => id === 7 });
  const end = new AbortController();
  const asked = { parentID: "ses_1", signal: end.signal, deadlineMs: 60_000 };
  const generate = (request: Partial<GenerateRequest> = {}) =>
    host.generate({ ...asked, title: "session notes", prompt: "write", maxAnswerTokens: 8_000, ...request });
  const run = (request: Partial<ForkRequest> = {}) =>
    host.runFork({
      ...{ ...asked, messageID: "msg_run", history: "shared", maxTokens: 1_000 },
      ...{ title: "find\nthe   callers", prompt: "Find them.", ...request },
    });
  return { calls, clock, end, generate, host, names: () => calls.map(([name]) => name), run };
}

it("a text that a model writes for us comes from a tagged child session of the hidden agent, which is removed", async () => {
  const { generate, calls, host } = open();
  expect(await generate({ model: "acme/small/1" })).toEqual({
    kind: "text",
    text: " written ",
    tokens: USED,
  });
  const path = { id: "ses_own" };
  const model = { providerID: "acme", modelID: "small/1" };
  expect(calls).toEqual([
    ["create", { body: { parentID: "ses_1", title: "[strata] session notes · 7" } }],
    ["prompt", { path, body: { agent: "strata", model, parts: [{ type: "text", text: "write" }] } }],
    ["messages", { path }],
    ["delete", { path }],
  ]);
  expect([host.isOwnSession("ses_own"), host.isOwnSession("ses_1")]).toEqual([true, false]);
});

it("a text that a model writes for us is broken off at the deadline, when it is called off, and when the host would repeat a refusal", async () => {
  const refusal = { sessionID: "ses_own", status: { type: "retry", message: "too many requests" } };
  const endings: [string, object | undefined, (world: ReturnType<typeof open>) => void][] = [
    ["no answer within 60 s", undefined, ({ clock }) => clock.advance(60_000)],
    ["called off", undefined, ({ end }) => end.abort()],
    ["too many requests", NOTHING, ({ host }) => host.sessions.notice("session.status", refusal)],
  ];
  for (const [reason, tokens, act] of endings) {
    const messages = async () => ({ data: [] });
    const world = open({ prompt: never, messages });
    const generated = world.generate();
    await settled();
    act(world);
    expect(await generated).toEqual({ kind: "failed", reason, ...(tokens && { tokens }) });
    expect(world.names()).toEqual(["create", "prompt", "abort", "messages", "delete"]);
  }
});

it("a text that a model writes for us is a failure when the provider refuses, with its status", async () => {
  const tokens = { ...countOf(0, 0), output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
  const error = { name: "APIError", data: { message: "no key", statusCode: 401 } };
  const refused = answerOf("", { tokens, error });
  const { generate } = open({
    prompt: async () => ({ data: refused }),
    messages: async () => ({ data: [refused] }),
  });
  expect(await generate()).toEqual({ kind: "failed", reason: "no key", status: 401, tokens: NOTHING });
});

it("a text that a model writes for us is a failure when it is empty or was cut off, and what it cost is told", async () => {
  const failures: [object, string][] = [
    [answerOf(" \n"), "the answer is empty"],
    [answerOf("half", { finish: "length" }), "the answer was cut off at the model's output limit"],
  ];
  for (const [answer, reason] of failures) {
    const { generate } = open({ prompt: async () => ({ data: answer }) });
    expect(await generate()).toEqual({ kind: "failed", reason, tokens: USED });
  }
});

it("a text that a model writes for us is a failure and never an exception when the host refuses, throws or does not answer", async () => {
  const error = { name: "UnknownError", data: { message: "Unexpected" } };
  const empty = async () => ({ data: [] });
  const refusing = open({ prompt: async () => ({ error }), messages: empty });
  expect(await refusing.generate()).toEqual({ kind: "failed", reason: "the host refused: Unexpected" });
  const throwing = open({ prompt: () => Promise.reject(new Error("offline")), messages: empty });
  expect(await throwing.generate()).toEqual({ kind: "failed", reason: "offline" });
  expect(throwing.names()).toContain("delete");
  const unopened = open({ create: async () => ({ error }) });
  const reason = "the host opened no session for it";
  expect(await unopened.generate()).toEqual({ kind: "failed", reason, tokens: NOTHING });
  expect(unopened.names()).toEqual(["create"]);
});

it("a text that a model writes for us leaves no session behind that the host opened too late", async () => {
  let answer = (_created: object): void => {};
  const { generate, clock, names } = open({
    create: () => new Promise((resolve) => (answer = resolve)),
  });
  const generated = generate();
  await settled();
  clock.advance(5_000);
  expect(await generated).toMatchObject({ kind: "failed" });
  answer({ data: { id: "ses_late" } });
  await settled();
  expect(names()).toEqual(["create", "delete"]);
});

it("sessions of our own in the host's list are those with our title and a parent, with whether who opened them still runs", async () => {
  const session = (id: string, title: string, parentID?: string) => ({
    id,
    title,
    ...(parentID && { parentID }),
    time: { created: 1, updated: 2 },
  });
  const data = [
    session("live", "[strata] notes · 7", "ses_1"),
    session("left", "[strata] notes · 8", "ses_1"),
    session("users", "[strata] a user's own"),
    session("other", "notes on [strata] sessions", "ses_1"),
  ];
  const { host } = open({ list: async () => ({ data }) });
  expect(await host.listOwnSessions()).toEqual([
    { id: "live", updatedMs: 2, openedBy: "running" },
    { id: "left", updatedMs: 2, openedBy: "ended" },
  ]);
});

it("a fork ends before the running answer, is tagged, may no more than its parent, is asked as it was, and is removed", async () => {
  const { calls, host, names, run } = open();
  expect(await run()).toMatchObject({
    kind: "answered",
    text: "written",
    run: { first: USED, used: USED, requests: 1 },
  });
  expect(names()).toEqual(["message", "message", "get", "fork", "update", "prompt", "messages", "delete"]);
  const path = { id: "ses_own" };
  const { role: _, model, ...rest } = ASKED;
  const manner = { ...rest, model: { providerID: "acme", modelID: "large" }, variant: model.variant };
  expect(calls.slice(2)).toEqual([
    ["get", { path: { id: "ses_1" } }],
    ["fork", { path: { id: "ses_1" }, body: { messageID: "msg_run" } }],
    [
      "update",
      { path, body: { title: "[strata fork] find the callers · 7", permission: PARENT.permission } },
    ],
    ["prompt", { path, body: { ...manner, parts: [{ type: "text", text: "Find them." }] } }],
    ["messages", { path }],
    ["delete", { path }],
  ]);
  expect([host.isFork("ses_own"), host.findAsker("ses_own"), host.isFork("ses_1")]).toEqual([
    true,
    "ses_1",
    false,
  ]);
});

it("a fork is broken off at the deadline, with the turn that asked, and when it takes too much; a cached token counts a tenth", async () => {
  const answered = (id: string, input: number, read: number) => ({
    info: {
      role: "assistant",
      id,
      sessionID: "ses_own",
      tokens: countOf(input, read),
      time: { created: 1, completed: 2 },
    },
  });
  const endings: [reason: string, act: (world: ReturnType<typeof open>) => void][] = [
    ["no answer within 60 s", ({ clock }) => clock.advance(60_000)],
    ["called off", ({ end }) => end.abort()],
    [
      "it took more than 1000 tokens",
      ({ host }) => {
        // 485 + 500, told twice, then one more: 15 + 500 are too many.
        for (const id of ["a", "a"]) host.sessions.notice("message.updated", answered(id, 470, 5_000));
        host.sessions.notice("message.updated", answered("b", 10, 100));
      },
    ],
  ];
  for (const [reason, act] of endings) {
    const world = open({ prompt: never });
    const running = world.run();
    await settled();
    act(world);
    expect(await running).toMatchObject({ kind: "failed", reason });
    expect(world.names().slice(-4)).toEqual(["prompt", "abort", "messages", "delete"]);
  }
});

it("a fork and what is below it are refused what only a person can give", async () => {
  const world = open({ prompt: never });
  const running = world.run();
  await settled();
  const { notice } = world.host.sessions;
  notice("session.created", { info: { id: "ses_below", parentID: "ses_own" } });
  notice("permission.asked", { id: "per_1", sessionID: "ses_own", permission: "bash", patterns: ["rm a"] });
  notice("question.asked", { id: "que_1", sessionID: "ses_below" });
  notice("permission.asked", { id: "per_2", sessionID: "ses_1", permission: "bash", patterns: ["ls"] });
  world.end.abort();
  expect(await running).toMatchObject({ run: { refusals: ["bash (rm a)", "an answer of the user's"] } });
  expect(world.calls.filter(([name]) => name.startsWith("refuse"))).toEqual([
    ["refuse permission", { path: { id: "ses_own", permissionID: "per_1" }, body: { response: "reject" } }],
    ["refuse question", { url: "/question/{requestID}/reject", path: { requestID: "que_1" } }],
  ]);
  expect(world.host.isFork("ses_below")).toBe(false);
  expect(world.host.findAsker("ses_below")).toBe("ses_1");
});
