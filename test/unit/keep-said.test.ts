/** What becomes of a message before any judge, and why; what comes twice changes nothing. */
import { describe, expect, it } from "vitest";
import { CANDIDATE, MESSAGE, openExtraction, STATE } from "../support/extraction.js";

/** Reads the session again from its beginning, as after a crash before the cursor moved. */
async function readAgain(world: Awaited<ReturnType<typeof openExtraction>>, before: Buffer | undefined) {
  if (before) world.files.contents.set(`${STATE}/ses_1.json`, before);
  const after = await openExtraction({ world });
  await after.idle();
  return after;
}
const begin = async () => {
  const world = await openExtraction();
  await world.say("Fix it.");
  return { world, cursor: world.files.contents.get(`${STATE}/ses_1.json`) as Buffer | undefined };
};

describe("what was said", () => {
  it("what was said is a memory where it is marked, a candidate where its shape may hold something, else left out, and each has its reason", async () => {
    const { candidates, kept, say } = await openExtraction();
    await say("Never push to main.");
    await say(MESSAGE);
    await say("Why is it slow?");
    await say("Fix the login page.");
    await say("```\nNever push.\n```");
    expect(kept()).toEqual(["directive: Never push to main."]);
    const judged = await candidates.judgements();
    expect(judged.map(({ by, outcome, why }) => [by, outcome, why])).toEqual([
      ["marks", "kept", "it says that it lasts"],
      ["shape", "left out", "it only asks"],
      ["shape", "left out", expect.stringContaining("its shape seldom holds something")],
      ["shape", "left out", expect.stringContaining("nothing in it was typed by you")],
    ]);
    expect(judged[0]?.id).toBe("directive/never-push-to-main");
  });

  it("what was said waits with all of its sentences, what the agent had asked, and the sentence that stands for it", async () => {
    const { candidates, host, say, session, background, extraction } = await openExtraction();
    await say("Look at the importer.");
    session.messages.pop();
    session.answer([], { text: "I read it.\nWhich storage is it?" });
    host.messages.set("ses_1", [...session.messages]);
    await say(MESSAGE);
    await background.onIdle();
    extraction.onTurn("ses_1");
    const [one] = await candidates.list();
    expect(one?.said[0]?.statements).toHaveLength(5);
    expect(one?.said[0]?.statements?.[0]).toEqual({ text: CANDIDATE });
    expect(one?.said[0]?.context).toContain("the agent had asked: Which storage is it?");
    const { place = -1, statements, text } = one?.said[0] ?? {};
    expect(statements?.[place]?.text).toBe(text);
  });

  it("what was said and read twice changes nothing: no memory, candidate, count or reason is there twice", async () => {
    const { cursor, world } = await begin();
    await world.say("Never push to main.");
    await world.say(MESSAGE);
    await world.say("Run the linter before you say that you are done.");
    const own = ([path]: [string, unknown]) =>
      /candidates|judgements|repeats/.test(path) && !path.endsWith("lock");
    const read = () => [...world.files.contents].filter(own).map(([path, bytes]) => [path, String(bytes)]);
    const before = read();
    expect(before.map(([path = ""]) => path.split("/").at(-1)).sort()).toEqual([
      "candidates.json",
      "judgements.jsonl",
      "repeats.json",
    ]);
    await readAgain(world, cursor);
    expect(read()).toEqual(before);
    expect(world.memories.done).toHaveLength(1);
  });
});
