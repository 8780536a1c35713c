import { describe, expect, it } from "vitest";
import type { Message } from "../../src/io/message.js";
import { HEADINGS } from "../../src/notes/page.js";
import { createFakeHost, PROJECT, written } from "../support/fake-host.js";
import { createFakeProcesses } from "../support/fake-processes.js";
import { call, fork, lines, outputs } from "../support/messages.js";
import { createSession } from "../support/session.js";
import { openWorld, type World } from "../support/world.js";

const NOTES = `${PROJECT}/.opencode/session-memory`;
const SECTIONS = HEADINGS.map((heading) => `## ${heading}\n- about ${heading}`).join("\n\n");
const options = { sessionMemory: { updateThreshold: 512, toolCallThreshold: 2 } };
const event = (world: World, type: string, properties: object) =>
  world.strata.dispatcher.ask("event", { type, properties: { ...properties } }, undefined);
const noteOf = (world: World, sessionID: string) => world.files.text(`${NOTES}/${sessionID}.md`);

async function open(given: Parameters<typeof openWorld>[0] = {}) {
  const world = await openWorld({ options, ...given });
  return { world, session: createSession(world.clock) };
}

describe("the notes on a session", () => {
  it("the notes on a session are written behind the turn once something was done, and not for a question and its answer", async () => {
    const { world, session } = await open();
    session.user("what is this?");
    session.answer([], { text: "a project" });
    await world.request(session.messages);
    await world.strata.idle();
    expect(noteOf(world, "ses_1")).toBeUndefined();
    session.user("Port the parser.");
    session.answer([
      call("bash", "ok", { state: { input: { command: "npm test" }, metadata: { exit: 0 } } }),
    ]);
    await world.request(session.messages);
    await world.strata.idle();
    expect(noteOf(world, "ses_1")).toContain("Port the parser.");
    expect(noteOf(world, "ses_1")).toContain("npm test");
  });

  it("the notes on a session are not kept for a subagent, which works for its parent, nor where the layer is off", async () => {
    const { world } = await open();
    await event(world, "session.created", { info: { id: "ses_child", parentID: "ses_1" } });
    const child = createSession(world.clock, "ses_child");
    child.user("look it up");
    child.answer([call("bash", "ok")]);
    await world.request(child.messages);
    await event(world, "session.idle", { sessionID: "ses_child" });
    await world.strata.idle();
    expect(noteOf(world, "ses_child")).toBeUndefined();

    const off = await open({ options: { sessionMemory: { enabled: false } } });
    off.session.user("go");
    off.session.answer(Array.from({ length: 10 }, () => call("bash", "ok")));
    expect(await off.world.request(off.session.messages)).toBe(off.session.messages);
    await off.world.strata.idle();
    expect(noteOf(off.world, "ses_1")).toBeUndefined();
  });

  it("the notes on a session learn the last answer of a turn when the session is idle, from the host", async () => {
    const { world, session } = await open();
    session.user("Port the parser.");
    session.answer([call("bash", "ok")]);
    await world.request(session.messages);
    session.answer([], { text: "The parser is ported." });
    world.host.messages.set("ses_1", session.messages);
    await event(world, "session.idle", { sessionID: "ses_1" });
    await world.strata.idle();
    expect(noteOf(world, "ses_1")).toContain("The parser is ported.");
  });

  it("the notes on a session of a session that was compacted before they were kept begin with all that the host has", async () => {
    const { world, session } = await open();
    const before = [session.user("Never use eval."), session.answer([call("bash", "ok")])];
    const summary = [session.user(""), session.answer([], { info: { summary: true }, text: lines(20) })];
    world.host.messages.set("ses_1", [...before, ...summary]);
    await world.request([...summary, session.user("go on")]);
    await world.strata.idle();
    expect(noteOf(world, "ses_1")).toContain("Never use eval.");
  });
});

describe("the reminder", () => {
  it("the reminder is recorded, stands in the tail, and is the same for ever and everywhere", async () => {
    const { world, session } = await open({
      options: { sessionMemory: { goalRefresh: 3, goalDistance: 0 } },
    });
    session.user("Port the parser.");
    session.answer([call("bash", "one"), call("bash", "two")]);
    expect(outputs(await world.request(session.messages))).toEqual(["one", "two"]);
    session.answer([call("bash", "three")]);
    const shown = outputs(await world.request(session.messages));
    expect(shown.slice(0, 2)).toEqual(["one", "two"]);
    expect(shown[2]).toMatch(/^three\n\n\[Strata\] A reminder after 3 tool calls.*\nPort the parser\.$/s);
    expect(world.decisions()).toMatchObject([{ outcome: "extended", layer: "session-memory" }]);

    session.answer([call("bash", "four")]);
    expect(outputs(await world.request(session.messages))).toEqual([...shown, "four"]);
    const again = await world.restart();
    expect(outputs(await again.request(fork(session.messages, "ses_f")))).toEqual([...shown, "four"]);
    expect(world.decisions()).toHaveLength(1);
  });

  it("the reminder goes with the next batch that clears results before it, at once and for good", async () => {
    const { world, session } = await open({
      options: {
        sessionMemory: { goalRefresh: 2, goalDistance: 0 },
        microCompact: { floor: 100, keepRecent: 0 },
      },
    });
    session.user("Port the parser.");
    session.answer([call("bash", "x".repeat(8_000)), call("task", "two")]);
    const reminded = outputs(await world.request(session.messages));
    expect(reminded[1]).toMatch(/^two\n\n\[Strata\] A reminder/);
    session.answer([], { text: "Done." });
    world.clock.advance(3 * 60 * 60_000);
    session.user("And now?");
    const cleared = outputs(await world.request(session.messages));
    expect(cleared[0]).toContain("[Strata] Cleared");
    expect(cleared[1]).toBe("two");
    session.answer([], { text: "Nothing." });
    const again = await world.restart();
    expect(outputs(await again.request(session.messages))).toEqual(cleared);
  });

  it("the reminder stays where nothing before it is cleared", async () => {
    const { world, session } = await open({
      options: { sessionMemory: { goalRefresh: 2, goalDistance: 0 } },
    });
    session.user("Port the parser.");
    session.answer([call("bash", "one"), call("task", "two")]);
    const reminded = outputs(await world.request(session.messages));
    session.answer([], { text: "Done." });
    world.clock.advance(3 * 60 * 60_000);
    session.user("And now?");
    expect(outputs(await world.request(session.messages))).toEqual(reminded);
  });
});

describe("what the last session has left open", () => {
  const asked = (view: readonly Message[]) => view[0]?.parts.map(({ text }) => text ?? "") ?? [];

  async function leaveOpen() {
    const { world, session } = await open();
    session.user("Finish the port.");
    session.answer([call("bash", "half")]);
    await world.request(session.messages);
    await world.strata.idle();
    // Killed in the middle of the turn.
    return world.restart();
  }

  it("what the last session has left open is told with the first message of the next one, once, in the same bytes from then on", async () => {
    const world = await leaveOpen();
    const next = createSession(world.clock, "ses_2");
    next.user("hello");
    const [own, greeting] = asked(await world.request(next.messages));
    expect(own).toBe("hello");
    expect(greeting).toContain("It is no request");
    expect(greeting).toContain("Last request, not answered: Finish the port.");
    expect(greeting).toContain(`${NOTES}/ses_1.md`);
    next.answer([], { text: "hi" });
    next.user("go on");
    expect(asked(await world.request(next.messages))).toEqual([own, greeting]);
    expect(asked(await (await world.restart()).request(next.messages))).toEqual([own, greeting]);
    expect(world.decisions().filter(({ outcome }) => outcome === "extended")).toHaveLength(1);
  });

  it("what the last session has left open is not told to a subagent, nor in the middle of a session, nor after a week", async () => {
    const world = await leaveOpen();
    await event(world, "session.created", { info: { id: "ses_child", parentID: "ses_2" } });
    const child = createSession(world.clock, "ses_child");
    child.user("look");
    expect(asked(await world.request(child.messages))).toEqual(["look"]);
    const later = createSession(world.clock, "ses_3");
    later.user("one");
    later.answer([]);
    later.user("two");
    expect(asked(await world.request(later.messages))).toEqual(["one"]);
    world.clock.advance(8 * 86_400_000);
    const week = createSession(world.clock, "ses_4");
    week.user("hello");
    expect(asked(await world.request(week.messages))).toEqual(["hello"]);
  });

  it("what the last session has left open is not told of a session that is in the middle of its turn, and is once that was ended", async () => {
    const { world, session } = await open();
    session.user("Finish the port.");
    session.answer([call("bash", "half")]);
    await world.request(session.messages);
    await world.strata.idle();
    const beside = createSession(world.clock, "ses_2");
    beside.user("hello");
    expect(asked(await world.request(beside.messages))).toEqual(["hello"]);
    await event(world, "session.idle", { sessionID: "ses_1" });
    const next = createSession(world.clock, "ses_3");
    next.user("hello");
    expect(asked(await world.request(next.messages))[1]).toContain("not answered: Finish the port.");
  });

  it("what the last session has left open is not told of a session that another instance is at work on, and is once that was killed", async () => {
    const { world, session } = await open({ options: { ...options, boot: { activeSessions: false } } });
    session.user("Finish the port.");
    session.answer([call("bash", "half")]);
    await world.strata.dispatcher.ask("turn", { sessionID: "ses_1" }, undefined);
    await world.request(session.messages);
    await world.strata.idle();
    const other = await world.restart();
    const beside = createSession(world.clock, "ses_2");
    beside.user("hello");
    expect(asked(await other.request(beside.messages))).toEqual(["hello"]);
    const host = Object.assign(createFakeHost(), { processes: createFakeProcesses(2) });
    const { world: third } = await open({ clock: world.clock, files: world.files, host });
    const next = createSession(world.clock, "ses_3");
    next.user("hello");
    expect(asked(await third.request(next.messages))[1]).toContain("not answered: Finish the port.");
  });

  it("what the last session has left open is written when the host ends", async () => {
    const { world, session } = await open();
    session.user("Finish the port.");
    session.answer([call("bash", "half")]);
    const writing = world.request(session.messages);
    await writing;
    await world.strata.dispose();
    expect(noteOf(world, "ses_1")).toContain("Finish the port.");
  });

  it("what the last session has left open is nothing once it was answered", async () => {
    const { world, session } = await open();
    session.user("Finish the port.");
    session.answer([call("bash", "ok")], { text: "It is finished." });
    session.answer([], { text: "Done." });
    await world.request(session.messages);
    await world.strata.idle();
    const next = createSession(world.clock, "ses_2");
    next.user("hello");
    expect(asked(await world.request(next.messages))).toEqual(["hello"]);
  });
});

describe("the sections that a small model writes", () => {
  async function work(respond: string, given: Record<string, unknown> = options) {
    const host = createFakeHost();
    host.respond = () => written(respond);
    const { world, session } = await open({ host, options: given });
    session.user("Port the parser.");
    const step = async (size: number, calls: number) => {
      session.answer(Array.from({ length: calls }, () => call("bash", "x".repeat(size))));
      await world.request(session.messages);
      await world.strata.idle();
    };
    return { world, host, session, step };
  }

  it("the sections that a small model writes are asked for after so much growth and so many calls, both, and again after as much", async () => {
    const { host, step } = await work(SECTIONS);
    await step(4_000, 1);
    expect(host.generated).toHaveLength(0);
    await step(0, 1);
    expect(host.generated).toHaveLength(1);
    await step(0, 3);
    expect(host.generated).toHaveLength(1);
    await step(4_000, 1);
    expect(host.generated).toHaveLength(2);
    expect(host.generated[0]).toMatchObject({ parentID: "ses_1", title: "session notes" });
    expect(host.generated[0]?.prompt).toContain("USER: Port the parser.");
  });

  it("the sections that a small model writes stand in the notes when they are what was asked for", async () => {
    const { world, step } = await work(SECTIONS);
    await step(4_000, 2);
    expect(noteOf(world, "ses_1")).toContain("about Learnings");
  });

  it("the sections that a small model writes are refused when they are anything else, and the notes stay as they were", async () => {
    for (const garbage of [
      "I cannot do that.",
      `Sure!\n${SECTIONS}`,
      SECTIONS.replace("Learnings", "Lessons"),
    ]) {
      const { world, step } = await work(garbage);
      await step(4_000, 2);
      expect(noteOf(world, "ses_1")).toContain("Port the parser.");
      expect(noteOf(world, "ses_1")).not.toContain("about Workflow");
      expect(await world.log()).toContain("rejected the model's sections for the notes of ses_1: Expected");
    }
  });

  it("the sections that a small model writes are not asked for without a budget, nor where only the main model is there", async () => {
    const { host, step, world } = await work(SECTIONS, { ...options, background: { dailyCalls: 0 } });
    await step(4_000, 2);
    const paid = await work(SECTIONS);
    paid.host.configured.small = "acme/large";
    await paid.step(4_000, 2);
    expect([...host.generated, ...paid.host.generated]).toEqual([]);
    expect(noteOf(world, "ses_1")).toContain("Port the parser.");
  });
});
