/** The same demand in session after session: noticed, shown first, and at last a rule, with nobody to judge it. */
import { describe, expect, it } from "vitest";
import { openTestCandidates } from "../support/candidates.js";
import { openExtraction } from "../support/extraction.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { user } from "../support/messages.js";

/** Of a shape that makes no candidate by itself. */
const DEMAND = "Run the linter before you say that you are done.";

/** A session in which this is said, after some time. */
async function sayInSessions(count: number, text = DEMAND) {
  const world = await openExtraction();
  for (let n = 1; n <= count; n++) {
    world.clock.advance(60_000);
    await world.say(text, { sessionID: `ses_${n}` });
  }
  return world;
}

describe("a demand that is said again and again", () => {
  it("a demand that is said again and again waits from the third session on, before all others, with its count", async () => {
    const twice = await sayInSessions(2);
    expect(await twice.waiting()).toEqual([]);
    const world = await sayInSessions(3);
    const [first] = await world.candidates.list();
    expect(first?.said.map(({ session, text }) => [session, text])).toEqual([
      ["ses_1", DEMAND],
      ["ses_2", DEMAND],
      ["ses_3", DEMAND],
    ]);
    expect(world.kept()).toEqual([]);
  });

  it("a demand that is said again and again is a rule after the fifth session, with its count, and waits no longer", async () => {
    const { kept, memories, waiting } = await sayInSessions(5);
    expect(kept()).toEqual([`directive: ${DEMAND}`]);
    expect([...memories.all.values()][0]?.provenance).toMatchObject({
      ...{ by: "user", how: "repeated", why: "said in 5 sessions", evidence: DEMAND, session: "ses_5" },
    });
    expect(await waiting()).toEqual([]);
  });

  it("a demand is counted in other capitals and signs, in any language; a go-ahead and a question are not", async () => {
    const world = await openExtraction();
    const said = [DEMAND, DEMAND.toLowerCase().replace(".", "!"), `Please fix it. ${DEMAND}`];
    for (const [n, text] of said.entries()) {
      world.clock.advance(60_000);
      await world.say(text, { sessionID: `ses_${n}` });
    }
    expect(await world.waiting()).toHaveLength(1);
    expect(await (await sayInSessions(3, "提交之前先运行所有的测试。")).waiting()).toHaveLength(1);
    expect(await (await sayInSessions(6, "go on, please")).waiting()).toEqual([]);
    expect(await (await sayInSessions(6, "Did you run the linter before you were done?")).waiting()).toEqual(
      [],
    );
    expect(await (await sayInSessions(6, "运行测试")).waiting()).toEqual([]);
  });

  it("a demand whose message is undone is forgotten, and counts again when it is said again", async () => {
    const candidates = openTestCandidates({ files: createMemoryFiles() });
    const hear = async (n: number) =>
      (await candidates.countRepeats([DEMAND], { session: `ses_${n}`, message: `msg_${n}`, saidMs: n }))[0]
        ?.length;
    expect([await hear(1), await hear(2)]).toEqual([1, 2]);
    await candidates.follow("ses_1", []);
    expect(await hear(3)).toBe(2);
    const asking = user(DEMAND);
    await candidates.follow("ses_2", [{ ...asking, info: { ...asking.info, id: "msg_2" } }]);
    expect(await hear(4)).toBe(3);
  });
});
