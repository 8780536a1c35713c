/** `autoMemory.pastSessions`: sessions from before Strata listened, read and judged behind what the session itself says. */
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/io/message.js";
import { type Given, messageOf, openExtraction, verdicts } from "../support/extraction.js";
import { createSession } from "../support/session.js";

const HOUR_MS = 60 * 60_000;
const BREAD = "The rye bread is baked at 210 degrees, because the old oven heats from below.";
const FLOUR = "The flour comes from the mill in Aarau, as its rye is ground on stone.";
const SALT = "From now on weigh the salt in grams.";
const OPTIONS = { autoMemory: { pastSessions: true } };

/** A world in which these sessions were held before; each is a list of what the user said. */
async function openPast(past: Record<string, string[]>, given: Given = {}) {
  const world = await openExtraction({ respond: () => "[]", options: OPTIONS, ...given });
  const { clock, host } = world;
  for (const [id, texts] of given.world ? [] : Object.entries(past)) {
    const session = createSession(clock, id);
    for (const text of texts) {
      session.user(text);
      session.answer([], { text: "done" });
    }
    const named = (one: Message): Message => ({ ...one, info: { ...one.info, id: `${id}_${one.info.id}` } });
    host.messages.set(id, session.messages.map(named));
  }
  const listed: string[] = Object.keys(past);
  host.listSessions = async () => ({ ids: listed, isTemplate: (text) => text.startsWith("Review the") });
  /** The user says something, and then nothing for a while. */
  const pass = async (afterMs = 0): Promise<void> => {
    clock.advance(afterMs);
    await world.say("go on");
    await world.quiet();
  };
  return { ...world, listed, pass, prompts: () => world.asked.map(({ prompt }) => prompt).join("\n") };
}

describe("past sessions", () => {
  it("past sessions are read once: what is marked is kept, what may hold something is judged in one question under this session", async () => {
    const world = await openPast(
      {
        ses_a: [messageOf(BREAD), SALT, "Review the code of the from now on always quiet oven."],
        ses_b: [messageOf(FLOUR)],
      },
      {
        respond: ({ prompt }) =>
          verdicts({ quote: prompt.includes(`m1.1 ${BREAD}`) ? "m1.1" : "m2.1", says: BREAD }),
      },
    );
    await world.pass();
    expect(world.kept().sort()).toEqual([`directive: ${SALT}`, `knowledge: ${BREAD}`]);
    expect(world.asked.map(({ purpose, sessionID }) => [purpose, sessionID])).toEqual([
      ["memory judgement", "ses_1"],
    ]);
    expect(world.prompts()).toContain(FLOUR);
    expect(await world.waiting()).toEqual([]);
    const [bread] = [...world.memories.all.values()].filter(({ content }) => content === BREAD);
    expect(bread?.provenance).toMatchObject({ session: "ses_a", message: "ses_a_msg_0", how: "model" });

    const after = await openPast({ ses_a: [], ses_b: [] }, { world });
    await after.pass(7 * HOUR_MS);
    expect([after.asked, after.kept().length]).toEqual([[], 2]);
  });

  it("past sessions are looked for at most every six hours, by all instances together, and those that Strata hears are none", async () => {
    const world = await openPast({ ses_a: [messageOf(BREAD)] });
    await world.pass();
    const session = createSession(world.clock, "ses_b");
    session.user(messageOf(FLOUR));
    world.host.messages.set("ses_b", session.messages);
    const other = await openPast({ ses_a: [], ses_b: [], ses_1: [] }, { world });
    await other.pass(5 * HOUR_MS);
    expect(other.asked).toEqual([]);
    await other.pass(HOUR_MS);
    expect(other.asked).toHaveLength(1);
    expect(other.prompts()).toContain(FLOUR);
    expect(other.prompts()).not.toContain(BREAD);
  });

  it.each<[string, Given]>([
    ["by default", { options: {} }],
    ["where the running agent judges", { options: { autoMemory: { pastSessions: true, judge: "agent" } } }],
    ["where no small model is named", { model: "" }],
  ])("past sessions are not read %s", async (_, given) => {
    const world = await openPast({ ses_a: [SALT] }, given);
    await world.pass();
    expect(world.kept()).toEqual([]);
  });
});
