/** Capabilities that the stories do not show, and the table of docs/opencode-2.md, which names a test for each. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createCatalog } from "../../src/host/setup/catalog.js";
import { createEventReader } from "../../src/host/setup/events.js";
import { createGenerate } from "../../src/host/setup/generate.js";
import { createSetupHost } from "../../src/host/setup/host.js";
import { createStoredSessions } from "../../src/host/setup/stored-sessions.js";
import { createFakeClock } from "../support/fake-clock.js";
import { LARGE } from "./context.js";
import { call, say } from "./script.js";
import { openWorld, runCommand, settle } from "./world.js";

describe("a background call", () => {
  const request = (more: object = {}) => ({
    parentID: "ses_1",
    title: "t",
    prompt: "x".repeat(400),
    maxAnswerTokens: 100,
    signal: new AbortController().signal,
    deadlineMs: 60_000,
    ...more,
  });

  it("a background call is a prompt and a text, with the named model and estimated tokens", async () => {
    const asked: unknown[] = [];
    const generate = createGenerate({
      clock: createFakeClock(),
      models: () => ({ main: "acme/large" }),
      text: async (input) => {
        asked.push(input);
        return { data: { text: "written".repeat(4) } };
      },
    });
    const text = { kind: "text", text: "written".repeat(4), tokens: { input: 100, output: 7, cacheRead: 0 } };
    expect(await generate(request({ model: "small/mini/1" }))).toEqual(text);
    await generate(request());
    expect(asked).toEqual([
      { model: { providerID: "small", id: "mini/1" }, prompt: request().prompt },
      { model: { providerID: "acme", id: "large" }, prompt: request().prompt },
    ]);
  });

  it("a background call that hangs, fails, is called off or answers nothing is a failure with its reason", async () => {
    const clock = createFakeClock();
    const ask = (text: () => unknown, more = {}) =>
      settle(clock, createGenerate({ clock, models: () => ({ main: "a/b" }), text })(request(more)));
    const abort = new AbortController();
    abort.abort();
    expect(await ask(() => new Promise(() => {}))).toMatchObject({ reason: "no answer within 60 s" });
    expect(await ask(() => Promise.reject(Object.assign(new Error("no"), { status: 429 })))).toMatchObject({
      reason: "no",
      status: 429,
    });
    expect(await ask(async () => ({ text: " " }))).toMatchObject({ reason: "the answer is empty" });
    expect(await ask(async () => ({ text: "x" }), { signal: abort.signal })).toMatchObject({
      kind: "failed",
    });
    const unnamed = createGenerate({ clock, models: () => ({}), text: async () => ({ text: "x" }) });
    expect(await unnamed(request())).toMatchObject({ reason: expect.stringContaining("background.model") });
  });

  it("a background call is made only if the user has named a model for it", async () => {
    for (const model of [undefined, "acme/mini"]) {
      const world = await openWorld({
        options: {
          ...(model !== undefined && { background: { model } }),
          sessionMemory: { updateThreshold: 1_000, toolCallThreshold: 1 },
        },
        generate: () => "## Current State\nfine",
      });
      const session = world.host.newSession();
      for (let turn = 0; turn < 3; turn++) {
        const output = "line of a result\n".repeat(400);
        world.host.model.script(call("shell", { command: `make ${turn}` }, output), say("done"));
        await world.host.ask(session, `step ${turn}`);
      }
      await world.strata?.idle();
      const models = new Set(world.generated.map(({ model: named }) => JSON.stringify(named)));
      expect([...models]).toEqual(model === undefined ? [] : ['{"providerID":"acme","id":"mini"}']);
    }
  });
});

describe("tools", () => {
  it("a refused edit does not run, and the model is told why", async () => {
    const world = await openWorld();
    const { host, strata } = world;
    if (!strata) throw new Error("expected the plugin to have started");
    const session = host.newSession();
    const { refuse } = await import("../../src/dispatcher/hooks.js");
    const ask = strata.dispatcher.ask.bind(strata.dispatcher);
    const seen: unknown[] = [];
    strata.dispatcher.ask = (hook, input, value, limit) => {
      if (hook !== "toolArguments") return ask(hook, input, value, limit);
      seen.push([input, value]);
      return Promise.resolve(refuse("another instance works on it") as never);
    };
    host.model.script(call("edit", { path: "a.ts", oldString: "a", newString: "b" }, "edited"), say("ok"));
    await host.ask(session, "edit");
    expect(seen[0]).toMatchObject([{ tool: "edit" }, { filePath: "a.ts" }]);
    const sent = host.model.primary(session.id).at(-1)?.messages.join("") ?? "";
    expect(sent).toContain("another instance works on it");
    expect(sent).not.toContain('"edited"');
  });

  it("the fork tool is not offered, the others are, as plain tools with a JSON Schema", async () => {
    const { host } = await openWorld();
    expect([...host.tools.keys()].sort()).toEqual([
      "lease",
      "memory_recall",
      "memory_remember",
      "memory_update",
      "send_message",
    ]);
    for (const { input, options } of host.tools.values())
      expect([input.type, options.codemode]).toEqual(["object", false]);
  });
});

describe("what a plugin cannot do", () => {
  it("the circuit breaker says that summaries do not help, and not that it has switched them off", async () => {
    const world = await openWorld({ options: { autoCompact: { retryLimit: 2 } } });
    const { host } = world;
    const session = host.newSession();
    await host.ask(session, "Rename the parser.");
    for (const text of ["Go on.", "And the tests.", "And the docs."]) {
      await host.ask(session, text);
      await host.compact(session, "auto");
    }
    await host.ask(session, "Is it done?");
    await world.strata?.idle();
    const log = await world.log();
    expect(log).toMatch(
      /ERROR full-compact {2}automatic summaries do not help in ses_\w+: .*This OpenCode lets no/,
    );
    expect(log).not.toContain("summaries are off");
    expect(log).not.toContain("has not called hook");
    await runCommand(world, "memory", session.id);
    const shown = session.stored.findLast(({ type }) => type === "synthetic")?.text;
    expect(shown).toMatch(/^ *Auto summaries +on, though they do not help: /m);
  });

  it("a lifetime of the cache that no plugin can ask for is told where it is set, and only there", async () => {
    for (const ttl of ["1h", "5m"]) {
      const world = await openWorld({ options: { cache: { ttl } } });
      expect((await world.log()).includes('cache.ttl of "1h" is not offered'), ttl).toBe(ttl === "1h");
      const session = world.host.newSession();
      await runCommand(world, "memory", session.id);
      expect(session.stored.at(-1)?.text?.includes("cache.ttl"), ttl).toBe(ttl === "1h");
    }
  });

  it("a model that the catalogue lacks is not said to be a hook that was not called", async () => {
    const world = await openWorld({ model: { ...LARGE, id: "other" } });
    const session = world.host.newSession();
    await world.host.ask(session, "hello");
    await world.host.ask(session, "again");
    expect(await world.log()).not.toContain("has not called hook");
  });

  it("permissions are never touched: nothing of Strata's runs a tool in a session", async () => {
    const touched: string[] = [];
    const permission = new Proxy({}, { get: (_, name) => void touched.push(String(name)) });
    const { host, strata } = await openWorld({ permission });
    host.model.script(call("shell", { command: "ls" }, "a"), say("done"));
    await host.ask(host.newSession(), "look");
    expect(strata?.pulse.record().hooks.context?.count).toBe(2);
    expect(touched).toEqual([]);
  });
});

describe("what the host tells", () => {
  it("an undone turn shows as OpenCode 1's: its event, its messages and its files", async () => {
    const reader = createEventReader({ directory: "/here" });
    const revert = { messageID: "msg_2" };
    const event = (type: string, data: object) => ({ type, data, location: { directory: "/here" } });
    expect(reader.read(event("session.revert.staged", { sessionID: "s", revert }))).toEqual([
      { type: "session.updated", properties: { info: { id: "s", revert } } },
    ]);
    expect(reader.read(event("session.revert.cleared", { sessionID: "s" }))).toEqual([
      { type: "session.updated", properties: { info: { id: "s" } } },
    ]);
    const clock = createFakeClock();
    const stored = ["msg_1", "msg_2"].map((id, at) => ({
      id,
      type: "user",
      text: id,
      time: { created: at + 1 },
    }));
    const session = { id: "s", revert: { ...revert, files: [{ file: "src/a.ts" }, { file: "/b.ts" }] } };
    const context = { session: { get: async () => ({ data: session }) } };
    const host = createSetupHost({
      ...{ clock, context, place: { directory: "/here", project: "/here" } },
      catalog: createCatalog({ clock, list: undefined, findDefault: undefined }),
      stored: createStoredSessions({
        clock,
        log: { debug() {}, error() {} },
        context: async () => ({ data: stored }),
      }),
      toast() {},
      missing: () => [],
    });
    expect((await host.readMessages("s"))?.map(({ info }) => info.id)).toEqual(["msg_1"]);
    expect(await host.listFilesPutBack("s")).toEqual(["/here/src/a.ts", "/b.ts"]);
  });

  it("a session is told from one that is gone, and from a host that does not answer", async () => {
    const world = await openWorld();
    const parent = world.host.newSession();
    const child = world.host.newSession(parent.id);
    const at = (context: unknown) =>
      createSetupHost({
        ...{ clock: world.clock, context, place: { directory: "/project", project: "/project" } },
        catalog: createCatalog({ clock: world.clock, list: undefined, findDefault: undefined }),
        stored: createStoredSessions({
          clock: world.clock,
          log: { debug() {}, error() {} },
          context: undefined,
        }),
        toast() {},
        missing: () => [],
      });
    const host = at(world.context);
    expect(await host.findParent(child.id)).toBe(parent.id);
    expect(await host.findParent(parent.id)).toBeUndefined();
    expect(await host.findSessionFolder(child.id)).toBe("/project");
    expect(await host.findSessionFolder("ses_gone")).toBeUndefined();
    expect(await host.sessionLastUsedMs("ses_gone")).toBeUndefined();
    for (const context of [{}, { session: { get: () => Promise.reject(new Error("offline")) } }]) {
      expect(await at(context).findParent("s")).toBe("unknown");
      expect(await at(context).sessionLastUsedMs("s")).toBe("unknown");
    }
  });

  it("events of any shape give none or sound events", () => {
    const reader = createEventReader({ directory: "/here" });
    for (const odd of [null, 5, {}, { type: 5 }, { type: "session.deleted" }, { type: "x", data: null }])
      expect(reader.read(odd)).toEqual([]);
    const location = { directory: "/here" };
    const ended = { type: "session.step.ended", data: { assistantMessageID: "m", sessionID: "s" }, location };
    expect(reader.read(ended)).toEqual([]);
    const failed = { type: "session.execution.failed", data: { sessionID: "s" }, location };
    expect(reader.read(failed).map(({ type }) => type)).toEqual(["session.error", "session.idle"]);
  });

  it("prices and sizes of models are read with their tiers, and anything else is no model", async () => {
    const cost = [
      ...LARGE.cost,
      { input: 10, output: 40, cache: { read: 1, write: 12.5 }, tier: { type: "context", size: 200_000 } },
    ];
    const list = async () => ({ data: [{ ...LARGE, cost }, { id: 5 }, null] });
    const catalog = createCatalog({ clock: createFakeClock(), list, findDefault: async () => LARGE });
    const found = await catalog.find({ providerID: "acme", modelID: "large" });
    expect(found?.window).toEqual({ contextTokens: 200_000, outputTokens: 8_000 });
    expect(found?.prices).toMatchObject({
      input: 5,
      cacheRead: 0.5,
      longer: [{ aboveTokens: 200_000, input: 10 }],
    });
    expect(catalog.models()).toEqual({ main: "acme/large" });
    expect(await catalog.find({ providerID: "acme", modelID: "other" })).toBeUndefined();
  });
});

it("docs/opencode-2.md names tests that exist, one for each row that is used or done otherwise", () => {
  const files = readdirSync("test/host-v2").filter((name) => name.endsWith(".test.ts"));
  const titles = new Map(
    files.map((name) => [name.replace(".test.ts", ""), readFileSync(`test/host-v2/${name}`, "utf8")]),
  );
  const rows = readFileSync("docs/opencode-2.md", "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| layer"))
    .map((line) => line.split(" | "));
  expect(rows.length).toBeGreaterThan(15);
  for (const cells of rows) {
    const [state = "", test = ""] = cells.slice(2);
    const named = [...test.matchAll(/(?:([\w-]+): )?"([^"]+)"/g)];
    if (!state.startsWith("not ")) expect(named.length, cells.join()).toBeGreaterThan(0);
    let file = "";
    for (const [, name = file, title = ""] of named) {
      file = name;
      expect(titles.get(name)?.includes(`it("${title}`), `${name}: ${title}`).toBe(true);
    }
  }
});
