/** An OpenCode 2 that lacks a part, breaks it, or hands out nonsense: no turn fails, and on doubt no byte changes. */
import { describe, expect, it } from "vitest";
import { createFakeClock } from "../support/fake-clock.js";
import { fc, runs } from "../support/property.js";
import {
  type Fault,
  lower,
  type Method,
  openStandIn,
  type ScriptedCall,
  type StandIn,
  type StandInOptions,
  settle,
} from "./stand-in.js";

const METHODS =
  "session.hook session.context session.get session.synthetic session.interrupt tool.hook tool.transform command.transform command.list event.subscribe generate.text model.list model.default agent.get rpc.register";
const PATHS = [...METHODS.split(" "), "tool", "command", "event", "model", "rpc", "options", "app"];
const FAULTS: readonly Fault[] = ["absent", "throws", "rejects", "hangs", "nonsense", "null"];

/** All faults together break each capability at least once. */
const PER_FAULT = runs(5, PATHS.length, "capabilities for each fault");

/** Moved to a file at the threshold of `OPTIONS`. */
const LONG = Array.from({ length: 120 }, (_, index) => `row ${index} ${"x".repeat(60)}`).join("\n");
const OPTIONS = { toolResults: { threshold: 4_096 } };
const look: ScriptedCall = { name: "shell", input: { command: "log" }, result: LONG };

/** Requests whose beginning is not the whole request before them, by number. */
const findBreaks = ({ sent }: StandIn): number[] =>
  sent.flatMap((messages, index) =>
    (sent[index - 1] ?? []).every((message, at) => messages[at] === message) ? [] : [index],
  );

/** The stored messages as a host without the plugin sends them. */
const bareOf = ({ stored }: StandIn): string[] =>
  lower(stored).map(({ content, role }) => JSON.stringify({ role, content }));

async function play(options: StandInOptions): Promise<StandIn> {
  const clock = createFakeClock();
  const host = await openStandIn({ options: OPTIONS, ...options, clock });
  const ask = (text: string, ...calls: ScriptedCall[]) => settle(clock, host.ask(text, ...calls));
  await ask("Always run the tests. Look at the log.", look);
  await ask("look again", { name: "read", input: { path: "a.ts" }, result: LONG });
  const [tool] = host.tools.keys();
  await ask("use a tool", ...(tool === undefined ? [] : [{ name: tool, input: { nonsense: 1 } }]));
  await settle(clock, host.compact());
  await ask("go on");
  await settle(clock, host.end());
  return host;
}

describe("a host with a broken capability", () => {
  it("a session goes through, with its results moved, when nothing is broken", async () => {
    const { sent } = await play({});
    expect(sent.length).toBeGreaterThan(5);
    expect(sent.flat().join("")).toContain("[Strata]");
  });

  for (const [at, fault] of FAULTS.entries())
    it(`no turn fails and nothing breaks the prefix when any one capability is ${fault}`, async () => {
      for (let count = 0; count < PER_FAULT; count++) {
        const path = PATHS[(at * PER_FAULT + count) % PATHS.length] ?? "session.get";
        const host = await play({ faults: { [path]: fault } });
        expect(host.sent.length, path).toBeGreaterThan(5);
        // The last request is the one after the checkpoint.
        expect(findBreaks(host), path).toEqual([host.sent.length - 1]);
      }
    });

  it("what the host refuses is told in the log", async () => {
    const host = await openStandIn({ faults: { "tool.transform": "rejects", "rpc.register": "absent" } });
    const log = await host.log();
    expect(log).toContain("OpenCode refuses tool.transform (broken); what needs it is off");
    expect(log).toMatch(/OpenCode refuses rpc\.register \(.*not a function/);
  });

  it("any event at all, and a request with odd fields, leaves every hook without an error, and stays as it was", async () => {
    const { hooks } = await openStandIn();
    const messages = [{ id: "m", role: "user", content: [{ type: "text", text: "hi" }] }];
    const sound = { sessionID: "ses_x", model: { providerID: "acme", id: "large" }, messages };
    const odd = fc.constantFrom<object>(
      { ...sound, messages: [{ role: "wizard", content: [] }] },
      { ...sound, messages: [{ role: "user", content: "hi" }] },
      { ...sound, messages: [null] },
      { ...sound, model: { providerID: "acme" } },
      { ...sound, sessionID: 5 },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.jsonValue(), odd), async (given) => {
        for (const callback of hooks.values()) {
          const event = structuredClone(given);
          await callback(event as never);
          expect(event).toEqual(given);
        }
      }),
      { numRuns: runs(60, 500, "events") },
    );
  });

  it("a disk that fails changes no byte", async () => {
    const host = await openStandIn({ options: OPTIONS });
    host.files.writeWhole = () => Promise.reject(new Error("ENOSPC"));
    host.files.appendLine = () => Promise.reject(new Error("ENOSPC"));
    await settle(host.clock, host.ask("look", look));
    expect(host.sent.at(-1)).toEqual(bareOf(host).slice(0, -1));
  });
});

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
  let broken: Method | undefined;
  const around = { "session.context": (usual: Method) => (input: never) => (broken ?? usual)(input) };
  const host = await openStandIn({ options: OPTIONS, around });
  await host.ask("Look at the log.", look);
  await host.strata?.idle();
  const breakReads = (method: Method | undefined): void => {
    broken = method;
  };
  return { host, breakReads };
}

describe("stored messages that can no longer be read", () => {
  for (const [fault, method] of Object.entries(BROKEN))
    it(`requests keep their bytes while session.context ${fault}, and when it works again`, async () => {
      const { breakReads, host } = await begin();
      const { clock, sent } = host;
      breakReads(method);
      await settle(clock, host.ask("And the file.", { name: "read", input: { path: "a.ts" }, result: LONG }));
      breakReads(undefined);
      // The reads under way overrun first.
      await settle(clock, host.strata?.idle() ?? Promise.resolve());
      clock.advance(60_000);
      await settle(clock, host.ask("And now?", look));
      expect(findBreaks(host)).toEqual([]);
      // The result of the broken turn has been sent whole, and stays.
      expect(sent.at(-1)?.filter((message) => message.includes("moved out of the context"))).toHaveLength(2);
    });

  it("after a restart requests are the host's own until they can be read, and decisions hold again then", async () => {
    const { breakReads, host } = await begin();
    const before = host.sent.at(-1) ?? [];
    breakReads(BROKEN.rejects);
    const again = await host.restart();
    await settle(host.clock, again.ask("Go on."));
    expect(again.sent.at(-1)).toEqual(bareOf(again).slice(0, -1));
    breakReads(undefined);
    await settle(host.clock, again.ask("And now?"));
    expect(before.filter((message, index) => message !== again.sent.at(-1)?.[index])).toEqual([]);
  });

  it("a read that fails once after a restart costs nothing", async () => {
    const { breakReads, host } = await begin();
    breakReads(() => {
      breakReads(undefined);
      return Promise.reject(new Error("busy"));
    });
    const again = await host.restart();
    await settle(host.clock, again.ask("Go on."));
    expect(findBreaks(again)).toEqual([]);
  });

  it("a host that hangs when they are read delays one request a minute", async () => {
    const took = async (method: Method | undefined): Promise<number> => {
      const { breakReads, host } = await begin();
      breakReads(method);
      const beganMs = host.clock.now();
      for (let turn = 0; turn < 10; turn++)
        await settle(host.clock, host.ask(`turn ${turn}`, { ...look, result: "a.ts" }));
      return host.clock.now() - beganMs;
    };
    const usualMs = await took(undefined);
    const delayMs = (await took(BROKEN.hangs)) - usualMs;
    // Each of 20 requests would wait for two seconds.
    expect(delayMs).toBeLessThan(2_000 * Math.ceil((usualMs + 20_000) / 60_000) + 1_000);
  });
});

it("a stream of events that ends is opened again with the next turn, and turns end without it", async () => {
  let opened = 0;
  let close = (): void => {};
  const host = await openStandIn({
    around: {
      "event.subscribe": (usual) => (input) => {
        opened++;
        const closed = new AbortController();
        close = () => closed.abort();
        return usual({ ...(input as object), signal: closed.signal } as never);
      },
    },
  });
  await host.ask("hello");
  close();
  host.emit("session.execution.started");
  await new Promise(setImmediate);
  expect(opened).toBe(1);
  await host.ask("From now on always use pnpm instead of npm here.");
  expect(opened).toBe(2);
  await settle(host.clock, host.ask("thanks"));
  await host.strata?.idle();
  const memories = [...host.files.contents.keys()].filter((path) =>
    /\/memory\/(private\/)?[a-z]+\//.test(path),
  );
  expect(memories.map((path) => host.files.text(path)).join("")).toContain("pnpm");
  expect((await host.log()).split("OpenCode's events have ended")).toHaveLength(2);
});
