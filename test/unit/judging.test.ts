/** When the small model judges: when nobody says anything, when much waits, at a compaction, at the next start. */
import { describe, expect, it, vi } from "vitest";
import { bash, MESSAGE, messageOf, OTHER, openExtraction, QUIET_MS } from "../support/extraction.js";

const nothing = { respond: () => "[]" };

describe("the small model", () => {
  it("the small model is not asked per turn, but once nobody has said anything for a minute and a half", async () => {
    const { asked, background, clock, say } = await openExtraction(nothing);
    await say(MESSAGE);
    await say(messageOf(OTHER));
    clock.advance(QUIET_MS - 1);
    await background.onIdle();
    expect(asked).toHaveLength(0);
    clock.advance(1);
    await background.onIdle();
    expect(asked.map(({ purpose, sessionID }) => [purpose, sessionID])).toEqual([
      ["memory judgement", "ses_1"],
    ]);
    for (const text of [MESSAGE, messageOf(OTHER)]) expect(asked[0]?.prompt).toContain(text.split(". ")[0]);
  });

  it("the small model is asked at once about twenty messages", async () => {
    const { asked, say } = await openExtraction(nothing);
    const names =
      "amber basil cedar daisy elder fennel ginger hazel iris juniper kale laurel maple nettle olive poppy quince rose sage thyme";
    for (const [n, name] of names.split(" ").entries()) {
      expect(asked, `before message ${n + 1}`).toHaveLength(0);
      await say(messageOf(`The server called ${name} is where the ${name} reports of our customers lie.`));
    }
    expect(asked).toHaveLength(1);
    expect(asked[0]?.prompt).toContain("m20.1");
  });

  it.each(["off", "agent"])(
    "the small model is not asked where the judge is %s, and what is marked is kept",
    async (judge) => {
      const world = await openExtraction({ ...nothing, options: { autoMemory: { judge } } });
      await world.say(`${MESSAGE} Never push to main.`);
      world.extraction.onCompaction("ses_1");
      await world.quiet();
      expect(world.asked).toHaveLength(0);
      expect(world.kept()).toEqual(["directive: Never push to main."]);
      expect(await world.waiting()).toHaveLength(1);
    },
  );

  it("the small model is asked one question at a time, and again for what came meanwhile", async () => {
    let answer: (text: string) => void = () => {};
    const world = await openExtraction({
      respond: () => new Promise<string>((resolve) => (answer = resolve)),
    });
    const { asked, clock, extraction, host, session } = world;
    const talk = (text: string): void => {
      extraction.onTurn("ses_1");
      session.user(text);
      session.answer([], { text: "done" });
      host.messages.set("ses_1", [...session.messages]);
      extraction.onIdle("ses_1");
    };
    talk(MESSAGE);
    await vi.waitFor(async () => expect(await world.waiting()).toHaveLength(1));
    extraction.onCompaction("ses_1");
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    talk(`${messageOf(OTHER)} Never push to main.`);
    await vi.waitFor(async () => expect(await world.waiting()).toHaveLength(2));
    await vi.waitFor(() => expect(world.kept()).toEqual(["directive: Never push to main."]));
    clock.advance(QUIET_MS);
    expect(asked).toHaveLength(1);
    answer("[]");
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    expect(asked[1]?.prompt).toContain(OTHER);
    expect(asked[1]?.prompt).not.toContain("SQLite");
    answer("[]");
    await world.background.onIdle();
    expect(await world.waiting()).toEqual([]);
  });

  it("the small model is told what the work showed since it last answered, and again if it did not", async () => {
    let answer = "no list";
    const { asked, quiet, say } = await openExtraction({ respond: () => answer });
    await say(MESSAGE, { calls: [bash("make e2e", 1), bash("make e2e", 1), bash("make e2e FAST=1")] });
    const told = "w1 `make e2e FAST=1` worked after 2 failures";
    await quiet();
    answer = "[]";
    await say("go on");
    await quiet();
    await say(messageOf(OTHER));
    await quiet();
    expect(asked.map(({ prompt }) => prompt.includes(told))).toEqual([true, true, false]);
  });
});
