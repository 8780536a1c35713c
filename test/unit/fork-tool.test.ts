import { describe, expect, it } from "vitest";
import type { ForkResult } from "../../src/io/host.js";
import { runOf } from "../support/fake-host.js";
import { call, user } from "../support/messages.js";
import { createSession } from "../support/session.js";
import { type LayerFactory, openWorld, type World } from "../support/world.js";

const signal = new AbortController().signal;

function fork(world: World, tasks: string[], sessionID = "ses_1"): Promise<string> {
  const tool = world.strata.dispatcher.tools.find(({ name }) => name === "fork");
  if (!tool) throw new Error("there is no fork");
  return tool.execute({ tasks }, { tool: "fork", sessionID, callID: "call_1", messageID: "msg_run" }, signal);
}

describe("the tool fork", () => {
  it("the tool fork has each task done on the history before the running answer, side by side, and answers in the order asked", async () => {
    const world = await openWorld();
    const waiting = new Map<string, (result: ForkResult) => void>();
    world.host.respondForked = ({ title }) => new Promise((resolve) => void waiting.set(title, resolve));
    const running = fork(world, ["one", "two"]);
    while (waiting.size < 2) await new Promise(setImmediate);
    for (const title of ["two", "one"])
      waiting.get(title)?.({ kind: "answered", text: `${title}!`, run: runOf() });
    expect((await running).match(/^(===.*|one!|two!)$/gm)).toEqual([
      "=== fork 1 of 2: one",
      "one!",
      "=== fork 2 of 2: two",
      "two!",
    ]);
    expect(world.host.forked).toMatchObject(
      ["one", "two"].map((title) => ({ parentID: "ses_1", messageID: "msg_run", history: "shared", title })),
    );
    expect(world.host.forked[0]?.prompt).toMatch(/No person is there to ask\.[\s\S]*The task:\none$/);
  });

  it("the tool fork gives the task to an empty child where the host has no fork to give, and says so", async () => {
    const world = await openWorld();
    world.host.respondForked = ({ history }) =>
      history === "shared"
        ? { kind: "refused", reason: "the host opened no fork" }
        : { kind: "answered", text: "from the brief", run: runOf() };
    const told = await fork(world, ["look"]);
    expect(told).toContain("from the brief");
    expect(told).toContain("no shared cache: the host opened no fork");
    expect(world.host.forked.map(({ history }) => history)).toEqual(["shared", "none"]);
  });

  it("the tool fork gives the task to an empty child at once where the window is nearly full: a fork would be compacted", async () => {
    const world = await openWorld();
    const model = { providerID: "acme", modelID: "large" };
    const window = { contextTokens: 30_000, outputTokens: 4_000 };
    await world.strata.dispatcher.ask("modelWindow", { sessionID: "ses_1", model, window }, undefined);
    const session = createSession(world.clock);
    session.user("go");
    session.answer([call("task", "ok")], { sent: 19_000 });
    await world.request(session.messages);
    expect(await fork(world, ["look"])).toContain("no shared cache: the window is nearly full");
    expect(world.host.forked.map(({ history }) => history)).toEqual(["none"]);
  });

  it("the tool fork is refused in a fork, in what is below one, and below an empty child of ours", async () => {
    const world = await openWorld();
    world.host.forks.set("ses_f", "ses_1").set("ses_below", "ses_1");
    for (const id of ["ses_f", "ses_below"])
      await expect(fork(world, ["look"], id)).rejects.toThrow("a copy makes no copies");
    expect(world.host.forked).toEqual([]);
  });
});

describe("in a fork of ours", () => {
  const heard: string[] = [];
  const listening: LayerFactory = () => ({
    name: "listening",
    handlers: {
      context: ({ sessionID }) => void heard.push(`context ${sessionID}`) as undefined,
      event: ({ type }) => void heard.push(type) as undefined,
      turn: ({ sessionID }) => void heard.push(`turn ${sessionID}`) as undefined,
    },
  });
  const serving: LayerFactory = (context) =>
    ({ ...listening(context), name: "serving", servesForks: ["turn"] }) as never;

  it("layers are asked where they serve forks, and nowhere else", async () => {
    heard.length = 0;
    const world = await openWorld({ layers: [listening, serving] });
    world.host.forks.set("ses_f", "ses_1");
    await world.request([user("go", "ses_f")]);
    const { dispatcher } = world.strata;
    await dispatcher.ask("event", { type: "session.idle", properties: { sessionID: "ses_f" } }, undefined);
    await dispatcher.ask("turn", { sessionID: "ses_f" }, undefined);
    expect(heard).toEqual(["turn ses_f"]);
    await world.request([user("go")]);
    expect(heard).toEqual(["turn ses_f", "context ses_1", "context ses_1"]);
  });

  it("nothing is cleared, cut or noted that the parent has sent, though it would be due: the beginning stays the parent's", async () => {
    const options = {
      microCompact: { floor: 100, keepRecent: 0, horizon: 10 },
      sessionMemory: { goalRefresh: 1, goalDistance: 0 },
    };
    const world = await openWorld({ options });
    const session = createSession(world.clock);
    session.user("go");
    session.answer([call("read", "x".repeat(9_000)), call("read", "y".repeat(9_000))]);
    session.answer([], { text: "seen" });
    session.user("on");
    const before = await world.request(session.messages);
    world.host.forks.set("ses_f", "ses_1");
    world.clock.advance(3 * 3_600_000);
    const copy = session.messages.map((one) => ({ ...one, info: { ...one.info, sessionID: "ses_f" } }));
    const task = user("the task", "ses_f");
    const view = await world.request([
      ...copy,
      { ...task, info: { ...task.info, time: { created: world.clock.now() } } },
    ]);
    expect(view.slice(0, -1).map(({ parts }) => parts)).toEqual(before.map(({ parts }) => parts));
    await world.strata.idle();
    expect(world.files.text("/project/.opencode/session-memory/ses_f.json")).toBeUndefined();
    // The parent's own next request finds the cache as cold as it is.
    session.answer([], { text: "done" });
    session.user("and on");
    expect(JSON.stringify(await world.request(session.messages))).toContain("[Strata] Cleared");
  });
});
