import { describe, expect, it } from "vitest";
import type { Message } from "../../src/io/message.js";
import { createFakeHost, PROJECT } from "../support/fake-host.js";
import { createFakeProcesses } from "../support/fake-processes.js";
import { call, fork, lines, outputs } from "../support/messages.js";
import { createSession } from "../support/session.js";
import { openWorld, type World } from "../support/world.js";

const NOTES = `${PROJECT}/.opencode/session-memory`;
const event = (world: World, type: string, properties: object) =>
  world.strata.dispatcher.ask("event", { type, properties: { ...properties } }, undefined);
const noteOf = (world: World, sessionID: string) => world.files.text(`${NOTES}/${sessionID}.md`);

async function open(given: Parameters<typeof openWorld>[0] = {}) {
  const world = await openWorld(given);
  return { world, session: createSession(world.clock) };
}

it("the notes on a session are written behind the turn once something was done, and not for a question and its answer", async () => {
  const { world, session } = await open();
  session.user("what is this?");
  session.answer([], { text: "a project" });
  await world.request(session.messages);
  await world.strata.idle();
  expect(noteOf(world, "ses_1")).toBeUndefined();
  session.user("Port the parser.");
  session.answer([call("bash", "ok", { state: { input: { command: "npm test" }, metadata: { exit: 0 } } })]);
  await world.request(session.messages);
  await world.strata.idle();
  expect(noteOf(world, "ses_1")).toContain("Port the parser.");
  expect(noteOf(world, "ses_1")).toContain("npm test");
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

describe("the reminder", () => {
  const reminding = { sessionMemory: { goalRefresh: 2, goalDistance: 0 } };

  it("the reminder is recorded, stands in the tail, and is the same for ever and everywhere", async () => {
    const { world, session } = await open({ options: reminding });
    session.user("Port the parser.");
    session.answer([call("bash", "one")]);
    expect(outputs(await world.request(session.messages))).toEqual(["one"]);
    session.answer([call("bash", "two")]);
    const shown = outputs(await world.request(session.messages));
    expect(shown[0]).toBe("one");
    expect(shown[1]).toMatch(/^two\n\n\[Strata\] A reminder after 2 tool calls.*\nPort the parser\.$/s);
    expect(world.decisions()).toMatchObject([{ outcome: "extended", layer: "session-memory" }]);
    session.answer([call("bash", "three")]);
    expect(outputs(await world.request(session.messages))).toEqual([...shown, "three"]);
    const again = await world.restart();
    expect(outputs(await again.request(fork(session.messages, "ses_f")))).toEqual([...shown, "three"]);
    expect(world.decisions()).toHaveLength(1);
  });
});

describe("what the last session has left open", () => {
  /** The texts of a new session's first message. */
  async function begin(world: World, sessionID: string) {
    const session = createSession(world.clock, sessionID);
    session.user("hello");
    return { session, texts: textsOf(await world.request(session.messages)) };
  }
  const textsOf = (view: readonly Message[]) => view[0]?.parts.map(({ text }) => text ?? "") ?? [];

  async function leaveOpen(given: Parameters<typeof openWorld>[0] = {}, answer?: string) {
    const { world, session } = await open(given);
    session.user("Finish the port.");
    session.answer([call("bash", "half")], answer === undefined ? {} : { text: answer });
    if (given.options) await world.strata.dispatcher.ask("turn", { sessionID: "ses_1" }, undefined);
    await world.request(session.messages);
    await world.strata.idle();
    return world;
  }

  it("what the last session has left open is told with the first message of the next one, once, in the same bytes from then on", async () => {
    // Killed in the middle of the turn.
    const world = await (await leaveOpen()).restart();
    const { session, texts } = await begin(world, "ses_2");
    expect(texts).toEqual(["hello", expect.stringContaining("It is no request")]);
    expect(texts[1]).toContain("Last request, not answered: Finish the port.");
    expect(texts[1]).toContain(`${NOTES}/ses_1.md`);
    session.answer([], { text: "hi" });
    session.user("go on");
    expect(textsOf(await world.request(session.messages))).toEqual(texts);
    expect(textsOf(await (await world.restart()).request(session.messages))).toEqual(texts);
    expect(world.decisions().filter(({ outcome }) => outcome === "extended")).toHaveLength(1);
  });

  it("what the last session has left open is not told while it is in the middle of its turn, here or in another instance", async () => {
    const world = await leaveOpen();
    expect((await begin(world, "ses_2")).texts).toEqual(["hello"]);
    await event(world, "session.idle", { sessionID: "ses_1" });
    expect((await begin(world, "ses_3")).texts[1]).toContain("not answered: Finish the port.");

    const one = await leaveOpen({ options: { boot: { activeSessions: false } } });
    expect((await begin(await one.restart(), "ses_2")).texts).toEqual(["hello"]);
    const host = Object.assign(createFakeHost(), { processes: createFakeProcesses(2) });
    const afterKill = await openWorld({ clock: one.clock, files: one.files, host });
    expect((await begin(afterKill, "ses_3")).texts[1]).toContain("not answered: Finish the port.");
  });
});
