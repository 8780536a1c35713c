import { describe, expect, it } from "vitest";
import { planMemories } from "../../layers/always/taken-back/taken-memories.js";
import type { Message } from "../../src/io/message.js";
import type { Memory } from "../../src/memory/memory.js";
import { PROJECT } from "../support/fake-host.js";
import { memory } from "../support/memories.js";
import { call } from "../support/messages.js";
import { createSession, type Session } from "../support/session.js";
import { openWorld, type World } from "../support/world.js";

const RULE = "Never use Postgres for the importer.";
const MEMORY = `${PROJECT}/.opencode/memory`;
const FILE = "directive/never-use-postgres-importer.md";

const event = (world: World, type: string, properties: object) =>
  world.strata.dispatcher.ask("event", { type, properties: { ...properties } }, undefined);

/** What the host tells when a person undoes a part of a session, or does it again. */
const tellUndone = (world: World, revert?: object) =>
  event(world, "session.updated", { sessionID: "ses_1", info: { id: "ses_1", ...(revert && { revert }) } });

/** Sends a request as the host does, which has these messages. */
async function request(world: World, messages: readonly Message[], sessionID = "ses_1") {
  world.host.messages.set(sessionID, [...messages]);
  await world.strata.dispatcher.ask("turn", { sessionID }, undefined);
  return world.request(messages);
}

async function end(world: World, messages: readonly Message[], sessionID = "ses_1") {
  world.host.messages.set(sessionID, [...messages]);
  await event(world, "session.idle", { sessionID });
  await world.strata.idle();
}

/** A session whose second turn has a rule in it, kept as a memory. */
async function work(options: Record<string, unknown> = {}) {
  const world = await openWorld({ options });
  const session = createSession(world.clock);
  session.user("Look at the importer.");
  await request(world, session.messages);
  session.answer([call("bash", "one")], { text: "one" });
  const undoneFrom = session.messages.length;
  session.user(RULE);
  await request(world, session.messages);
  session.answer([call("bash", "two")], { text: "two" });
  await end(world, session.messages);
  return { world, session, undoneFrom };
}

const undo = (session: Session, from: number): Message[] => session.messages.splice(from);
const has = (world: World, path: string): boolean => world.files.text(`${MEMORY}/${path}`) !== undefined;

describe("a memory stays although its message was taken back", () => {
  const keep = async (change: (world: World, session: Session) => Promise<void> | void) => {
    const { world, session, undoneFrom } = await work();
    await change(world, session);
    const undone = undo(session, undoneFrom);
    world.host.messages.set("ses_1", [...session.messages]);
    await tellUndone(world, { messageID: undone[0]?.info.id });
    await world.strata.idle();
    return has(world, FILE);
  };

  it("a memory stays although its message was taken back if a person edited it by hand, or the user said it in another session, too", async () => {
    const edited = (world: World) => {
      const path = `${MEMORY}/${FILE}`;
      world.files.contents.set(path, Buffer.from(`${world.files.text(path)}\nNor MySQL.\n`));
    };
    expect(await keep(edited)).toBe(true);
    const again = async (world: World) => {
      const other = createSession(world.clock, "ses_2");
      other.user(RULE);
      await request(world, other.messages, "ses_2");
      other.answer([call("bash", "x")], { text: "x" });
      await end(world, other.messages, "ses_2");
    };
    expect(await keep(again)).toBe(true);
    expect(await keep(() => {})).toBe(false);
  });
});

describe("what a taken-back memory had superseded", () => {
  const at = { messages: [], now: "2026-11-21T09:00:00.000Z", sessionID: "ses_1" };
  const own = (id: string, given: Partial<Memory> = {}): Memory => ({
    ...memory(id, id, { type: "directive", id }),
    provenance: { by: "user", session: "ses_1", message: `msg_${id}`, evidence: `say ${id}` },
    ...given,
  });
  const said = (id: string, text = `say ${id}`): Message => ({
    info: { id: `msg_${id}`, sessionID: "ses_1", role: "user" },
    parts: [{ type: "text", text }],
  });

  it("what a taken-back memory had superseded holds again, until the memory is back", () => {
    const older = own("old", {
      status: "superseded",
      supersededBy: "new",
      provenance: { by: "user", session: "ses_0" },
    });
    const { away, back } = planMemories([older, own("new")], at);
    expect(away.map(({ after: { id, status } }) => `${id} ${status}`)).toEqual([
      "new archived",
      "old active",
    ]);
    expect(back).toEqual([]);
    const [gone, free] = away.map(({ after }) => after);
    const again = planMemories([free ?? older, gone ?? older], { ...at, messages: [said("new")] });
    expect(again.away).toEqual([]);
    expect(again.back.map(({ after }) => [after.id, after.status, after.supersededBy, after.extra])).toEqual([
      ["new", "archived", undefined, {}],
      ["old", "superseded", "new", {}],
    ]);
  });

  it("what a taken-back memory had superseded goes with a message that says something else now, not with one that is set in another way", () => {
    const goneWith = (text: string) => planMemories([own("a")], { ...at, messages: [said("a", text)] }).away;
    expect(goneWith("**Say:** a!")).toEqual([]);
    expect(goneWith("Say nothing")).toHaveLength(1);
    const elsewhere = [said("a", "nothing"), said("b", "I say a.")];
    expect(planMemories([own("a")], { ...at, messages: elsewhere }).away).toEqual([]);
  });

  it("a memory from whose words a secret was removed stays while its message is there", () => {
    const evidence = "the token is [removed: GitHub token]";
    const memory = own("a", { provenance: { ...own("a").provenance, evidence } });
    const goneWith = (messages: Message[]) => planMemories([memory], { ...at, messages }).away;
    expect(goneWith([said("a", "the token is ghp_x")])).toEqual([]);
    expect(goneWith([])).toHaveLength(1);
  });

  it("what a taken-back memory had superseded is nobody else's: another session's, a person's, the repository's, one that was brought back by hand", () => {
    const others = [
      own("a", { provenance: { by: "user", session: "ses_2", message: "msg_a", evidence: "say a" } }),
      own("b", { provenance: { by: "person", session: "ses_1", message: "msg_b" } }),
      own("c", { isForeign: true }),
      own("d", { extra: { takenBack: "2026-11-20" } }),
    ];
    expect(planMemories(others, at)).toEqual({ away: [], back: [] });
  });
});

it("recorded text with words that were taken back stays while the host does not answer, and is removed once it does", async () => {
  const { world, session, undoneFrom } = await work();
  session.user("Go on.");
  undo(session, undoneFrom);
  world.host.messages.delete("ses_1");
  session.user("Go on in another way.");
  await world.strata.dispatcher.ask("turn", { sessionID: "ses_1" }, undefined);
  await world.request(session.messages);
  await world.strata.idle();
  expect(has(world, FILE)).toBe(true);
  expect(world.files.text(`${PROJECT}/.opencode/session-memory/ses_1.md`)).toContain("Postgres");
  await request(world, session.messages);
  await world.strata.idle();
  expect(has(world, FILE)).toBe(false);
  expect(world.files.text(`${PROJECT}/.opencode/session-memory/ses_1.md`)).not.toContain("Postgres");
});
