import type { PluginInput } from "@opencode-ai/plugin";
import { describe, expect, it } from "vitest";
import { createOpenCodeHost } from "../../src/host/1/opencode.js";
import type { GenerateRequest } from "../../src/io/host.js";
import { createFakeClock } from "../support/fake-clock.js";

const never = () => new Promise<never>(() => {});
const settled = () => new Promise(setImmediate);
const TOKENS = { input: 90, output: 15, reasoning: 5, cache: { read: 7, write: 10 } };
const USED = { input: 100, output: 20, cacheRead: 7 };
const NOTHING = { input: 0, output: 0, cacheRead: 0 };

const answerOf = (text: string, info: object = {}) => ({
  info: { role: "assistant", tokens: TOKENS, ...info },
  parts: [{ type: "step-start" }, { type: "text", text }],
});

/** The host over a client whose sessions answer as given; what it was called with is kept. */
function open(session: Record<string, (options: never) => unknown> = {}) {
  const clock = createFakeClock();
  const calls: [name: string, options: unknown][] = [];
  const answers: Record<string, (options: never) => unknown> = {
    create: async () => ({ data: { id: "ses_own" } }),
    prompt: async () => ({ data: answerOf("written") }),
    messages: async () => ({ data: [{ info: { role: "user" }, parts: [] }, answerOf("written")] }),
    abort: async () => ({ data: true }),
    delete: async () => ({ data: true }),
    list: async () => ({ data: [] }),
    ...session,
  };
  const watched = Object.entries(answers).map(([name, answer]) => [
    name,
    (options: unknown) => {
      calls.push([name, options]);
      return answer(options as never);
    },
  ]);
  const client = { session: Object.fromEntries(watched) };
  const input = { client, directory: "/repo", worktree: "/repo" } as unknown as PluginInput;
  const processes = { ownID: 7, isRunning: (id: number | undefined) => id === 7 };
  const host = createOpenCodeHost(input, clock, processes);
  const end = new AbortController();
  const generate = (request: Partial<GenerateRequest> = {}) =>
    host.generate({
      parentID: "ses_1",
      title: "session notes",
      prompt: "write",
      maxAnswerTokens: 8_000,
      signal: end.signal,
      deadlineMs: 60_000,
      ...request,
    });
  return { clock, calls, host, end, generate, names: () => calls.map(([name]) => name) };
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
});
