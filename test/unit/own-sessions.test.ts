import { describe, expect, it } from "vitest";
import { createLiveConfig } from "../../src/host/1/live-config.js";
import { createPluginSessions, formatChildTitle } from "../../src/host/1/plugin-sessions.js";
import { bindTestHooks } from "../support/hooks.js";
import { user } from "../support/messages.js";
import { type LayerFactory, openWorld } from "../support/world.js";

it("sessions of our own are no session that a user has titled alike: it keeps its tools", () => {
  const own = createPluginSessions();
  for (const info of [
    { id: "ses_u", title: "[strata] rename the layers" },
    { id: "ses_u", title: formatChildTitle("notes", 7) },
    { id: "ses_u", title: "[strata] rename the layers", parentID: "ses_0" },
  ])
    expect(own.notice("session.updated", { info })).toBe(false);
  expect(own.isChild("ses_u")).toBe(false);
});

it("sessions of our own are known by their title or agent, and from then on by their id", () => {
  const own = createPluginSessions();
  const status = { sessionID: "ses_1", status: { type: "busy" } };
  expect(own.notice("session.status", status)).toBe(false);
  const info = { id: "ses_1", title: formatChildTitle("notes", 7), parentID: "ses_0" };
  expect(own.notice("session.created", { info })).toBe(true);
  expect(own.notice("session.status", status)).toBe(true);
  expect(own.notice("message.part.updated", { part: { id: "prt_1", sessionID: "ses_1" } })).toBe(true);
  const message = { id: "msg_1", sessionID: "ses_2", agent: "strata" };
  expect(own.notice("message.updated", { info: message })).toBe(true);
  expect([own.isChild("ses_1"), own.isChild("ses_2"), own.isChild("msg_1")]).toEqual([true, true, false]);
});

it("sessions of our own make no tool call, not even those of a killed process; others do", async () => {
  const { strata } = await openWorld({ layers: [] });
  const { hooks } = bindTestHooks(strata);
  const info = { id: "ses_old", agent: "strata", title: "x" };
  await hooks.event?.({ event: { type: "session.created", properties: { info } } as never });
  const call = async (sessionID: string) =>
    hooks["tool.execute.before"]?.({ tool: "read", sessionID, callID: "c" }, { args: {} });
  await expect(call("ses_old")).rejects.toThrow("this session has no tools");
  await expect(call("ses_user")).resolves.toBeUndefined();
});

it("sessions of our own do not reach the layers, neither their requests nor their events", async () => {
  const heard: string[] = [];
  const listener: LayerFactory = () => ({
    name: "listener",
    handlers: {
      context: ({ sessionID }) => void heard.push(sessionID) as undefined,
      event: ({ type }) => void heard.push(type) as undefined,
    },
  });
  const { strata } = await openWorld({ layers: [listener] });
  const hooks = bindTestHooks(strata).hooks;
  const ask = async (agent: string, sessionID: string) => {
    const message = user("go", sessionID);
    const messages = [{ ...message, info: { ...message.info, agent } }];
    await hooks["experimental.chat.messages.transform"]?.({}, { messages: messages as never });
    const event = { type: "message.updated", properties: { info: { sessionID, agent } } };
    await hooks.event?.({ event: event as never });
  };
  await ask("strata", "ses_own");
  await ask("build", "ses_users");
  expect(heard).toEqual(["ses_users", "message.updated"]);
});

describe("the live configuration", () => {
  it("the live configuration gets a hidden agent without tools, unless model calls are off, and takes over nothing but a temperature", () => {
    // A file of a project may name it too: a model or options for a provider would send words elsewhere.
    const options = { mcp_servers: [{ url: "https://evil.example" }] };
    const taken = { temperature: 0, mode: "all", model: "evil/m", variant: "high", options, name: "strata" };
    const config = { agent: { build: { temperature: 1 }, strata: taken } };
    createLiveConfig().take(config, { withAgent: true });
    expect(config.agent).toEqual({
      build: { temperature: 1 },
      strata: {
        temperature: 0,
        mode: "primary",
        hidden: true,
        prompt: expect.stringContaining("background writer of opencode-strata"),
        permission: { "*": "deny" },
      },
    });
    const off = {};
    createLiveConfig().take(off, { withAgent: false });
    expect(off).toEqual({});
  });

  it("has automatic compaction off and on again as the user had it", () => {
    for (const users of [undefined, { auto: true, prune: true }, { auto: false }]) {
      const live = createLiveConfig();
      const config: Record<string, unknown> = users ? { compaction: users } : {};
      const before = structuredClone(config);
      live.take(config, { withAgent: false });
      live.setAutoCompaction(true);
      expect(config).toEqual(before);
      live.setAutoCompaction(false);
      live.setAutoCompaction(false);
      expect(config.compaction).toEqual({ ...users, auto: false });
      live.setAutoCompaction(true);
      expect(config).toEqual(before);
    }
  });

  it.each([undefined, null, 5, [], Object.freeze({}), { agent: 5 }, { agent: { strata: 5 } }])(
    "the live configuration the live configuration may be %j without failing the host's start",
    (config) => {
      const live = createLiveConfig();
      const start = (): void => {
        live.take(config, { withAgent: true });
        live.setAutoCompaction(false);
        live.setAutoCompaction(true);
      };
      expect(start).not.toThrow();
    },
  );
});
