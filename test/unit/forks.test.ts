import type { PluginInput } from "@opencode-ai/plugin";
import { describe, expect, it } from "vitest";
import { createOpenCodeHost } from "../../src/host/1/opencode.js";
import type { ForkRequest } from "../../src/io/host.js";
import { createFakeClock } from "../support/fake-clock.js";

const never = () => new Promise<never>(() => {});
const settled = () => new Promise(setImmediate);
const tokens = (input: number, read: number) => ({
  input,
  output: 9,
  reasoning: 1,
  cache: { read, write: 5 },
});

/** The host over a client that does as given; what it was called with is kept. */
function open(given: Record<string, (options: never) => unknown> = {}) {
  const clock = createFakeClock();
  const calls: [name: string, options: unknown][] = [];
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
      tokens: tokens(15, 980),
      time: { created: clock.now() },
      ...info,
    },
    parts: [{ type: "text", text }],
  });
  const answers: Record<string, (options: never) => unknown> = {
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
        said("", { tokens: tokens(1, 2) }),
      ],
    }),
    abort: async () => ({ data: true }),
    delete: async () => ({ data: true }),
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
  const host = createOpenCodeHost(input, clock, { ownID: 7, isRunning: () => true });
  const end = new AbortController();
  const run = (request: Partial<ForkRequest> = {}) =>
    host.runFork({
      parentID: "ses_1",
      messageID: "msg_run",
      history: "shared",
      title: "find\nthe   callers",
      prompt: "Find them.",
      signal: end.signal,
      deadlineMs: 60_000,
      maxTokens: 1_000,
      ...request,
    });
  return { calls, clock, end, host, run, names: () => calls.map(([name]) => name) };
}

describe("a fork", () => {
  it("a fork ends before the running answer, is tagged, may no more than its parent, is asked as it was, and is removed", async () => {
    const { calls, host, names, run } = open();
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

  it("a fork is broken off at the deadline, with the turn that asked, and when it takes too much; a cached token counts a tenth", async () => {
    const answered = (id: string, input: number, read: number) => ({
      info: {
        role: "assistant",
        id,
        sessionID: "ses_f",
        tokens: tokens(input, read),
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
});
