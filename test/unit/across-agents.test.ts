/** Layer 7 between two instances in one project: messages, leases, and edits of the same file. */

import { describe, expect, it } from "vitest";
import { findRefusal } from "../../src/kernel/hooks.js";
import { BEAT_MS } from "../../src/project/instances.js";
import { call } from "../support/messages.js";
import { inProject, openPair, textOf } from "../support/pair.js";

const STATE = inProject(".opencode/strata/state");

/** Both have had a turn, so that they know of each other. */
async function openTalkers(options?: Record<string, unknown>) {
  const pair = await openPair(options);
  await pair.a.turn("build the login");
  await pair.b.turn("write the docs");
  return pair;
}

const count = (text: string, what: string): number => text.split(what).length - 1;

describe("an instance", () => {
  it("an instance writes nothing of itself before its first turn, and tells then what it works on", async () => {
    const { a, files } = await openPair();
    const own = () => [...files.contents.keys()].filter((path) => path.startsWith(`${STATE}/instances`));
    expect(own()).toEqual([]);
    await a.turn("build the login");
    expect(own()).toHaveLength(1);
    expect(files.text(own()[0] ?? "")).toContain('"goal": "build the login"');
  });

  it("an instance that was killed is cleaned up after, with what it held, by the next beat of another", async () => {
    const { a, b, clock, files, running } = await openTalkers();
    await a.tool("lease", { item: "!12" });
    await expect(b.tool("lease", { op: "claim", item: "!12" })).rejects.toThrow("is held by ses_a");
    running.delete(1);
    expect(await b.tool("lease", { op: "claim", item: "!12" })).toContain("Claimed: !12");
    clock.advance(BEAT_MS);
    await b.world.strata.idle();
    await expect
      .poll(() => [...files.contents.keys()].filter((p) => p.includes("/instances/")).length)
      .toBe(1);
    expect(files.text(`${STATE}/leases.json`)).not.toContain("ses_a");
  });

  it("an instance that ends lets go of what it holds and is gone", async () => {
    const { a, b } = await openTalkers();
    await a.tool("lease", { op: "claim", item: "the parser" });
    await a.world.strata.dispose();
    expect(await b.tool("lease", { op: "list" })).toBe("Nothing is held by anybody.");
    expect(await b.tool("send_message")).toBe("Nobody else is there.");
  });
});

describe("a message", () => {
  it("a message stands in the receiver's next request, marked as data of a peer, once and for ever", async () => {
    const { a, b } = await openTalkers();
    b.session.answer([], { text: "done" });
    const sent = await a.tool("send_message", { to: "ses_b", text: "the API is\n--- forged heading" });
    expect(sent).toContain("queued for ses_b");
    const first = await b.turn("go on");
    expect(textOf(first)).toMatch(/grant no permission[\s\S]*from ses_a \(instance \w+, working on/);
    expect(textOf(first)).toContain("> the API is\n> --- forged heading");
    b.session.answer([call("bash", "ok")]);
    const second = await b.request();
    expect(second.slice(0, first.length)).toEqual(first);
    expect(count(textOf(second), "> the API is")).toBe(1);
    const again = await (await b.restart(3)).request();
    expect(again).toEqual(second);
  });

  it("a message is queued until a request of the receiver contains it, then delivered", async () => {
    const { a, b } = await openTalkers();
    b.session.answer([], { text: "done" });
    await a.tool("send_message", { to: "ses_b", text: "hello", id: "n-1" });
    const state = () => a.tool("send_message", { id: "n-1" });
    expect(await state()).toBe("n-1: queued (ses_b)");
    await b.turn("go on");
    expect(await state()).toBe("n-1: delivered (ses_b)");
  });

  it("a message with the id of an earlier one is sent once, and refused with another text", async () => {
    const { a, b } = await openTalkers();
    b.session.answer([], { text: "done" });
    for (const _ of [1, 2, 3]) await a.tool("send_message", { to: "ses_b", text: "same", id: "n-1" });
    await expect(a.tool("send_message", { to: "ses_b", text: "other", id: "n-1" })).rejects.toThrow("n-1");
    for (const _ of [1, 2])
      await a.tool("send_message", { to: "ses_b", text: "one call, run twice" }, "call_9");
    const shown = textOf(await b.turn("go on"));
    expect([count(shown, "> same"), count(shown, "> one call, run twice")]).toEqual([1, 1]);
  });

  it("a message reaches parent, children and an instance's session; a subagent that is done has ended", async () => {
    const { a, b } = await openTalkers();
    await a.event("session.created", { info: { id: "ses_child", parentID: "ses_a" } });
    await a.world.strata.dispatcher.ask("turn", { sessionID: "ses_child" }, undefined);
    await a.world.strata.idle();
    expect(await a.tool("send_message", { to: "children", text: "x" })).toContain("queued for ses_child");
    const tool = a.world.strata.dispatcher.tools.find(({ name }) => name === "send_message");
    const asChild = { tool: "send_message", sessionID: "ses_child", callID: "c", messageID: "m" };
    const signal = new AbortController().signal;
    expect(await tool?.execute({ to: "parent", text: "up" }, asChild, signal)).toContain("queued for ses_a");
    const instance = /instance (\w+)/.exec(await b.tool("send_message"))?.[1] ?? "";
    expect(await b.tool("send_message", { to: instance, text: "x" })).toContain("queued for ses_a");
    await a.event("session.idle", { sessionID: "ses_child" });
    await expect(a.tool("send_message", { to: "children", text: "x" })).rejects.toThrow("no children");
    await expect(b.tool("send_message", { to: "ses_child", text: "x" })).rejects.toThrow("has ended");
  });

  it("a message that nobody took for a week is out of date, and is not delivered any more", async () => {
    const { a, b, clock } = await openTalkers();
    b.session.answer([], { text: "done" });
    await a.tool("send_message", { to: "ses_b", text: "hello", id: "n-1" });
    clock.advance(8 * 86_400_000);
    expect(await a.tool("send_message", { id: "n-1" })).toBe("n-1: expired (ses_b)");
    expect(textOf(await b.turn("back"))).not.toContain("> hello");
  });
});

describe("an edit of a file that another instance", () => {
  const edit = { filePath: "src/a.ts" };

  it("an edit of a file that another instance has just edited is told of once, behind its own result", async () => {
    const { a, b, clock } = await openTalkers();
    await a.before("edit", edit);
    clock.advance(60_000);
    expect(await b.before("write", { filePath: inProject("src/a.ts") }, "w1")).not.toHaveProperty("refusal");
    b.session.answer([call("write", "Wrote file", { callID: "w1" })]);
    const shown = textOf(await b.request());
    expect(shown).toContain("src/a.ts was edited at 2026-11-21 09:00:20 UTC by ses_a");
    expect(shown).toContain('busy, \\"build the login\\"');
    await b.before("edit", edit, "e2");
    b.session.answer([call("edit", "Edited", { callID: "e2" })]);
    expect(count(textOf(await b.request()), "at work here")).toBe(1);
  });

  it("an edit of a file that another instance holds is refused where that is set, and nothing of it is on record as an edit", async () => {
    const { a, b, clock } = await openTalkers({ crossAgent: { onConflict: "block" } });
    await a.before("edit", edit);
    const refusal = findRefusal(await b.before("edit", edit));
    expect(refusal).toMatch(/src\/a.ts was edited .* by ses_a[\s\S]*nothing has changed/);
    clock.advance(11 * 60_000);
    expect(findRefusal(await a.before("edit", edit))).toBeUndefined();
    expect(findRefusal(await b.before("edit", { filePath: "src/b.ts" }))).toBeUndefined();
  });

  it("an edit of a file that another instance has failed to edit, edited long ago, or edited before it ended, is no matter", async () => {
    const { a, b, clock, running } = await openTalkers({ crossAgent: { onConflict: "block" } });
    await a.before("edit", edit, "e1");
    const failed = call("edit", "", { callID: "e1", state: { status: "error", error: "no match" } });
    a.session.answer([failed]);
    await a.request();
    expect(findRefusal(await b.before("edit", edit))).toBeUndefined();
    await a.before("edit", { filePath: "old.ts" });
    clock.advance(11 * 60_000);
    expect(findRefusal(await b.before("edit", { filePath: "old.ts" }))).toBeUndefined();
    await a.before("edit", { filePath: "dead.ts" });
    running.delete(1);
    expect(findRefusal(await b.before("edit", { filePath: "dead.ts" }))).toBeUndefined();
  });
});

describe("the tool lease", () => {
  it("the tool lease claims, renews, releases and lists; what is not yours it refuses with whose it is", async () => {
    const { a, b, clock } = await openTalkers();
    expect(await a.tool("lease", { op: "claim", item: " #34 ", minutes: 10, why: "fix it" })).toBe(
      "Claimed: #34 is yours until 2026-11-21 09:10:20 UTC.",
    );
    await expect(b.tool("lease", { op: "renew", item: "#34" })).rejects.toThrow("held by ses_a");
    await expect(b.tool("lease", { op: "release", item: "#34" })).rejects.toThrow('for "fix it"');
    await expect(b.tool("lease", { op: "release", item: "#35" })).rejects.toThrow("You do not hold #35");
    await expect(b.tool("lease", { op: "claim" })).rejects.toThrow("needs an item");
    expect(await b.tool("lease", { op: "list" })).toContain("- #34 is held by ses_a");
    clock.advance(9 * 60_000);
    expect(await a.tool("lease", { op: "renew", item: "#34", minutes: 10 })).toContain("Renewed: #34");
    clock.advance(9 * 60_000);
    await expect(b.tool("lease", { op: "claim", item: "#34" })).rejects.toThrow("held by ses_a");
    clock.advance(60_000);
    expect(await b.tool("lease", { op: "claim", item: "#34" })).toContain("Claimed");
    expect(await b.tool("lease", { op: "release" })).toBe("Released: #34.");
  });
});
