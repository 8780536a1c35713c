/** What breaks in the middle of a session, after Strata has begun to work in it. */
import { describe, expect, it } from "vitest";
import { createFakeClock } from "../support/fake-clock.js";
import type { Method } from "./context.js";
import { lower } from "./lowering.js";
import { call, findBreaks, say } from "./script.js";
import { openWorld, settle } from "./world.js";

const LONG = Array.from({ length: 900 }, (_, index) => `row ${index} ${"x".repeat(60)}`).join("\n");

const BROKEN: Readonly<Record<string, Method>> = {
  throws() {
    throw new Error("broken");
  },
  rejects: () => Promise.reject(new Error("broken")),
  hangs: () => new Promise(() => {}),
  "answers nonsense": async () => [{ id: 5 }, 7],
  "answers nothing": async () => [],
};

/** A session with one result in a file, on a host whose `session.context` can be broken later. */
async function begin() {
  const clock = createFakeClock();
  let broken: Method | undefined;
  let reads = 0;
  const world = await openWorld({
    clock,
    around: {
      "session.context": (usual) => (input) => {
        reads++;
        return (broken ?? usual)(input);
      },
    },
  });
  const { host } = world;
  const session = host.newSession();
  host.model.script(call("shell", { command: "log" }, LONG), say("seen"));
  await host.ask(session, "Look at the log.");
  await world.strata?.idle();
  return {
    ...{ clock, host, session, world },
    breakReads: (method: Method | undefined) => {
      broken = method;
    },
    reads: () => reads,
    ask: (text: string) => settle(clock, host.ask(session, text)),
  };
}

describe("stored messages that can no longer be read", () => {
  for (const [fault, method] of Object.entries(BROKEN))
    it(`requests keep their bytes while session.context ${fault}, and when it works again`, async () => {
      const { ask, breakReads, host, session, world } = await begin();
      breakReads(method);
      host.model.script(call("read", { path: "a.ts" }, LONG), say("seen too"));
      await ask("And the file.");
      breakReads(undefined);
      // The reads under way overrun first.
      await settle(world.clock, world.strata?.idle() ?? Promise.resolve());
      world.clock.advance(60_000);
      host.model.script(call("shell", { command: "log" }, LONG), say("well"));
      await ask("And now?");
      await world.strata?.idle();
      const requests = host.model.primary(session.id);
      expect(requests.length).toBeGreaterThan(5);
      expect(findBreaks(requests)).toEqual([]);
      const moved = requests
        .at(-1)
        ?.messages.filter((message) => message.includes("moved out of the context"));
      // The result of the broken turn has been sent whole, and stays.
      expect(moved).toHaveLength(2);
    });

  it("after a restart requests are the host's own until they can be read, and decisions hold again then", async () => {
    const { ask, breakReads, clock, host, session, world } = await begin();
    const before = host.model.primary(session.id).at(-1)?.messages ?? [];
    breakReads(BROKEN.rejects);
    await settle(clock, world.restart());
    host.model.script(say("yes"));
    await ask("Go on.");
    const own = lower(session.stored.slice(0, -1));
    const texts = own.map(({ content, role }) => JSON.stringify({ role, content }));
    expect(host.model.primary(session.id).at(-1)?.messages.join("") === texts.join("")).toBe(true);
    breakReads(undefined);
    host.model.script(say("well"));
    await ask("And now?");
    const sent = host.model.primary(session.id).at(-1)?.messages ?? [];
    expect(before.filter((message, index) => message !== sent[index])).toEqual([]);
  });

  it("a read that fails once after a restart costs nothing", async () => {
    const { ask, breakReads, clock, host, session, world } = await begin();
    breakReads(() => {
      breakReads(undefined);
      return Promise.reject(new Error("busy"));
    });
    await settle(clock, world.restart());
    host.model.script(say("yes"));
    await ask("Go on.");
    expect(findBreaks(host.model.primary(session.id))).toEqual([]);
  });

  it("a host that hangs when they are read delays one request a minute", async () => {
    const took = async (method: Method | undefined): Promise<number> => {
      const { ask, breakReads, clock, host } = await begin();
      breakReads(method);
      const beganMs = clock.now();
      for (let turn = 0; turn < 10; turn++) {
        host.model.script(call("shell", { command: "ls" }, "a.ts"), say("done"));
        await ask(`turn ${turn}`);
      }
      return clock.now() - beganMs;
    };
    const usualMs = await took(undefined);
    const delayMs = (await took(BROKEN.hangs)) - usualMs;
    expect(usualMs).toBeGreaterThan(60_000);
    // Each of 20 requests would wait for two seconds.
    expect(delayMs).toBeLessThan(2_000 * Math.ceil((usualMs + 20_000) / 60_000) + 1_000);
  });
});

describe("a stream of events that ends", () => {
  it("a stream of events that ends is opened again with the next turn, and turns end without it", async () => {
    let opened = 0;
    let close = (): void => {};
    const world = await openWorld({
      around: {
        "event.subscribe": (usual) => (input) => {
          opened++;
          const closed = new AbortController();
          close = () => closed.abort();
          return usual({ ...(input as object), signal: closed.signal } as never);
        },
      },
    });
    const { files, host, strata } = world;
    const session = host.newSession();
    await host.ask(session, "hello");
    close();
    host.emit("session.execution.started", { sessionID: session.id });
    await new Promise(setImmediate);
    expect(opened).toBe(1);
    await host.ask(session, "From now on always use pnpm instead of npm here.");
    expect(opened).toBe(2);
    await settle(world.clock, host.ask(session, "thanks"));
    await strata?.idle();
    const memories = [...files.contents.keys()].filter((path) => /\/memory\/[a-z]+\//.test(path));
    expect(memories.map((path) => files.text(path)).join("")).toContain("pnpm");
    expect((await world.log()).split("OpenCode's events have ended")).toHaveLength(2);
  });
});
