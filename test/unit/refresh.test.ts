/** `/refresh`: shows goal, open points and rules again. */
import { describe, expect, it } from "vitest";
import { openWorker, request, type } from "../support/worker-session.js";

describe("/refresh", () => {
  it("puts goal, open points and the user's rules after the next message, and changes nothing before it", async () => {
    const { session, world } = await openWorker();
    await type(world, "remember", "directive: never push to main");
    await type(world, "remember", "knowledge: the port is 8080");
    session.answer([], { text: "ok" });
    const before = await request(world, session);
    expect(await type(world, "refresh")).toContain("with your next message");
    session.user("Where are we?");
    const after = await request(world, session);
    expect(after.slice(0, before.length)).toEqual(before);
    const told = JSON.stringify(after.at(-1)?.parts);
    for (const one of [
      "look again at what this session is for",
      "never push to main",
      "emitter",
      "Never use eval",
    ])
      expect(told).toContain(one);
    expect(told).not.toContain("8080");
    session.answer([], { text: "ok" });
    session.user("Thanks.");
    expect(JSON.stringify((await request(world, session)).at(-1)?.parts)).not.toContain("look again");
    await expect(type(world, "refresh", "", "ses_unknown")).rejects.toThrow("no notes of this session yet");
  });
});
