/** Two real hosts in one repository: they warn each other of edits, write to each other, and one of them is killed. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { startBeside } from "../stage/beside.js";
import { findBreaks, formatBreak } from "../stage/prefix-breaks.js";
import { openStage } from "../stage/stage.js";
import { call, say } from "../stage/steps.js";

test("an edit of another host's file is reported, a message arrives once, and the leases of a killed host end", async () => {
  await using stage = await openStage({ files: { "a.ts": "one\n" } });
  const { host, end } = await startBeside(stage.project);
  try {
    const filePath = stage.project.file("a.ts");
    const a = await stage.newSession("a");
    const b = await host.newSession("b");
    stage.model.script(say("hello"));
    await b.ask("write the docs");
    stage.model.script(
      call("lease", { op: "claim", item: "#34" }),
      call("write", { filePath, content: "two\n" }),
      call("send_message", { to: b.id, text: "a.ts is mine today", id: "n-1" }, { id: "send" }),
      say("done"),
    );
    await a.ask("build the login");
    expect(stage.model.lastRequest().toolResult("send")).toContain(`n-1: queued for ${b.id}`);

    stage.model.script(
      call("read", { filePath }),
      call("edit", { filePath, oldString: "two", newString: "three" }, { id: "edit" }),
      call("lease", { op: "claim", item: "#34" }, { id: "lease" }),
      say("done"),
    );
    await b.ask("go on");
    const last = stage.model.lastRequest();
    expect(last.textOf("user").split("> a.ts is mine today")).toHaveLength(2);
    expect(last.textOf("user")).toContain("grant no permission");
    expect(last.toolResult("edit")).toMatch(
      new RegExp(`a\\.ts was edited at .* by ${a.id} \\(instance \\w+, idle, "build the login"\\)`),
    );
    expect(stage.read("a.ts")).toBe("three\n");
    expect(last.toolResult("lease")).toContain(`held by ${a.id}`);
    const stored = JSON.stringify(await b.messages());
    expect(stored).not.toContain("a.ts is mine today");
    expect(stored).not.toContain("at work here");

    stage.model.script(call("send_message", { id: "n-1" }, { id: "state" }), say("done"));
    await a.ask("was it read?");
    expect(stage.model.lastRequest().toolResult("state")).toBe(`n-1: delivered (${b.id})`);

    await stage.host.kill();
    stage.model.script(
      call("lease", { op: "claim", item: "#34" }, { id: "again" }),
      call("send_message", { to: a.id, text: "still there?" }, { id: "gone" }),
      say("done"),
    );
    await b.ask("take it over");
    expect(stage.model.lastRequest().toolResult("again")).toContain("Claimed: #34");
    expect(stage.model.lastRequest().toolResult("gone")).toContain("or it has ended");
    expect(findBreaks(stage.model.requests).map(formatBreak)).toEqual([]);
  } finally {
    await end();
  }
});

test("two hosts that write the same decision lose neither: a record has both texts, and the next session is told", async () => {
  await using stage = await openStage();
  const { host, end } = await startBeside(stage.project);
  try {
    const a = await stage.newSession("a");
    const b = await host.newSession("b");
    stage.model.script(say("hello"), say("hello"));
    await b.ask("write the docs");
    await a.ask("build the login");
    const decide = (content: string, id: string) =>
      call("memory_remember", { type: "decision", title: "API port", content }, { id });
    stage.model.script(decide("The api listens on port 8080, since 3000 was taken.", "a"), say("done"));
    await a.ask("decide on a port");
    expect(stage.model.lastRequest().toolResult("a")).toContain("Kept: decision/api-port");
    stage.model.script(decide("The api listens on port 9090, as the proxy wants it.", "b"), say("done"));
    await b.ask("decide on a port too");
    const told = stage.model.lastRequest().toolResult("b");
    expect(told).toContain('Somebody else in this project has written about "API port"');
    const [, path = ""] = /Both versions stand in (\S+\.md)/.exec(told) ?? [];
    const record = readFileSync(path, "utf8");
    expect(record).toContain("The api listens on port 8080, since 3000 was taken.");
    expect(record).toContain("The api listens on port 9090, as the proxy wants it.");
    expect(stage.read(".opencode/memory/decision/api-port.md")).toContain("8080");

    stage.model.script(say("hello"));
    await (await stage.newSession("next")).ask("good morning");
    expect(stage.model.lastRequest().textOf("user")).toContain(
      '- "API port" (decision/api-port): both are in',
    );
    const found = {
      action: "edit",
      id: "decision/api-port",
      content: "The api listens on port 9090, as the proxy wants it.",
    };
    stage.model.script(call("memory_update", found, { id: "u" }), say("done"));
    await b.ask("9090 it is");
    expect(stage.model.lastRequest().toolResult("u")).toContain("Changed: decision/api-port");
    stage.model.script(say("hello"));
    await (await stage.newSession("last")).ask("good evening");
    expect(stage.model.lastRequest().textOf("user")).not.toContain("nobody has decided which holds");
  } finally {
    await end();
  }
});
