/** Output of `strata sessions` and `strata agenda leases`, and a person's changes. */
import { describe, expect, it } from "vitest";
import { findRefusal } from "../../src/kernel/hooks.js";
import { MORNING } from "../support/fake-clock.js";
import { call } from "../support/messages.js";
import { inProject, openPair, type Pair, textOf } from "../support/pair.js";
import { runStrata } from "../support/shell.js";

const strata = ({ clock, files }: Pair, line: string) =>
  runStrata(files, line, { clock, isInTerminal: true });
const todo = (content: string, status: string) =>
  call("todowrite", "ok", { state: { input: { todos: [{ content, status }] } } });

describe("strata sessions", () => {
  it("strata sessions shows start, last activity, tool calls and phase of each session, last used first", async () => {
    const pair = await openPair();
    await pair.a.turn("port the parser");
    pair.a.session.answer([todo("the emitter", "in_progress")], { text: "Begun." });
    pair.a.session.user("And the tests.");
    await pair.a.request();
    await pair.b.turn("choose a port");
    pair.b.session.answer([call("bash", "ok")], { text: "Shall I use 8080?" });
    await pair.b.turn("wait");
    pair.b.session.answer([], { text: "Which port shall it be?" });
    pair.b.world.host.messages.set("ses_b", pair.b.session.messages);
    await pair.b.event("session.idle", { sessionID: "ses_b" });
    const found = JSON.parse((await strata(pair, "sessions --json")).out);
    expect(found).toEqual([
      expect.objectContaining({ id: "ses_b", toolCalls: 1, requests: 2, phase: "asking" }),
      expect.objectContaining({
        id: "ses_a",
        goal: "port the parser",
        phase: "working",
        doing: "the emitter",
        openTodos: 1,
        toolCalls: 1,
      }),
    ]);
    expect(Date.parse(found[1].started)).toBeGreaterThan(MORNING);
    expect(Date.parse(found[1].lastActive)).toBeGreaterThanOrEqual(Date.parse(found[1].started));
    const { out } = await strata(pair, "sessions --limit 1");
    expect(out).toMatch(/^ses_b {2}choose a port {2}\(asking, just now, 1 tool call, instance \w+\)$/);
  });

  it("strata sessions says that there are none before an agent has worked", async () => {
    const pair = await openPair();
    await pair.files.writeWhole(inProject(".opencode/strata/x"), "x");
    expect((await strata(pair, "sessions")).out).toContain("No session of this project has notes yet");
    expect(JSON.parse((await strata(pair, "sessions --json")).out)).toEqual([]);
  });
});

describe("strata agenda leases", () => {
  it("strata agenda leases shows what agents hold, and releases it for a person", async () => {
    const pair = await openPair();
    await pair.a.turn("build the login");
    expect((await strata(pair, "agenda leases")).out).toBe("Nothing is held.");
    await pair.a.tool("lease", { op: "claim", item: "#34", why: "the login" });
    expect((await strata(pair, "agenda leases")).out).toMatch(
      /^#34 is held by ses_a \(instance \w+\) until .*"the login"$/,
    );
    expect(JSON.parse((await strata(pair, "agenda leases --json")).out)).toMatchObject([{ item: "#34" }]);
    expect((await strata(pair, "agenda release #34")).out).toMatch(
      /^Released: #34 \(was held by ses_a \(instance \w+\)\)$/,
    );
    expect((await strata(pair, "agenda release #34")).err).toContain("#34 is not held");
  });

  it("a lease of a person holds against agents until it expires, and needs no instance", async () => {
    const pair = await openPair();
    await pair.a.turn("build the login");
    expect((await strata(pair, "agenda claim a.ts --minutes 30 --why review")).out).toContain(
      "Claimed: a.ts is held by the user until",
    );
    await expect(pair.a.tool("lease", { op: "claim", item: "a.ts" })).rejects.toThrow(
      "Work on something else, wait, or ask the user.",
    );
    await expect(pair.a.tool("lease", { op: "release", item: "a.ts" })).rejects.toThrow("held by the user");
    pair.clock.advance(30 * 60_000 + 1);
    expect(await pair.a.tool("lease", { op: "claim", item: "a.ts" })).toContain("Claimed");
    expect((await strata(pair, "agenda claim a.ts")).err).toContain("is held by ses_a");
  });

  it("an agent is warned once before it edits what a person holds, with no other instance there", async () => {
    const pair = await openPair();
    await pair.a.turn("build the login");
    pair.running.delete(2);
    await strata(pair, "agenda claim a.ts");
    const input = { filePath: inProject("a.ts"), oldString: "a", newString: "b" };
    await pair.a.before("edit", input, "call_edit");
    pair.a.session.answer([call("edit", "edited", { callID: "call_edit", state: { input } })]);
    const shown = textOf(await pair.a.request());
    expect(shown).toContain("[Strata] The user is at work here:");
    expect(shown).toContain("a.ts is held until");
    expect(shown).toContain("ask the user before you change more");
  });

  it("an edit refused by a person's lease refers the agent to the user, who reads no agents' messages", async () => {
    const pair = await openPair({ crossAgent: { onConflict: "block" } });
    await pair.a.turn("build the login");
    await strata(pair, "agenda claim a.ts");
    const input = { filePath: inProject("a.ts"), oldString: "a", newString: "b" };
    expect(findRefusal(await pair.a.before("edit", input, "call_edit"))).toMatch(
      /The edit was not made.* Wait, or ask the user\.$/s,
    );
  });

  it("strata agenda leases refuses other words", async () => {
    const pair = await openPair();
    await pair.a.turn("build the login");
    for (const line of [`lease claim ${"x".repeat(501)}`, `lease claim x --why ${"x".repeat(201)}`])
      expect(await strata(pair, line)).toMatchObject({
        code: 2,
        err: expect.stringContaining("must have at most"),
      });
    for (const line of ["lease drop #34", "lease claim", "lease list #34", "lease claim #34 --minutes 900"])
      expect([line, (await strata(pair, line)).code]).toEqual([line, 2]);
  });
});
