/** What holds after a checkpoint, when the host shows plugins nothing from before it. */
import { describe, expect, it } from "vitest";
import type { Strata } from "../../src/strata.js";
import { contextOf, MODEL } from "./contract-host.js";
import type { ContractHost, HostSession } from "./host-types.js";
import { call, findBreaks, say } from "./script.js";
import { HostMessage } from "./theirs.js";
import { openWorld, type World } from "./world.js";

const lastSent = ({ host }: World, { id }: HostSession): string =>
  host.model.primary(id).at(-1)?.messages.join("\n") ?? "";

/** As after a turn: what is kept is on the disk. */
async function settleWork({ strata }: World): Promise<void> {
  await strata?.idle();
  await new Promise(setImmediate);
  await strata?.idle();
}

const SUMMARY = `## Objective\n${"- Renames the parser, one module after the other.\n".repeat(20)}`;
const RECENT = `[User]: and now the lexer\n\n${"[Assistant]: A step of the work.\n\n".repeat(2_000)}[Assistant]: LAST STEP`;

const listMemories = ({ files }: World): string[] =>
  [...files.contents.keys()]
    .filter((path) => /\.opencode\/memory\/.*\.md$/.test(path) && !/\/(MEMORY|index)\.md$/i.test(path))
    .map((path) => files.text(path) ?? "");

const memoriesOf = (world: World): string => listMemories(world).join("\n");

const findMemory = (world: World, word: string): string =>
  listMemories(world).find((text) => text.startsWith("---") && text.includes(word)) ?? "";

/** The window is full at the second request of the next turn. */
function compactOnce(host: ContractHost): void {
  let requests = 0;
  host.isFull = () => ++requests === 2;
}

describe("a checkpoint", () => {
  it("a checkpoint keeps its record of recent messages, however long, when its summary is completed", async () => {
    const world = await openWorld();
    const { host } = world;
    const session = host.newSession();
    host.model.script(
      call("edit", { path: "src/a.ts", oldString: "a", newString: "b" }, "edited"),
      say("done"),
    );
    await host.ask(session, "Never touch legacy.ts. Rename the parser.");
    await settleWork(world);
    host.admit(session, { type: "compaction", status: "completed", summary: SUMMARY, recent: RECENT });
    await host.ask(session, "go on");
    const sent = lastSent(world, session);
    expect(sent).toContain("LAST STEP");
    expect(sent).toContain("Renames the parser");
    expect(sent).toContain("Left out by this summary");
    expect(sent).toContain("Never touch legacy.ts");
    expect(sent).not.toContain("of no use");
    expect(sent).toContain("</recent-context>");
    await host.ask(session, "and on");
    expect(findBreaks(host.model.primary(session.id).slice(-2))).toEqual([]);
  });

  for (const isRestarted of [false, true])
    it(`what was said before a checkpoint is not taken for undone${isRestarted ? ", after a restart either" : ""}`, async () => {
      let world = await openWorld();
      const { host } = world;
      const session = host.newSession();
      host.model.script(
        call("edit", { path: "src/a.ts", oldString: "a", newString: "b" }, "edited"),
        say("noted"),
      );
      await host.ask(session, "From now on always use pnpm instead of npm in this repository.");
      await host.ask(session, "Fine.");
      await settleWork(world);
      expect(memoriesOf(world)).toContain("pnpm");
      host.admit(session, { type: "compaction", status: "completed", summary: SUMMARY, recent: RECENT });
      if (isRestarted) world = await world.restart();
      for (const text of ["go on", "and on", "and further"]) await host.ask(session, text);
      await settleWork(world);
      expect(memoriesOf(world)).not.toContain("takenBack");
      expect(memoriesOf(world)).toContain("pnpm");
      const notes = world.files.text(`/project/.opencode/session-memory/${session.id}.md`);
      expect(notes).toContain("pnpm");
      expect(notes).toContain("src/a.ts");
      const broken = world.lines(`savings/${session.id}.jsonl`).filter(({ event }) => event === "break");
      expect(broken.map(({ reason }) => reason)).toEqual(["the host has compacted the session"]);
    });

  it("words of a turn in which the host compacts become a memory", async () => {
    const world = await openWorld();
    const { host } = world;
    const session = host.newSession();
    await host.ask(session, "hello");
    await settleWork(world);
    compactOnce(host);
    host.model.script(call("shell", { command: "make" }, "made"), say("noted"));
    await host.ask(session, "From now on always use pnpm instead of npm in this repository.");
    await settleWork(world);
    expect(contextOf(session)[0]).toMatchObject({ type: "compaction", reason: "auto" });
    expect(contextOf(session).filter(({ type }) => type === "user")).toEqual([]);
    expect(memoriesOf(world)).toContain("pnpm");
  });

  it("a turn that is undone after a checkpoint takes its words with it, and no others", async () => {
    const world = await openWorld();
    const { host } = world;
    const session = host.newSession();
    await host.ask(session, "From now on always use pnpm instead of npm in this repository.");
    await host.ask(session, "Fine.");
    await settleWork(world);
    await host.compact(session);
    await host.ask(session, "From now on always write commit messages in French.");
    await settleWork(world);
    expect(memoriesOf(world)).toContain("French");
    session.stored.splice(session.stored.findIndex(({ text }) => text?.includes("French")));
    await host.ask(session, "go on");
    await settleWork(world);
    const [french, pnpm] = ["French", "pnpm"].map((word) => findMemory(world, word));
    expect(french).toContain("takenBack");
    expect(pnpm).not.toContain("takenBack");
  });

  it("the model's window and prices are known behind a checkpoint within a turn", async () => {
    const world = await openWorld();
    const { host } = world;
    const session = host.newSession();
    await host.ask(session, "hello");
    const windows: (number | undefined)[] = [];
    const { dispatcher } = world.strata as Strata;
    const { ask } = dispatcher;
    dispatcher.ask = ((name: string, request: { window?: { contextTokens: number } }, ...rest: unknown[]) => {
      if (name === "context") windows.push(request.window?.contextTokens);
      return (ask as (...given: unknown[]) => unknown)(name, request, ...rest);
    }) as typeof ask;
    compactOnce(host);
    host.model.script(call("shell", { command: "make" }, "made"), say("done"));
    await host.ask(session, "make it");
    expect(windows).toEqual([200_000, 200_000]);
  });

  it("checkpoints that a person asks for do not open the circuit breaker", async () => {
    const world = await openWorld({ options: { autoCompact: { retryLimit: 2 } } });
    const { host } = world;
    const session = host.newSession();
    await host.ask(session, "Rename the parser.");
    for (const text of ["Go on.", "And the tests.", "And the docs."]) {
      await host.ask(session, text);
      await host.compact(session, "manual");
    }
    await host.ask(session, "Is it done?");
    expect(await world.log()).not.toContain("summaries do not help");
  });

  it("the cost of a summary that the host's model wrote is in the ledger once, that of the notes never", async () => {
    for (const enabled of [true, false]) {
      const world = await openWorld({ options: { autoCompact: { enabled } } });
      const { host } = world;
      const session = host.newSession();
      await host.ask(session, "Rename the parser.");
      await host.ask(session, "Go on.");
      if (!enabled) host.model.script(say(SUMMARY));
      await host.compact(session, "auto");
      for (const text of ["And the tests.", "And the docs."]) await host.ask(session, text);
      await world.strata?.idle();
      const lines = world.lines(`savings/${session.id}.jsonl`);
      expect(lines.filter(({ event }) => event === "summary")).toHaveLength(enabled ? 0 : 1);
      expect(lines.filter(({ event }) => event === "answer")).toHaveLength(4);
    }
  });

  it("a provider's own checkpoint is left alone", async () => {
    const world = await openWorld();
    const { host } = world;
    const session = host.newSession();
    await host.ask(session, "Never touch legacy.ts.");
    const id = host.admit(session, { type: "compaction", status: "completed", summary: "", recent: "" }).id;
    const theirs = [
      new HostMessage({ id, role: "user", content: [{ type: "compaction" as never, text: "opaque" }] }),
      new HostMessage({ id, role: "user", content: [{ type: "text", text: "kept words" }] }),
    ];
    for (const message of theirs) {
      const request = { sessionID: session.id, agent: "build", model: MODEL, system: [], tools: {} };
      const event = { ...request, messages: [message] };
      for (const callback of host.hooks.get("session.context") ?? []) await callback(event as never);
      expect(event.messages).toEqual([message]);
    }
    expect(await world.log()).not.toContain("unusable");
  });
});
