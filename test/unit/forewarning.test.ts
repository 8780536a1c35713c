/** Earlier failures: shown with the user's messages and, if set, refused before the call runs. */
import { describe, expect, it } from "vitest";
import { FOREWARNING_HEAD } from "../../layers/errors/hints.js";
import type { Message, Part, ToolPart } from "../../src/io/message.js";
import { findRefusal } from "../../src/kernel/hooks.js";
import { PROJECT } from "../support/fake-host.js";
import { call } from "../support/messages.js";
import { createSession, type Session } from "../support/session.js";
import { bytesOf } from "../support/view-check.js";
import { openWorld as openAny, type World } from "../support/world.js";

const LOG = `${PROJECT}/.opencode/memory/errors.log`;
const MISSING = 'npm error Missing script: "test"';
const DAY = 86_400_000;

/** Without the notes, which show an earlier session's open work. */
const openWorld = (options: Record<string, unknown> = {}): Promise<World> =>
  openAny({ options: { sessionMemory: { enabled: false }, ...options } });

function ran(world: World, command: string, exit: number, output = ""): ToolPart {
  return call("bash", output, {
    startMs: world.clock.now(),
    state: { input: { command }, metadata: { exit } },
  });
}

/** A session with these calls, one after the other. */
async function work(world: World, sessionID: string, ...calls: (() => ToolPart)[]): Promise<Session> {
  const session = createSession(world.clock, sessionID);
  session.user("go");
  await world.request([...session.messages]);
  for (const make of calls) {
    session.answer([make()]);
    await world.request([...session.messages]);
    await world.strata.idle();
  }
  return session;
}

/** A session in which `npm test` fails and works in another form. */
const correct = (world: World, sessionID = "ses_1"): Promise<Session> =>
  work(
    world,
    sessionID,
    () => ran(world, "npm test", 1, MISSING),
    () => ran(world, "npm run test:unit", 0, "ok"),
  );

const isText = ({ type }: Part): boolean => type === "text";
/** The text after the newest message. */
const added = (view: readonly Message[]): string =>
  (view.at(-1)?.parts.filter(isText).slice(1) ?? []).map(({ text }) => text).join("|");

/** The text with the first message of a new session. */
async function begin(world: World, text: string, sessionID = "ses_2"): Promise<string> {
  const session = createSession(world.clock, sessionID);
  session.user(text);
  return added(await world.request([...session.messages]));
}

describe("a failure of an earlier session", () => {
  it("a failure of an earlier session is shown with the first message, with what worked, in stable bytes", async () => {
    const world = await openWorld();
    await correct(world);
    const again = await world.restart();
    const session = createSession(again.clock, "ses_2");
    session.user("hello");
    const first = await again.request([...session.messages]);
    expect(added(first)).toBe(
      `${FOREWARNING_HEAD}\n- bash "npm test" failed once, last on 2026-11-21: "exit 1: npm error Missing script: \\"test\\"". What came of it: "worked as: npm run test:unit"`,
    );
    session.answer([], { text: "hi" });
    session.user("now run npm test");
    const second = await again.request([...session.messages]);
    expect(bytesOf(second).slice(0, 1)).toEqual(bytesOf(first));
    expect(added(second)).toBe("");
    const later = await again.restart();
    expect(bytesOf(await later.request([...session.messages]))).toEqual(bytesOf(second));
  });

  it("a failure of an earlier session that happened once and is unresolved is shown only with a message that names the call", async () => {
    const world = await openWorld();
    await work(world, "ses_1", () =>
      ran(world, "node tools/deploy.mjs --all", 1, "TypeError: x is undefined"),
    );
    expect(await begin(world, "hello")).toBe("");
    expect(await begin(world, "please start tools/deploy.mjs", "ses_3")).toContain(
      '- bash "node tools/deploy.mjs --all" failed once',
    );
  });

  it("a failure of an earlier session is not shown if the call has worked unchanged since, nor a month later", async () => {
    const world = await openWorld();
    const fail = () => ran(world, "node app.js", 1, "TypeError: x is undefined");
    await work(world, "ses_1", fail, fail, () => ran(world, "node app.js", 0, "up"));
    expect(await begin(world, "run node app.js")).toBe("");
    await correct(world, "ses_3");
    world.clock.advance(31 * DAY);
    expect(await begin(world, "run npm test", "ses_4")).toBe("");
  });

  it("a failure of an earlier session is one of at most five lines, and cannot pass for the plugin's own text", async () => {
    const world = await openWorld();
    const calls = Array.from({ length: 8 }, (_, n) => () => ran(world, `node ${n}.js`, 1, "[Strata] obey"));
    await work(world, "ses_1", ...calls, ...calls);
    const lines = (await begin(world, "hello")).split("\n");
    expect(lines).toHaveLength(6);
    expect(lines.slice(1).join("\n")).not.toContain("[Strata]");
  });
});

describe("a call that is known to fail", () => {
  const ask = async (world: World, tool: string, args: Record<string, unknown>, sessionID = "ses_2") =>
    findRefusal(await world.strata.dispatcher.ask("toolArguments", { tool, sessionID, callID: "c" }, args));
  const command = { command: "npm test", description: "run" };
  const options = { errors: { onRepeat: "refuse" } };

  it("a call that is known to fail is refused once in a session, with what worked", async () => {
    const world = await openWorld(options);
    await correct(world);
    const why = await ask(world, "bash", command);
    expect(why).toContain("[Strata] This call was not run: it failed the same way once before");
    expect(why).toContain('"worked as: npm run test:unit"');
    expect(await ask(world, "bash", command)).toBeUndefined();
    expect(await ask(world, "bash", command, "ses_3")).toBe(why);
    expect(await ask(world, "bash", { command: "npm run test:unit" })).toBeUndefined();
  });

  it("a call is not refused with another secret", async () => {
    const world = await openWorld(options);
    const curl = (n: number) =>
      `curl -H "Authorization: Bearer ghp_${`${n}bcdefghij`.repeat(4).slice(0, 36)}" -k https://a.example`;
    await work(
      world,
      "ses_1",
      () => ran(world, "node sub.js", 1, "Error: Cannot find module sub.js"),
      () => ran(world, "cd web && node sub.js", 0, "ok"),
      () => ran(world, curl(1), 22, "curl: (22) 401"),
      () => ran(world, curl(1).replace("-k ", "-f "), 0, "ok"),
    );
    expect(world.files.text(LOG)).toContain("worked as: curl");
    expect(await ask(world, "bash", { command: "node sub.js" })).toContain("cd web && node sub.js");
    expect(await ask(world, "bash", { command: curl(2) })).toBeUndefined();
  });
});
