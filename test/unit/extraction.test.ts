import { describe, expect, it } from "vitest";
import { bash, CANDIDATE, MESSAGE, openExtraction } from "../support/extraction.js";
import { call } from "../support/messages.js";

describe("after a turn, without a model", () => {
  it("what the user marked as lasting is kept in the user's words, with where it comes from", async () => {
    const { kept, memories, say } = await openExtraction();
    await say("Look at the failing login test. We decided on SQLite. Never push to main.");
    expect(kept()).toEqual(["directive: Never push to main."]);
    expect([...memories.all.values()][0]).toMatchObject({
      title: "Never push to main",
      when: ["git push"],
      provenance: {
        by: "user",
        how: "marked",
        session: "ses_1",
        message: "msg_0",
        evidence: "Never push to main.",
      },
    });
  });

  it("a message is read once, however often the session goes idle, in this process and the next", async () => {
    const world = await openExtraction();
    await world.say("Never push to main.");
    await world.idle();
    const after = await openExtraction({ world });
    await after.idle();
    await after.say("Fix the login page.");
    expect(world.memories.done).toEqual(["remember directive/never-push-to-main"]);
  });

  it("secrets stay out of it, and do not reach a model either", async () => {
    const token = ["gh", "p_", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCaB3d"].join("");
    const { asked, files, memories, quiet, say } = await openExtraction({ respond: () => "no" });
    await say(`Remember that the deploy job uses ${token} for the registry.`);
    await say(`${MESSAGE} The deploy job uses ${token} for the registry.`);
    await quiet();
    expect(asked).toHaveLength(1);
    expect(asked[0]?.prompt).toContain(CANDIDATE);
    const everything = JSON.stringify([
      asked,
      [...memories.all.values()],
      [...files.contents.values()].map(String),
    ]);
    expect(everything).toContain("[removed: GitHub token]");
    expect(everything).not.toContain(token);
  });

  it("nothing is written where it is switched off", async () => {
    const { files, kept, say } = await openExtraction({ options: { autoMemory: { enabled: false } } });
    await say("Never push to main.", { calls: [bash("make e2e"), bash("make e2e")] });
    expect(kept()).toEqual([]);
    expect([...files.contents.keys()]).toEqual([]);
  });

  it("extraction stands back where the agent saved something itself in that turn, and only there", async () => {
    const { kept, say } = await openExtraction();
    const failed = call("memory_remember", "", { state: { status: "error" } });
    const saving = (content: string, type = "knowledge") =>
      call("memory_remember", "ok", { state: { input: { content, type } } });
    await say("Never push to main.", { calls: [saving("Never push to main.", "directive")] });
    await say("The importer reads one file at a time.", { calls: [saving("The importer is slow.")] });
    await say("Never squash merge.", { calls: [failed] });
    expect(kept()).toEqual(["directive: Never squash merge."]);
  });
});
