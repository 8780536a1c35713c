import { describe, expect, it } from "vitest";
import { MESSAGE, openExtraction, STATE, verdicts } from "../support/extraction.js";

describe("a crash", () => {
  it("a crash in the middle of a turn: it is read at the next start, whichever session goes on", async () => {
    const world = await openExtraction();
    world.extraction.onTurn("ses_1");
    await world.background.onIdle();
    world.session.user("Never push to main.");
    world.host.messages.set("ses_1", [...world.session.messages]);
    const after = await openExtraction({ world });
    after.extraction.onTurn("ses_2");
    await after.background.onIdle();
    expect(after.kept()).toEqual(["directive: Never push to main."]);
    const third = await openExtraction({ world });
    world.memories.all.clear();
    third.extraction.onTurn("ses_2");
    await third.background.onIdle();
    expect(third.kept()).toEqual([]);
  });

  it("a crash that took the machine state with it: a subagent's session is still nobody's word", async () => {
    const world = await openExtraction();
    world.host.parents.set("ses_1", "ses_0");
    await world.say("Never push to main.");
    expect(world.kept()).toEqual([]);
  });

  it("a crash before anything is written: it is found at the next idle", async () => {
    const world = await openExtraction();
    world.memories.failures.push(new Error("ENOSPC: no space"));
    await world.say("Never push to main.");
    expect(world.kept()).toEqual([]);
    expect(world.log.lines.join()).toContain("ENOSPC");
    const after = await openExtraction({ world });
    await after.idle();
    expect(after.kept()).toEqual(["directive: Never push to main."]);
  });

  it("a crash after all is written and before the cursor moves: nothing changes", async () => {
    const world = await openExtraction({ respond: () => verdicts({}) });
    await world.say("Fix it.");
    const before = world.files.contents.get(`${STATE}/ses_1.json`);
    await world.say(MESSAGE);
    await world.say("Never push to main.");
    await world.quiet();
    expect(world.memories.done).toHaveLength(2);
    if (before) world.files.contents.set(`${STATE}/ses_1.json`, before);
    const after = await openExtraction({ world, respond: () => verdicts({}) });
    await after.idle();
    await after.quiet();
    expect(world.memories.all.size).toBe(2);
    expect(await after.waiting()).toEqual([]);
  });

  it("a crash that left half a cursor: what was said before stays unread, what comes is read", async () => {
    const world = await openExtraction();
    await world.say("Never push to main.");
    world.files.contents.set(`${STATE}/ses_1.json`, Buffer.from('{"v":1,"unt'));
    const after = await openExtraction({ world });
    await after.idle();
    await after.say("Never squash merge.");
    expect(after.kept()).toEqual(["directive: Never push to main.", "directive: Never squash merge."]);
    expect(world.memories.done).toHaveLength(2);
  });

  it("what was said before the plugin listened, as in a fork's history, is left alone", async () => {
    const { extraction, background, clock, idle, kept, session } = await openExtraction();
    session.user("Never push to main.");
    session.answer([]);
    clock.advance(60_000);
    extraction.onTurn("ses_1");
    await background.onIdle();
    session.user("Fix the login page.");
    session.answer([]);
    await idle();
    expect(kept()).toEqual([]);
  });
});
