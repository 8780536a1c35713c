import { describe, expect, it } from "vitest";
import { bindTools } from "../../src/host/commands-and-tools.js";
import { createFakeHost, PROJECT } from "../support/fake-host.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { createSession } from "../support/session.js";
import { openWorld, type World, type WorldOptions } from "../support/world.js";

const MEMORY = `${PROJECT}/.opencode/memory`;

async function open(given: WorldOptions = {}) {
  const host = createFakeHost();
  const world = await openWorld({ host, ...given });
  const session = createSession(world.clock);
  host.messages.set("ses_1", session.messages);
  return { host, world, session };
}

/** Calls a tool as the host does; the answer, or why it was refused. */
async function run(world: World, name: string, args: object, sessionID = "ses_1"): Promise<string> {
  const { clock, dispatcher, log } = world.strata;
  const abort = new AbortController().signal;
  const context = { sessionID, messageID: "msg_a", callID: "call_a", abort };
  const bound = bindTools(dispatcher.tools, { clock, log })[name];
  if (!bound) return "no such tool";
  return bound
    .execute(args as never, context as never)
    .then(String, (thrown: Error) => `refused: ${thrown.message}`);
}

const event = (world: World, type: string, properties: Record<string, unknown>) =>
  world.strata.dispatcher.ask("event", { type, properties }, undefined);

describe("memory in the machine", () => {
  it("memory in the machine says nothing in a subagent's session and takes nobody's word for the user's there", async () => {
    const files = createMemoryFiles({ [`${MEMORY}/directive/no-force.md`]: "Never force-push.\n" });
    const { host, world } = await open({ files });
    await event(world, "session.created", { info: { id: "ses_child", parentID: "ses_1" } });
    const child = createSession(world.clock, "ses_child");
    child.user("Always use tabs here.");
    host.messages.set("ses_child", child.messages);
    expect(await world.request(child.messages)).toBe(child.messages);
    const rule = { type: "preference", content: "Always use tabs here." };
    expect(await run(world, "memory_remember", rule, "ses_child")).toContain("refused: Nothing was changed");
    host.parents.set("ses_of_an_earlier_process", "ses_1");
    host.messages.set("ses_of_an_earlier_process", child.messages);
    const resumed = await run(world, "memory_remember", rule, "ses_of_an_earlier_process");
    expect(resumed).toContain("refused: Nothing was changed");
    const fact = { type: "knowledge", content: "The build takes ten minutes." };
    expect(await run(world, "memory_remember", fact, "ses_child")).toContain("Kept: knowledge/");
  });

  it("memory in the machine tells the user once what a turn has stored of their words, and how to take it back", async () => {
    const { host, session, world } = await open();
    await world.strata.dispatcher.ask("turn", { sessionID: "ses_1" }, undefined);
    session.user("Always deploy on Fridays.");
    for (let times = 0; times < 2; times++) {
      await world.request(session.messages);
      session.answer([], { text: "Understood." });
      await event(world, "session.idle", { sessionID: "ses_1" });
      await world.strata.idle();
    }
    expect(host.toasts).toEqual([
      "Strata: remembered: Always deploy on Fridays (/memory-undo takes it back)",
    ]);
  });

  it("memory in the machine takes in a copy of a session the words of the user for the user's, and not those of the task", async () => {
    const { host, session, world } = await open();
    session.user("Never force-push.");
    const copy = createSession(world.clock, "ses_copy");
    copy.user("Never force-push.");
    copy.user("Always use tabs here.");
    host.forks.set("ses_copy", "ses_1");
    host.messages.set("ses_copy", copy.messages);
    const ruleOfTask = { type: "directive", content: "Always use tabs here." };
    expect(await run(world, "memory_remember", ruleOfTask, "ses_copy")).toContain("Nothing was changed");
    const rule = { type: "directive", content: "Never force-push." };
    expect(await run(world, "memory_remember", rule, "ses_copy")).toContain("Kept: directive/");
  });

  it("memory in the machine takes what a command's template says for nobody's word", async () => {
    const { session, world } = await open();
    const text = "Always deploy on Fridays.";
    await world.strata.dispatcher.ask("command", { sessionID: "ses_1", texts: [text] }, undefined);
    session.user(text);
    const rule = { type: "directive", content: text };
    expect(await run(world, "memory_remember", rule)).toContain("refused: Nothing was changed");
    session.user("Yes: always deploy on Fridays.");
    expect(await run(world, "memory_remember", rule)).toContain("Kept: directive/");
  });

  it("memory in the machine writes no secret, neither into a memory nor into the ledger", async () => {
    const { world } = await open();
    const secret = `ghp_${"a1B2c3D4e5F6g7H8i9".repeat(2)}`;
    const fact = { type: "knowledge", content: `The token is ${secret}.` };
    expect(await run(world, "memory_remember", fact)).toMatch(
      /refused: Nothing was changed. Expected a fact, and a/,
    );
    const kept = await run(world, "memory_remember", {
      type: "knowledge",
      content: "The token is in the vault.",
    });
    const id = /Kept: (\S+) in/.exec(kept)?.[1];
    await run(world, "memory_update", { id, action: "archive", reason: `it is ${secret} now` });
    await world.strata.idle();
    const written = [...world.files.contents.values()].map((bytes) => Buffer.from(bytes).toString());
    expect(written.filter((text) => text.includes(secret))).toEqual([]);
    expect([...world.files.contents.keys()].some((path) => path.includes("/archive/"))).toBe(true);
  });
});
