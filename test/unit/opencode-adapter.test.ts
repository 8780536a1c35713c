import type { PluginInput } from "@opencode-ai/plugin";
import { describe, expect, it } from "vitest";
import { createOpenCodeHost } from "../../src/host/1/opencode.js";
import type { Strata } from "../../src/strata.js";
import { createFakeClock } from "../support/fake-clock.js";
import { bindTestHooks } from "../support/hooks.js";
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
    expect(await answering(Promise.reject(new Error("offline")))).toBe("unknown");
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
