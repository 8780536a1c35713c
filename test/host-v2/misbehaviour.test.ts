/** Hosts that lack a capability, break it, or hand out nonsense: no request fails, and on doubt no byte changes. */
import { describe, expect, it } from "vitest";
import { createFakeClock } from "../support/fake-clock.js";
import { fc, runs } from "../support/property.js";
import type { Fault } from "./context.js";
import { lower } from "./lowering.js";
import { call, findBreaks, say, use } from "./script.js";
import { openWorld, settle, type World, type WorldOptions } from "./world.js";

const PATHS = [
  "session.hook",
  "session.context",
  "session.get",
  "session.synthetic",
  "session.interrupt",
  "session",
  "tool.hook",
  "tool.transform",
  "tool",
  "command.transform",
  "command.list",
  "command",
  "event.subscribe",
  "event",
  "generate.text",
  "generate",
  "model.list",
  "model.default",
  "model",
  "agent.get",
  "rpc.register",
  "rpc",
  "options",
  "location.project",
  "app.version",
  "app",
] as const;
const FAULTS: readonly Fault[] = ["absent", "throws", "rejects", "hangs", "nonsense", "null"];

/** All faults together break each capability at least once. */
const PER_FAULT = runs(5, PATHS.length, "capabilities for each fault");

/** Moved to a file at the threshold that `play` sets. */
const LONG = Array.from({ length: 120 }, (_, index) => `row ${index} ${"x".repeat(60)}`).join("\n");

/** Plays a short session; the turns of a host whose methods hang take time on the clock. */
async function play(options: WorldOptions): Promise<World> {
  const clock = createFakeClock();
  const world = await settle(
    clock,
    openWorld({ options: { toolResults: { threshold: 4_096 } }, ...options, clock }),
  );
  const { host } = world;
  const session = host.newSession();
  const ask = (text: string): Promise<void> => settle(clock, host.ask(session, text));
  host.model.script(call("shell", { command: "log" }, LONG), say("seen"));
  await ask("Always run the tests. Look at the log.");
  host.model.script(call("read", { path: "a.ts" }, LONG), say("seen too"));
  await ask("look again");
  const tool = [...host.tools.keys()][0];
  if (tool !== undefined) host.model.script(use(tool, { nonsense: 1 }), say("tried"));
  await ask("use a tool");
  host.model.script(say("## Objective\n- the host's own"));
  await settle(clock, host.compact(session));
  await ask("go on");
  await settle(clock, world.end());
  return world;
}

/** The session as a host without the plugin sends it. */
function bare({ host }: World): string[][] {
  const [session] = [...host.sessions.values()];
  return lower(session?.stored ?? []).map(({ content, role }) => [JSON.stringify({ role, content })]);
}

describe("a host with one broken capability", () => {
  it("a session on the contract host goes through, with its results moved, when nothing is broken", async () => {
    const { host } = await play({});
    expect(host.model.requests.length).toBeGreaterThan(5);
    expect(host.model.requests.some(({ messages }) => messages.join("").includes("[Strata]"))).toBe(true);
  });

  for (const [at, fault] of FAULTS.entries())
    it(`no turn fails and nothing breaks the prefix when any one capability is ${fault}`, async () => {
      for (let count = 0; count < PER_FAULT; count++) {
        const path = PATHS[(at * PER_FAULT + count) % PATHS.length] ?? "session";
        const { host } = await play({ faults: { [path]: fault } });
        const [session] = [...host.sessions.values()];
        const requests = host.model.primary(session?.id ?? "");
        expect(requests.length, path).toBeGreaterThan(5);
        const afterCompaction = requests.length - 1;
        expect(
          findBreaks(requests).filter((index) => index !== afterCompaction),
          path,
        ).toEqual([]);
      }
    });

  it("several broken capabilities at once fail no turn", async () => {
    const faults = fc.dictionary(fc.constantFrom(...PATHS), fc.constantFrom(...FAULTS), { maxKeys: 6 });
    await fc.assert(
      fc.asyncProperty(faults, async (given) => {
        const { host } = await play({ faults: given });
        expect(host.model.requests.length).toBeGreaterThan(5);
      }),
      { numRuns: runs(8, 200, "combinations") },
    );
  });

  it("without stored messages nothing is decided, and every request is the host's own", async () => {
    for (const fault of ["absent", "rejects", "nonsense"] as const) {
      const world = await play({ faults: { "session.context": fault } });
      const sent = world.host.model.requests.filter(({ kind }) => kind === "primary").at(4)?.messages ?? [];
      expect(sent).toEqual(bare(world).slice(0, sent.length).flat());
      expect(await world.log()).toMatch(/cannot read stored messages/);
    }
  });

  it("what the host refuses is told in the log", async () => {
    const world = await openWorld({ faults: { "tool.transform": "rejects", "rpc.register": "absent" } });
    const log = await world.log();
    expect(log).toContain("OpenCode refuses tool.transform (broken); what needs it is off");
    expect(log).toMatch(/OpenCode refuses rpc\.register \(.*not a function/);
  });
});

describe("a host with malformed requests", () => {
  it("any event at all leaves every hook without an error, and the event as it was", async () => {
    const world = await openWorld();
    const { host } = world;
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (given) => {
        for (const callbacks of host.hooks.values())
          for (const callback of callbacks) {
            const event = structuredClone(given);
            await callback(event as never);
            expect(event).toEqual(given);
          }
      }),
      { numRuns: runs(40, 500, "events") },
    );
  });

  it("an event with odd fields is left as it was, unless it is a request after all", async () => {
    const world = await openWorld();
    const [context] = world.host.hooks.get("session.context") ?? [];
    const messages = [{ id: "m", role: "user", content: [{ type: "text", text: "hi" }] }];
    const sound = { sessionID: "ses_x", model: { providerID: "acme", id: "large" }, messages };
    for (const odd of [
      { ...sound, messages: [{ role: "wizard", content: [] }] },
      { ...sound, messages: [{ role: "user", content: "hi" }] },
      { ...sound, messages: [null] },
      { ...sound, model: { providerID: "acme" } },
      { ...sound, sessionID: 5 },
      { ...sound, system: null, tools: null },
    ]) {
      const before = structuredClone(odd);
      await context?.(odd as never);
      expect(odd).toEqual(before);
    }
  });

  it("a disk that fails changes no byte", async () => {
    const clock = createFakeClock();
    const world = await openWorld({ clock, options: { toolResults: { threshold: 4_096 } } });
    const { files, host } = world;
    const session = host.newSession();
    files.writeWhole = () => Promise.reject(new Error("ENOSPC"));
    files.appendLine = () => Promise.reject(new Error("ENOSPC"));
    host.model.script(call("shell", { command: "log" }, LONG), say("seen"));
    await settle(clock, host.ask(session, "look"));
    const sent = host.model.primary(session.id).at(-1)?.messages ?? [];
    expect(sent).toEqual(
      lower(session.stored.slice(0, 2)).map(({ content, role }) => JSON.stringify({ role, content })),
    );
  });
});
