/**
 * What the sources of the contract leave open or contradict, played both ways. The numbers are those of contract.ts.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { TheirMessage } from "../../src/host/setup/contract.js";
import { readRequest } from "../../src/host/setup/messages.js";
import { createFakeClock } from "../support/fake-clock.js";
import type { Doubts } from "./host-types.js";
import { call, fail, findBreaks, say } from "./script.js";
import { openWorld, runCommand, settle, type WorldOptions } from "./world.js";

const CONTRACT = "src/host/setup/contract.ts";
const LONG = Array.from({ length: 900 }, (_, index) => `row ${index} ${"x".repeat(60)}`).join("\n");

/** Plays a session with a large result, a failure and a summary; what the requests show. */
async function play(doubts: Partial<Doubts>, options: WorldOptions = {}) {
  const world = await openWorld({ ...options, doubts });
  const { host } = world;
  const session = host.newSession();
  const broken = fail("shell", { command: "npm run biuld" }, "Missing script: biuld");
  host.model.script(call("shell", { command: "log" }, LONG), broken, broken, broken, say("seen"));
  await host.ask(session, "Always run the tests. Look at the log.");
  host.model.script(say("fine"));
  await host.ask(session, "good");
  const requests = host.model.primary(session.id);
  const last = requests.at(-1)?.messages.join("\n") ?? "";
  return { world, session, requests, isMoved: last.includes("[Strata]") && !last.includes("row 450 "), last };
}

describe("either way of a doubt", () => {
  it("(doubt 1) the changed list counts, whether the host reads the event or the list that it handed out", async () => {
    for (const doubts of [{ counts: "event" }, { counts: "list" }, { frozenList: true }] as const) {
      const { isMoved, requests } = await play(doubts);
      expect(isMoved, JSON.stringify(doubts)).toBe(true);
      expect(findBreaks(requests)).toEqual([]);
    }
  });

  it("(doubt 2) a new message is of the host's class where it has one, and plain where it has none", () => {
    class Own {}
    for (const prototype of [Own.prototype, Object.prototype]) {
      const answer: TheirMessage = Object.assign(Object.create(prototype), {
        role: "assistant",
        content: [{ type: "text", text: "a" }],
      });
      const request = readRequest([answer], () => undefined, { sessionID: "s" });
      const notes = {
        info: { id: "", sessionID: "s", role: "user" },
        parts: [{ type: "text", text: "notes" }],
      };
      const written = request?.write([notes, ...(request?.messages ?? [])]);
      expect(Object.getPrototypeOf(written?.[0])).toBe(prototype);
    }
  });

  it("(doubt 3) without ids nothing is known about a message, so nothing is changed", async () => {
    expect((await play({ withIDs: true })).isMoved).toBe(true);
    const { last, world } = await play({ withIDs: false });
    expect(last).toContain("row 450 ");
    expect([...world.files.contents.keys()].some((path) => path.includes("/decisions/"))).toBe(false);
  });

  it("(doubt 4) answers of the API are read bare and in `data`", async () => {
    for (const wrapped of [false, true]) expect((await play({ wrapped })).isMoved).toBe(true);
  });

  it("(doubt 5) models are found under both names", async () => {
    for (const models of ["catalog", "model"] as const) {
      const { world } = await play({}, { models });
      expect(await world.log()).not.toContain("catalog.model.list is not offered");
    }
  });

  it("(doubt 6) a failure is extended in the form that it has", async () => {
    for (const plainErrors of [false, true]) {
      const { last } = await play({ plainErrors });
      expect(last.match(/Missing script: biuld/g)?.length).toBeGreaterThanOrEqual(3);
      expect(last).toContain("[Strata]");
    }
  });

  it("(doubt 7) without events the end of a turn shows when the next one begins, and a summary is not broken off", async () => {
    for (const withEvents of [true, false]) {
      const { session, world } = await play({ withEvents }, { options: { autoCompact: { enabled: true } } });
      const { clock, files, host, strata } = world;
      host.model.script(say("noted"));
      await host.ask(session, "From now on always use pnpm instead of npm here.");
      host.model.script(say("yes"));
      await host.ask(session, "thanks");
      await strata?.idle();
      const memories = [...files.contents.keys()].filter((path) => /\/memory\/[a-z]+\//.test(path));
      expect(memories.map((path) => files.text(path)).join(""), String(withEvents)).toContain("pnpm");
      // Without notes on it the host's model writes the summary, whose end shows in events only.
      const other = host.newSession();
      host.admit(other, { type: "synthetic", text: "a" });
      host.admit(other, { type: "synthetic", text: "b" });
      host.model.script(say("## Objective\n- none"));
      await host.compact(other);
      for (let minutes = 0; minutes < 60; minutes++) clock.advance(60_000);
      expect(host.interrupted).toEqual([]);
    }
  });

  it("(doubt 8) events without a location count for sessions that are known here", async () => {
    for (const withLocations of [true, false]) {
      const { session, world } = await play({ withLocations });
      await world.strata?.idle();
      const answers = world.lines(`savings/${session.id}.jsonl`).filter(({ event }) => event === "answer");
      expect(answers.length, String(withLocations)).toBeGreaterThan(4);
    }
  });

  it("(doubt 9) a context hook for a summary too decides nothing, with the kind of the request or without it", async () => {
    for (const doubts of [
      { contextForSummaries: false },
      { contextForSummaries: true },
      { contextForSummaries: true, withKind: true },
    ]) {
      const { session, world } = await play(doubts);
      const before = world
        .lines(`savings/${session.id}.jsonl`)
        .filter(({ event }) => event === "cleared").length;
      await world.host.compact(session);
      await world.strata?.idle();
      expect(session.stored.at(-1)).toMatchObject({ type: "compaction", status: "completed" });
      const after = world
        .lines(`savings/${session.id}.jsonl`)
        .filter(({ event }) => event === "cleared").length;
      expect(after).toBe(before);
    }
  });

  it("(doubt 10) a summary of ours has a heading of the host's template", async () => {
    const { session, world } = await play({});
    await world.host.compact(session);
    expect(session.stored.at(-1)?.summary?.split("\n")[0]).toBe("## Objective");
  });

  it("(doubt 11) a cache hint is put only where the host shows one, and is of its class", async () => {
    const output = LONG.slice(0, 8_000);
    for (const showsHints of [true, false]) {
      const world = await openWorld({ doubts: { showsHints } });
      const session = world.host.newSession();
      world.host.model.script(call("read", { path: "a.ts" }, output), say("seen"));
      await world.host.ask(session, "look");
      const sent = world.host.model.primary(session.id).at(-1)?.messages.join("\n") ?? "";
      expect(sent.includes('"cache"')).toBe(showsHints);
    }
  });

  it("(doubt 12) a tool answers with its failure, and never throws", async () => {
    const world = await openWorld();
    for (const tool of world.host.tools.values()) {
      const answer = await tool.execute({ nonsense: [] }, { sessionID: "s", messageID: "m", id: "c" });
      expect(typeof answer.content).toBe("string");
    }
  });

  it("(doubt 13) nothing that the host hands out is changed in place: all of it is frozen on the contract host", async () => {
    const { isMoved } = await play({});
    expect(isMoved).toBe(true);
  });

  it("(doubt 14) no hook on a request throws, whatever fails in it", async () => {
    const clock = createFakeClock();
    const world = await openWorld({ clock });
    const { host, strata } = world;
    if (!strata) throw new Error("expected the plugin to have started");
    const session = host.newSession();
    strata.requests.open = () => {
      throw new Error("broken inside");
    };
    host.model.script(call("shell", { command: "log" }, LONG), say("seen"));
    await settle(clock, host.ask(session, "look"));
    expect(host.model.primary(session.id).at(-1)?.messages.join("")).toContain("row 450 ");
    expect(await world.log()).toContain("broken inside; the request stays as it was");
  });

  it("(doubt 15) an answer on the screen is left out of requests, and a host that refuses it shows an error", async () => {
    const world = await openWorld();
    const session = world.host.newSession();
    await world.host.ask(session, "hi");
    await runCommand(world, "memory", session.id);
    await world.host.ask(session, "on");
    expect(world.host.model.primary(session.id).at(-1)?.messages.join("")).not.toContain("/memory");
    const refusing = await openWorld({ faults: { "session.synthetic": "rejects" } });
    const other = refusing.host.newSession();
    await expect(runCommand(refusing, "memory", other.id)).rejects.toThrow("[Strata] /memory");
  });

  it("(doubt 16) a warming request decides nothing, with the context hook or without it", async () => {
    const { session, world } = await play({});
    await world.strata?.idle();
    const before = world.lines(`savings/${session.id}.jsonl`).length;
    await world.host.warm(session);
    await world.strata?.idle();
    expect(world.lines(`savings/${session.id}.jsonl`)).toHaveLength(before);
  });

  it("(doubt 17) a host that calls both entries gets one plugin", async () => {
    const { createEntries } = await import("../../src/host/entries.js");
    const entries = createEntries();
    expect([entries.enter("server", "/p"), entries.enter("setup", "/p")]).toEqual([true, false]);
    const other = createEntries();
    expect([other.enter("setup", "/p"), other.enter("server", "/p")]).toEqual([true, false]);
  });

  it("(doubt 18) results whose times are stored too late are sent whole and stay whole", async () => {
    for (const isLate of [true, false]) {
      const { isMoved, requests } = await play(
        {},
        {
          around: {
            "session.context": (usual) => async (input) => {
              const all = (await usual(input)) as { type: string }[];
              const last = isLate ? all.findLastIndex(({ type }) => type === "assistant") : -1;
              return all.filter((_, index) => index !== last);
            },
          },
        },
      );
      expect(findBreaks(requests), String(isLate)).toEqual([]);
      expect(isMoved).toBe(!isLate);
    }
  });
});

describe("the contract", () => {
  const contract = readFileSync(CONTRACT, "utf8");

  it("the contract has a test for each of its doubts", () => {
    const numbers = [...contract.matchAll(/^ \*\s+DOUBT (\d+) /gm)].map(([, number]) => number);
    const tests = readFileSync("test/host-v2/doubts.test.ts", "utf8");
    expect(numbers.length).toBeGreaterThan(15);
    expect(numbers.filter((number) => !tests.includes(`"(doubt ${number}) `))).toEqual([]);
  });

  it("the contract names a source for each of its types", () => {
    const declared = [
      ...contract.matchAll(/(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?export (?:interface|const) (\w+)/g),
    ];
    const unsourced = declared.flatMap(([, comment = "", name]) =>
      /\[[^\]]+\]/.test(comment) ? [] : [name],
    );
    expect(declared.length).toBeGreaterThan(20);
    expect(unsourced).toEqual([]);
  });
});
