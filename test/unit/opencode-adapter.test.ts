import type { PluginInput } from "@opencode-ai/plugin";
import { describe, expect, it } from "vitest";
import { createOpenCodeHost } from "../../src/host/1/opencode.js";
import { refuse } from "../../src/kernel/hooks.js";
import type { Strata } from "../../src/strata.js";
import { createFakeClock } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { bindTestHooks } from "../support/hooks.js";
import { answer, call, lines, user } from "../support/messages.js";
import { openWorld } from "../support/world.js";

const bindHooks = (strata: Strata) => bindTestHooks(strata).hooks;

describe("the host behind its seam", () => {
  function open(client: unknown, worktree = "/repo") {
    const clock = createFakeClock();
    const input = { client, directory: "/repo/sub", worktree } as unknown as PluginInput;
    return { host: createOpenCodeHost(input, clock), clock };
  }

  it("the host behind its seam works in the root of the repository, and where there is none in the folder itself", () => {
    expect(open({}).host.project).toBe("/repo");
    expect(open({}, "/").host.project).toBe("/repo/sub");
    expect(open({}, "").host.project).toBe("/repo/sub");
  });

  it("the host behind its seam tells when a session was last used, that it is gone, or that it does not know", async () => {
    const answering = (response: unknown) =>
      open({ session: { get: async () => response } }).host.sessionLastUsedMs("ses_1");
    expect(await answering({ data: { time: { updated: 5 } } })).toBe(5);
    expect(await answering({ error: {}, response: { status: 404 } })).toBeUndefined();
    expect(await answering({ error: {}, response: { status: 500 } })).toBe("unknown");
    const failing = open({ session: { get: () => Promise.reject(new Error("offline")) } });
    expect(await failing.host.sessionLastUsedMs("ses_1")).toBe("unknown");
  });

  it("the host behind its seam has one long answer written out at a time, and goes on when one of them fails", async () => {
    const pending: ((fails: boolean) => void)[] = [];
    const messages = () =>
      new Promise((resolve, reject) => {
        pending.push((fails) => (fails ? reject(new Error("offline")) : resolve({ data: [] })));
      });
    const { clock, host } = open({ session: { messages } });
    const settle = async () => {
      for (let n = 0; n < 5; n++) {
        await new Promise(setImmediate);
        clock.advance(0);
      }
    };
    const asked = [host.readMessages("ses_1"), host.readMessages("ses_1", 5), host.readMessages("ses_2")];
    await settle();
    expect(pending).toHaveLength(1);
    pending[0]?.(true);
    await settle();
    expect(pending).toHaveLength(2);
    pending[1]?.(false);
    await settle();
    pending[2]?.(false);
    expect(await Promise.all(asked)).toEqual([undefined, [], []]);
  });

  it("the host behind its seam does not wait for a host that never answers, nor fail with one that throws", async () => {
    const { host, clock } = open({ session: { get: () => new Promise(() => {}) } });
    const asked = host.sessionLastUsedMs("ses_1");
    clock.advance(5_000);
    expect(await asked).toBe("unknown");
    const broken = open({}).host;
    expect(await broken.sessionLastUsedMs("ses_1")).toBe("unknown");
    broken.toast("hello", "info");
    broken.log("warn", "hello");
  });
});

describe("the hooks", () => {
  it("the hooks are those that a layer hears, and the end", async () => {
    const { strata } = await openWorld();
    const always = [
      "chat.message",
      "chat.params",
      "command.execute.before",
      "config",
      "dispose",
      "event",
      "experimental.chat.messages.transform",
      "experimental.session.compacting",
    ];
    const ofTools = ["tool", "tool.definition", "tool.execute.before"];
    expect(Object.keys(bindHooks(strata)).sort()).toEqual([...always, ...ofTools].sort());
    const off = await openWorld({
      options: {
        toolResults: { enabled: false },
        microCompact: { enabled: false },
        autoCompact: { enabled: false },
        crossAgent: { enabled: false },
        autoMemory: { enabled: false },
        background: { enabled: false },
      },
    });
    expect(Object.keys(bindHooks(off.strata)).sort()).toEqual(always);
  });

  it("the hooks change the host's own list of messages in place", async () => {
    const { strata } = await openWorld();
    const messages = [user("go"), answer([call("bash", lines(2_000))])];
    const [first, second] = messages;
    await bindHooks(strata)["experimental.chat.messages.transform"]?.({}, { messages: messages as never });
    expect(messages).toHaveLength(2);
    expect(messages[0]).toBe(first);
    expect(messages[1]).not.toBe(second);
    expect(JSON.stringify(messages[1])).toContain(`${PROJECT}/.opencode/tool-results/`);
  });

  it("the hooks change the arguments that the host runs the tool with in place", async () => {
    const { strata } = await openWorld();
    const args = {
      pattern: "x",
      path: `${PROJECT}/.opencode/tool-results/3f2a0c1e-0000-8000-8000-000000000000.txt`,
    };
    await bindHooks(strata)["tool.execute.before"]?.({ tool: "grep", sessionID: "s", callID: "c" }, { args });
    expect(args).toEqual({
      pattern: "x",
      path: `${PROJECT}/.opencode/tool-results`,
      include: "3f2a0c1e-0000-8000-8000-000000000000.txt",
    });
  });

  it("the hooks keep a call from running that a layer refuses, with its reason and its arguments as they were", async () => {
    const refusing = () => ({ name: "no", handlers: { toolArguments: () => refuse("not now") } });
    const { strata } = await openWorld({ layers: [refusing] });
    const args = { filePath: "a.ts" };
    const before = bindHooks(strata)["tool.execute.before"];
    await expect(before?.({ tool: "edit", sessionID: "s", callID: "c" }, { args })).rejects.toThrow(
      "not now",
    );
    expect(args).toEqual({ filePath: "a.ts" });
  });

  it("the hooks bring no turn down whatever the host hands them", async () => {
    const { strata, log } = await openWorld();
    const hooks = bindHooks(strata) as Record<string, (input: unknown, output: unknown) => Promise<void>>;
    for (const name of ["experimental.chat.messages.transform", "tool.execute.before", "event"]) {
      for (const [input, output] of [
        [undefined, undefined],
        [null, null],
        [{}, {}],
        [{}, { messages: null }],
        [{}, { messages: [null] }],
        [{}, { messages: [{ info: {} }] }],
      ]) {
        await hooks[name]?.(input, output);
      }
    }
    expect(await log()).toContain("failed");
  });
});
