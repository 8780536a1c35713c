/** An OpenCode 2 that lacks a part, breaks it, or hands out nonsense: no turn fails, and on doubt no byte changes. */
import { describe, expect, it } from "vitest";
import { createFakeClock } from "../support/fake-clock.js";
import { fc, runs } from "../support/property.js";
import {
  type Fault,
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

async function play(options: StandInOptions): Promise<StandIn> {
  const clock = createFakeClock();
  const host = await openStandIn({ options: OPTIONS, ...options, clock });
  const ask = (text: string, ...calls: ScriptedCall[]) => settle(clock, host.ask(text, ...calls));
  await ask("Always run the tests. Look at the log.", look);
  await ask("look again", { name: "read", input: { path: "a.ts" }, result: LONG });
  const [tool] = host.tools.keys();
  await ask("use a tool", ...(tool === undefined ? [] : [{ name: tool, input: { nonsense: 1 } }]));
  await settle(clock, host.end());
  return host;
}

describe("a host with a broken capability", () => {
  it.each(FAULTS)(
    "no turn fails and nothing breaks the prefix when any one capability is %s",
    async (fault) => {
      for (let count = 0; count < PER_FAULT; count++) {
        const path = PATHS[(FAULTS.indexOf(fault) * PER_FAULT + count) % PATHS.length] ?? "session.get";
        const host = await play({ faults: { [path]: fault } });
        expect(host.sent.length, path).toBeGreaterThan(4);
        expect(findBreaks(host), path).toEqual([]);
      }
    },
  );

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
  it.each(Object.entries(BROKEN))(
    "requests keep their bytes while session.context %s",
    async (_fault, method) => {
      const { breakReads, host } = await begin();
      const { clock } = host;
      breakReads(method);
      await settle(clock, host.ask("And the file.", { name: "read", input: { path: "a.ts" }, result: LONG }));
      expect(findBreaks(host)).toEqual([]);
    },
  );

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
