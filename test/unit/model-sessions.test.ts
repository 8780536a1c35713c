/** Sessions that the plugin opens, over a client of OpenCode 1 that answers as given. */
import type { PluginInput } from "@opencode-ai/plugin";
import { describe, expect, it } from "vitest";
import { createOpenCodeHost } from "../../src/host/1/opencode.js";
import type { ForkRequest, GenerateRequest } from "../../src/io/host.js";
import { createFakeClock } from "../support/fake-clock.js";

const never = () => new Promise<never>(() => {});
const settled = () => new Promise(setImmediate);

type Answers = Record<string, (options: never) => unknown>;

/** The host over this client; what it was called with is kept. */
function openHost(
  plan: (clock: ReturnType<typeof createFakeClock>) => Answers,
  isRunning = (_id?: number) => true,
) {
  const clock = createFakeClock();
  const calls: [name: string, options: unknown][] = [];
  const watched = Object.entries(plan(clock)).map(([name, answer]) => [
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
  const host = createOpenCodeHost(input, clock, { ownID: 7, isRunning });
  return { calls, clock, end: new AbortController(), host, names: () => calls.map(([name]) => name) };
}

const TOKENS = { input: 90, output: 15, reasoning: 5, cache: { read: 7, write: 10 } };
const USED = { input: 100, output: 20, cacheRead: 7 };
const NOTHING = { input: 0, output: 0, cacheRead: 0 };

const answerOf = (text: string, info: object = {}) => ({
  info: { role: "assistant", tokens: TOKENS, ...info },
  parts: [{ type: "step-start" }, { type: "text", text }],
});

/** A host whose model writes a text. */
function open(session: Answers = {}) {
  const world = openHost(
    () => ({
      create: async () => ({ data: { id: "ses_own" } }),
      prompt: async () => ({ data: answerOf("written") }),
      messages: async () => ({ data: [{ info: { role: "user" }, parts: [] }, answerOf("written")] }),
      abort: async () => ({ data: true }),
      delete: async () => ({ data: true }),
      list: async () => ({ data: [] }),
      ...session,
    }),
    (id) => id === 7,
  );
  const generate = (request: Partial<GenerateRequest> = {}) =>
    world.host.generate({
      ...{ parentID: "ses_1", title: "session notes", prompt: "write", maxAnswerTokens: 8_000 },
      ...{ signal: world.end.signal, deadlineMs: 60_000, ...request },
    });
  return { ...world, generate };
}

describe("a text that a model writes for us", () => {
  it("a text that a model writes for us comes from a tagged child session of the hidden agent, which is removed", async () => {
    const { generate, calls, host } = open();
    expect(await generate({ model: "acme/small/1" })).toEqual({
      kind: "text",
      text: "written",
      tokens: USED,
    });
    const path = { id: "ses_own" };
    expect(calls).toEqual([
      ["create", { body: { parentID: "ses_1", title: "[strata] session notes · 7" } }],
      [
        "prompt",
        {
          path,
          body: {
            agent: "strata",
            model: { providerID: "acme", modelID: "small/1" },
            parts: [{ type: "text", text: "write" }],
          },
        },
      ],
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

  it("a text that a model writes for us counts every request of a turn that took several", async () => {
    const several = [answerOf(""), answerOf("written")];
    const { generate } = open({ messages: async () => ({ data: several }) });
    expect(await generate()).toMatchObject({ tokens: { input: 200, output: 40, cacheRead: 14 } });
  });

  it("a text that a model writes for us counts what the answer says where the host does not give the messages", async () => {
    const { generate } = open({ messages: async () => ({ error: {} }) });
    expect(await generate()).toMatchObject({ kind: "text", tokens: USED });
  });

  it("a text that a model writes for us is a failure when the provider refuses, with its status", async () => {
    const tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
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

  it("a text that a model writes for us is not begun when it is called off already", async () => {
    const { generate, end, names } = open();
    end.abort();
    expect(await generate()).toMatchObject({ kind: "failed", tokens: NOTHING });
    expect(names()).toEqual([]);
  });
});

describe("sessions of our own in the host's list", () => {
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

  it("sessions of our own in the host's list are not known when the host does not say", async () => {
    expect(await open({ list: async () => ({ error: {} }) }).host.listOwnSessions()).toBeUndefined();
  });

  it("sessions of our own in the host's list are gone when the host has removed them or does not have them", async () => {
    const removed = (answer: object) => open({ delete: async () => answer }).host.removeSession("ses_own");
    expect(await removed({ data: true })).toBe(true);
    expect(await removed({ error: {}, response: { status: 404 } })).toBe(true);
    expect(await removed({ error: {}, response: { status: 500 } })).toBe(false);
  });
});

const tokensOf = (input: number, read: number) => ({
  input,
  output: 9,
  reasoning: 1,
  cache: { read, write: 5 },
});

/** A host that forks. */
function openForks(given: Answers = {}) {
  const world = openHost((clock) => planForks(clock, given));
  const run = (request: Partial<ForkRequest> = {}) =>
    world.host.runFork({
      ...{ parentID: "ses_1", messageID: "msg_run", history: "shared", title: "find\nthe   callers" },
      ...{ prompt: "Find them.", signal: world.end.signal, deadlineMs: 60_000, maxTokens: 1_000, ...request },
    });
  return { ...world, run };
}

function planForks(clock: { now(): number }, given: Answers): Answers {
  const asked = {
    role: "user",
    agent: "plan",
    model: { providerID: "acme", modelID: "large", variant: "high" },
    tools: { bash: false },
    system: "Be short.",
  };
  const said = (text: string, info: object = {}) => ({
    info: {
      role: "assistant",
      id: "msg_a",
      tokens: tokensOf(15, 980),
      time: { created: clock.now() },
      ...info,
    },
    parts: [{ type: "text", text }],
  });
  return {
    message: async ({ path }: { path: { messageID: string } }) => ({
      data: { info: path.messageID === "msg_run" ? { role: "assistant", parentID: "msg_asked" } : asked },
    }),
    fork: async () => ({ data: { id: "ses_f" } }),
    create: async () => ({ data: { id: "ses_f" } }),
    get: async () => ({
      data: { title: "main", permission: [{ permission: "task", pattern: "*", action: "deny" }] },
    }),
    update: async () => ({ data: {} }),
    prompt: async () => ({ data: said(" It is 42. ") }),
    messages: async () => ({
      data: [
        said("before", { time: { created: clock.now() - 1 } }),
        said("It is 42."),
        said("", { tokens: tokensOf(1, 2) }),
      ],
    }),
    abort: async () => ({ data: true }),
    delete: async () => ({ data: true }),
    ...given,
  };
}

describe("a fork", () => {
  it("a fork ends before the running answer, is tagged, may no more than its parent, is asked as it was, and is removed", async () => {
    const { calls, host, names, run } = openForks();
    expect(await run()).toMatchObject({
      kind: "answered",
      text: "It is 42.",
      run: {
        first: { input: 20, output: 10, cacheRead: 980 },
        used: { input: 26, output: 20, cacheRead: 982 },
        requests: 2,
      },
    });
    expect(names()).toEqual(["message", "message", "get", "fork", "update", "prompt", "messages", "delete"]);
    const path = { id: "ses_f" };
    expect(calls.slice(2)).toEqual([
      ["get", { path: { id: "ses_1" } }],
      ["fork", { path: { id: "ses_1" }, body: { messageID: "msg_run" } }],
      [
        "update",
        {
          path,
          body: {
            title: "[strata fork] find the callers · 7",
            permission: [{ permission: "task", pattern: "*", action: "deny" }],
          },
        },
      ],
      [
        "prompt",
        {
          path,
          body: {
            agent: "plan",
            model: { providerID: "acme", modelID: "large" },
            variant: "high",
            tools: { bash: false },
            system: "Be short.",
            parts: [{ type: "text", text: "Find them." }],
          },
        },
      ],
      ["messages", { path }],
      ["delete", { path }],
    ]);
    expect([host.isFork("ses_f"), host.findAsker("ses_f"), host.isFork("ses_1")]).toEqual([
      true,
      "ses_1",
      false,
    ]);
  });

  it("a fork without a history is an empty child, which layers serve as any other", async () => {
    const { calls, host, run } = openForks();
    await run({ history: "none" });
    expect(calls[3]).toEqual([
      "create",
      { body: { parentID: "ses_1", title: "[strata fork] find the callers · 7" } },
    ]);
    expect([host.isFork("ses_f"), host.findAsker("ses_f")]).toEqual([false, "ses_1"]);
  });

  it("a fork that cannot be opened, or not be tagged, is refused, and nothing stays behind", async () => {
    const cases: [Parameters<typeof openForks>[0], string[]][] = [
      [{ message: async () => ({ error: {} }) }, ["message"]],
      [{ fork: async () => ({ error: {} }) }, ["message", "message", "get", "fork"]],
      [{ update: async () => ({ error: {} }) }, ["message", "message", "get", "fork", "update", "delete"]],
    ];
    for (const [given, expected] of cases) {
      const { names, run } = openForks(given);
      expect(await run()).toMatchObject({ kind: "refused" });
      expect(names()).toEqual(expected);
    }
    const { end, names, run } = openForks();
    end.abort();
    expect(await run()).toMatchObject({ kind: "refused" });
    expect(names()).not.toContain("fork");
  });

  it("a fork is broken off at the deadline, with the turn that asked, and when it takes too much; a cached token counts a tenth", async () => {
    const answered = (id: string, input: number, read: number) => ({
      info: {
        role: "assistant",
        id,
        sessionID: "ses_f",
        tokens: tokensOf(input, read),
        time: { created: 1, completed: 2 },
      },
    });
    const endings: [reason: string, act: (world: ReturnType<typeof openForks>) => void][] = [
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
      const world = openForks({ prompt: never });
      const running = world.run();
      await settled();
      act(world);
      expect(await running).toMatchObject({ kind: "failed", reason });
      expect(world.names().slice(-4)).toEqual(["prompt", "abort", "messages", "delete"]);
    }
  });

  it("a fork and what is below it are refused what only a person can give", async () => {
    const world = openForks({ prompt: never });
    const running = world.run();
    await settled();
    const { notice } = world.host.sessions;
    notice("session.created", { info: { id: "ses_below", parentID: "ses_f" } });
    notice("permission.asked", { id: "per_1", sessionID: "ses_f", permission: "bash", patterns: ["rm a"] });
    notice("question.asked", { id: "que_1", sessionID: "ses_below" });
    notice("permission.asked", { id: "per_2", sessionID: "ses_1", permission: "bash", patterns: ["ls"] });
    world.end.abort();
    expect(await running).toMatchObject({ run: { refusals: ["bash (rm a)", "an answer of the user's"] } });
    expect(world.calls.filter(([name]) => name.startsWith("refuse"))).toEqual([
      ["refuse permission", { path: { id: "ses_f", permissionID: "per_1" }, body: { response: "reject" } }],
      ["refuse question", { url: "/question/{requestID}/reject", path: { requestID: "que_1" } }],
    ]);
    expect(world.host.isFork("ses_below")).toBe(false);
    expect(world.host.findAsker("ses_below")).toBe("ses_1");
  });

  it("a fork is known and tagged from the host's first word of it, while it is copied; what a person forks at that moment stays theirs", async () => {
    let goOn = (): void => {};
    const world = openForks({
      fork: () =>
        new Promise((resolve) => {
          goOn = () => resolve({ data: { id: "ses_f" } });
        }),
    });
    const running = world.run();
    while (!world.names().includes("fork")) await settled();
    const { notice } = world.host.sessions;
    const report = (id: string, title: string) => notice("session.created", { info: { id, title } });
    report("ses_f", "main (fork #2)");
    report("ses_persons", "main (fork #3)");
    report("ses_other", "another (fork #1)");
    report("ses_new", "main");
    await settled();
    expect(["ses_f", "ses_other", "ses_new"].map(world.host.isFork)).toEqual([true, false, false]);
    const retitled = () =>
      world.calls.flatMap(([name, options]) => {
        const { body, path } = options as { body: { title: string }; path: { id: string } };
        return name === "update" ? `${path.id}: ${body.title}` : [];
      });
    expect(retitled()[0]).toBe("ses_f: [strata fork] find the callers · 7");
    goOn();
    await running;
    report("ses_later", "main (fork #4)");
    expect(["ses_f", "ses_persons", "ses_later"].map(world.host.isFork)).toEqual([true, false, false]);
    expect(retitled().findLast((line) => line.startsWith("ses_persons"))).toBe("ses_persons: main (fork #3)");
  });
});

it("forks that a process has left behind are listed by their title, and a person's session is not", async () => {
  const session = (id: string, title: string, parentID?: string) => ({
    id,
    title,
    parentID,
    time: { created: 1, updated: 2 },
  });
  const list = async () => ({
    data: [
      session("ses_f", "[strata fork] look · 9"),
      session("ses_c", "[strata fork] look · 9", "ses_1"),
      session("ses_g", "[strata] notes · 9", "ses_1"),
      session("ses_p", "[strata fork] look · 9 (fork #1)"),
      session("ses_q", "[strata] mine"),
    ],
  });
  const { host } = openForks({ list });
  expect((await host.listOwnSessions())?.map(({ id }) => id)).toEqual(["ses_f", "ses_c", "ses_g"]);
});
