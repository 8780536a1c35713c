/** The stories of the real OpenCode 1.18.33, where they apply, on the contract host. */
import { describe, expect, it } from "vitest";
import { contextOf } from "./contract-host.js";
import type { HostSession } from "./host-types.js";
import { call, fail, findBreaks, say, use } from "./script.js";
import { openWorld, runCommand, type World } from "./world.js";

/** `count` lines that no line of another seed equals. */
const text = (count: number, seed: string): string =>
  Array.from({ length: count }, (_, index) => `${seed} ${index} ${"x".repeat(60)}`).join("\n");

describe("requests on the contract host", () => {
  it("a request begins with the bytes of the one before, over many turns and after a restart", async () => {
    let world = await openWorld();
    const session = world.host.newSession();
    for (let turn = 0; turn < 4; turn++) {
      world.host.model.script(
        call("shell", { command: `make ${turn}` }, text(900, `turn ${turn}`)),
        call("read", { path: `src/${turn}.ts` }, text(100, `file ${turn}`)),
        say(`done ${turn}`),
      );
      await world.host.ask(session, `do ${turn}`);
      if (turn === 1) world = await world.restart();
    }
    const requests = world.host.model.primary(session.id);
    expect(requests.length).toBeGreaterThan(11);
    expect(findBreaks(requests)).toEqual([]);
  });

  it("a large result is moved to a file that the request names, and the stored message stays", async () => {
    const { files, host } = await openWorld();
    const session = host.newSession();
    const output = text(900, "row");
    host.model.script(call("shell", { command: "seq" }, output), say("done"));
    await host.ask(session, "go");
    const sent = host.model.primary(session.id).at(-1)?.messages.join("\n") ?? "";
    expect(sent).toContain("[Strata]");
    expect(sent).not.toContain("row 450 ");
    const path = /\/project\/\.opencode\/tool-results\/[\w-]+\.txt/.exec(sent)?.[0] ?? "";
    expect(files.text(path)).toBe(output);
    expect(JSON.stringify(session.stored)).toContain("row 450 ");
  });
});

const ledgerOf = (world: World, { id }: HostSession, event: string) =>
  world.lines(`savings/${id}.jsonl`).filter((record) => record.event === event);

const lastSent = ({ host }: World, { id }: HostSession): string =>
  host.model.primary(id).at(-1)?.messages.join("\n") ?? "";

describe("what leaves the context", () => {
  it("old results are cleared when the cache is cold, with one break that the ledger has", async () => {
    // While the cache is warm, nothing pays back.
    const world = await openWorld({ options: { microCompact: { horizon: 1 } } });
    const { clock, host } = world;
    const session = host.newSession();
    for (let turn = 0; turn < 8; turn++) {
      host.model.script(call("read", { path: `src/${turn}.ts` }, text(200, `file ${turn}`)), say("read"));
      await host.ask(session, `look at ${turn}`);
    }
    clock.advance(3 * 60 * 60 * 1_000);
    host.model.script(say("go on"));
    await host.ask(session, "next");
    await world.strata?.idle();
    expect(ledgerOf(world, session, "cleared").length).toBeGreaterThan(0);
    expect(lastSent(world, session)).not.toContain("file 0 100 ");
    expect(lastSent(world, session)).toContain("file 7 100 ");
    expect(findBreaks(host.model.primary(session.id))).toHaveLength(1);
  });

  it("a history that is too long is replaced by notes; what was said stays, and instruction updates too", async () => {
    const world = await openWorld({ options: { autoCompact: { threshold: 12_000 } } });
    const { host } = world;
    const session = host.newSession();
    for (let turn = 0; turn < 8; turn++) {
      if (turn === 1) host.admit(session, { type: "system", text: "The date is now Monday." });
      host.model.script(
        call("glob", { pattern: `${turn}` }, text(60, `list ${turn}`)),
        say(text(40, `answer ${turn}`)),
      );
      await host.ask(session, turn === 0 ? "Never touch the file legacy.ts. Begin." : `step ${turn}`);
    }
    await world.strata?.idle();
    expect(ledgerOf(world, session, "cut").length).toBeGreaterThan(0);
    const sent = lastSent(world, session);
    for (const words of ["Never touch the file legacy.ts", "The date is now Monday."])
      expect(sent.includes(words), words).toBe(true);
    expect(sent.includes("answer 0 39 ")).toBe(false);
    expect(sent.includes("answer 6 39 ")).toBe(true);
  });

  it("a summary is made of the notes, without a model call, and the next request goes on from it", async () => {
    const world = await openWorld();
    const { host } = world;
    const session = host.newSession();
    host.model.script(call("shell", { command: "npm test" }, "12 passed"), say("tested"));
    await host.ask(session, "Always run npm test before you commit. Test now.");
    host.model.script(say("fine"));
    await host.ask(session, "good");
    const before = host.model.requests.length;
    await host.compact(session);
    expect(host.model.requests).toHaveLength(before);
    expect(contextOf(session)[0]).toMatchObject({ type: "compaction", status: "completed" });
    host.model.script(say("going on"));
    await host.ask(session, "go on");
    expect(lastSent(world, session)).toContain("Always run npm test before you commit");
    host.model.script(say("still"));
    await host.ask(session, "and on");
    const [first, second] = host.model.primary(session.id).slice(-2);
    expect(second?.messages.slice(0, first?.messages.length)).toEqual(first?.messages);
  });

  it("without notes the host's model writes the summary", async () => {
    const world = await openWorld({ options: { autoCompact: { enabled: false } } });
    const { host } = world;
    const session = host.newSession();
    await host.ask(session, "hello");
    await host.ask(session, "hello again");
    host.model.script(say("## Objective\n- greet"));
    await host.compact(session);
    expect(host.model.requests.at(-1)?.kind).toBe("compaction");
    expect(contextOf(session)[0]?.summary).toContain("greet");
  });
});

describe("memory and agents", () => {
  it("what the user says for later is kept, and shown in the next session", async () => {
    const world = await openWorld();
    const { files, host } = world;
    const session = host.newSession();
    host.model.script(say("noted"));
    await host.ask(session, "From now on always use pnpm instead of npm in this repository.");
    await world.strata?.idle();
    await new Promise(setImmediate);
    await world.strata?.idle();
    const memories = [...files.contents.keys()].filter((path) =>
      /\.opencode\/memory\/[a-z]+\/.*\.md$/.test(path),
    );
    expect(memories.map((path) => files.text(path)).join("\n")).toContain("pnpm");
    const next = host.newSession();
    host.model.script(say("hello"));
    await host.ask(next, "Which package manager do we use?");
    expect(lastSent(world, next)).toContain("pnpm");
  });

  it("the agent's own tools store and find a memory, and a wrong call is an answer and no error", async () => {
    const world = await openWorld();
    const { host } = world;
    const session = host.newSession();
    host.model.script(
      use("memory_remember", {
        type: "knowledge",
        title: "Port of the dev server",
        content: "The dev server listens on port 4173.",
      }),
      use("memory_recall", { query: "dev server port" }),
      use("memory_recall", { query: 5 }),
      say("done"),
    );
    await host.ask(session, "remember it");
    const results = host.model.primary(session.id).map(({ messages }) => messages.at(-1) ?? "");
    expect(results[2]).toContain("4173");
    expect(results[3]).toContain("was not run");
    expect(results.join("")).not.toContain('"type":"error"');
  });

  it("a subagent begins with what its parent knows, and the parent's notes have what it touched", async () => {
    const world = await openWorld();
    const { files, host } = world;
    const session = host.newSession();
    host.model.script(
      {
        calls: [
          {
            name: "subagent",
            input: { agent: "explore", prompt: "look" },
            result: { child: "map the code" },
          },
        ],
      },
      call("edit", { path: "src/child.ts", oldString: "a", newString: "b" }, "edited"),
      say("child done"),
      say("parent done"),
    );
    await host.ask(session, "Never use default exports. Map the code.");
    await world.strata?.idle();
    const child = [...host.sessions.values()].find(({ parentID }) => parentID === session.id);
    const first = host.model.primary(child?.id ?? "")[0]?.messages.join("\n");
    expect(first).toContain("Never use default exports");
    host.model.script(say("ok"));
    await host.ask(session, "and now?");
    await world.strata?.idle();
    expect(files.text(`/project/.opencode/session-memory/${session.id}.md`)).toContain("src/child.ts");
  });

  it("a failure that happened before is answered with what happened then", async () => {
    const world = await openWorld();
    const { host } = world;
    const session = host.newSession();
    const broken = fail("shell", { command: "npm run biuld" }, "Missing script: biuld");
    host.model.script(broken, broken, broken, say("given up"));
    await host.ask(session, "build it");
    const stored = JSON.stringify(session.stored);
    expect(lastSent(world, session)).toContain("[Strata]");
    expect(stored).not.toContain("[Strata]");
    expect(findBreaks(host.model.primary(session.id))).toEqual([]);
  });
});

describe("commands, crashes and other places", () => {
  it("a command answers on the screen, and neither its words nor its answer reach the model", async () => {
    const world = await openWorld();
    const { host } = world;
    const session = host.newSession();
    host.model.script(say("hello"));
    await host.ask(session, "hello");
    const before = host.model.requests.length;
    await runCommand(world, "memory", session.id);
    expect(host.model.requests).toHaveLength(before);
    expect(session.stored.at(-1)?.text).toContain("[Strata] /memory");
    host.model.script(say("still here"));
    await host.ask(session, "go on");
    expect(lastSent(world, session)).not.toContain("/memory");
    expect(findBreaks(host.model.primary(session.id))).toEqual([]);
  });

  it("a plugin that was killed sends the same bytes after its next start, and decides nothing again", async () => {
    const world = await openWorld();
    const { host } = world;
    const session = host.newSession();
    host.model.script(call("shell", { command: "log" }, text(900, "log")), say("seen"));
    await host.ask(session, "log");
    await world.strata?.idle();
    const again = await world.restart();
    host.model.script(say("yes"));
    await host.ask(session, "again");
    await again.strata?.idle();
    expect(findBreaks(host.model.primary(session.id))).toEqual([]);
    expect(ledgerOf(again, session, "spilled")).toHaveLength(1);
    const files = [...again.files.contents.keys()].filter((path) => path.includes("/tool-results/"));
    expect(files.filter((path) => path.endsWith(".txt"))).toHaveLength(1);
  });

  it("events of another location change nothing here", async () => {
    const world = await openWorld();
    const { host, strata } = world;
    const session = host.newSession();
    host.model.script(say("hello"));
    await host.ask(session, "hello");
    await strata?.idle();
    const before = world.lines(`savings/${session.id}.jsonl`).length;
    host.emit("session.execution.succeeded", { sessionID: session.id }, "/elsewhere");
    host.emit("session.deleted", { sessionID: session.id }, "/elsewhere");
    await new Promise(setImmediate);
    await strata?.idle();
    expect(world.lines(`savings/${session.id}.jsonl`)).toHaveLength(before);
    host.model.script(say("still"));
    await host.ask(session, "still there?");
    expect(findBreaks(host.model.primary(session.id))).toEqual([]);
  });

  it("a warming request shows what the agent's requests show, and keeps the cache warm for the rule", async () => {
    // While the cache is warm, nothing pays back.
    const world = await openWorld({ options: { microCompact: { horizon: 1 } } });
    const { clock, host, strata } = world;
    const session = host.newSession();
    for (let turn = 0; turn < 8; turn++) {
      host.model.script(call("read", { path: `src/${turn}.ts` }, text(200, `file ${turn}`)), say("read"));
      await host.ask(session, `look at ${turn}`);
    }
    for (let minutes = 0; minutes < 180; minutes += 30) {
      clock.advance(30 * 60 * 1_000);
      await host.warm(session);
    }
    host.model.script(say("go on"));
    await host.ask(session, "next");
    await strata?.idle();
    expect(ledgerOf(world, session, "cleared")).toEqual([]);
    const warm = host.model
      .primary(session.id)
      .filter(({ messages }) => messages.at(-1)?.includes("Reply with"));
    expect(warm).toHaveLength(6);
    expect(warm[0]?.messages.slice(0, -1)).toEqual(warm[5]?.messages.slice(0, -1));
  });

  it("prices and window come from the catalogue", async () => {
    for (const models of ["catalog", "model"] as const) {
      const world = await openWorld({ models });
      const session = world.host.newSession();
      world.host.model.script(say("hello"));
      await world.host.ask(session, "hello");
      await world.strata?.idle();
      const prices = [...world.files.contents.keys()].find((path) => path.includes("prices"));
      expect(world.files.text(prices ?? "")).toContain("acme/large");
    }
  });
});
