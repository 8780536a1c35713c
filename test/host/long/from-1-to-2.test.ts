/** One project in OpenCode 1 and 2: first one and then the other, and both at once. */
import { expect, test } from "vitest";
import { readRecords } from "../stage/break-reasons.js";
import { whenContains } from "../stage/files.js";
import type { ModelRequest } from "../stage/model-request.js";
import { startOpenCode } from "../stage/opencode.js";
import { openStage, type Stage } from "../stage/stage.js";
import { call, say } from "../stage/steps.js";
import { strata } from "../stage/strata.js";

const notesOf = (id: string): string => `.opencode/session-memory/${id}.md`;
const blob = (bytes: number, id: string) => call("mcp_blob", { bytes }, { id });

/** What the model gets of a conversation; each host has its own system prompt, and its own form of an absent text. */
const conversation = ({ messages }: ModelRequest) =>
  messages
    .filter(({ role }) => role !== "system")
    .map(({ content, role, tool_calls = [], tool_call_id: callID }) => ({
      ...{ role, callID, text: content || "" },
      calls: tool_calls.map(({ function: { arguments: input, name }, id }) => ({ id, input, name })),
    }));

const TEXT = "a line that is long enough to count\n".repeat(200);
const HEADINGS = ["Current State", "Task Specification", "Files and Functions"];
const MORE = ["Workflow", "Errors and Corrections", "Learnings"];
const SECTIONS = [...HEADINGS, ...MORE]
  .map((heading) => `## ${heading}\n- The model on ${heading.toLowerCase()}.`)
  .join("\n\n");

/** The last request that was not made by the plugin. */
const lastMain = (stage: Stage): ModelRequest => {
  const last = stage.model.requests.findLast(({ body }) => body.model !== "m2");
  if (!last) throw new Error("no request");
  return last;
};

const recordsOf = (stage: Stage, id: string) =>
  readRecords(stage.project.file(`.opencode/strata/savings`)).filter(({ session }) => session === id);

test("sessions begun in OpenCode 1 go on in OpenCode 2 with the same bytes in place of old results, their notes, savings and memories", async () => {
  await using stage = await openStage({
    alone: true,
    mcp: true,
    options: {
      toolResults: { threshold: 50_000 },
      autoCompact: { threshold: 40_000 },
      microCompact: { floor: 0, keepRecent: 1, horizon: 10 },
    },
  });
  const cleared = await stage.newSession("cleared");
  const long = "one line\n".repeat(1_000);
  stage.model.script(
    blob(80_000, "spilled"),
    call("write", { filePath: stage.project.file("long.txt"), content: long }, { id: "write" }),
    call("bash", { command: "echo one", description: "one" }, { id: "bash" }),
    call("memory_remember", { type: "decision", title: "API port", content: "The api listens on 8080." }),
    say("done"),
  );
  await cleared.ask("go. Never touch the port.");
  stage.model.script(say("and on"));
  await cleared.ask("go on");
  const clearedIn1 = stage.model.lastRequest();
  const cut = await stage.newSession("cut");
  stage.model.script(...Array.from({ length: 5 }, (_, n) => blob(40_000, `blob_${n}`)), say("done"));
  await cut.ask("go. Keep the colours.");
  stage.model.script(say("and on"));
  await cut.ask("go on");
  const cutIn1 = stage.model.lastRequest();
  await whenContains(stage.project.file(notesOf(cleared.id)), "Never touch the port");
  const ids = (await cleared.messages()).map(({ info }) => info.id);

  await stage.restart({ which: 2, config: {} });
  const again = stage.session(cleared.id);
  expect((await again.messages()).map(({ info }) => info.id)).toEqual(ids);
  stage.model.script(say("in 2"));
  await again.ask("go on in 2. Never delete the table.");
  expect(JSON.stringify(conversation(clearedIn1))).toContain("whole input in");
  expect(conversation(stage.model.lastRequest()).slice(0, -2)).toEqual(conversation(clearedIn1));
  stage.model.script(say("in 2"));
  await stage.session(cut.id).ask("go on in 2");
  expect(conversation(stage.model.lastRequest()).slice(0, -2)).toEqual(conversation(cutIn1));
  await whenContains(stage.project.file(notesOf(cleared.id)), "Never delete the table");
  expect(stage.read(notesOf(cleared.id))).toContain("Never touch the port");
  const records = recordsOf(stage, cleared.id);
  expect(records.filter(({ event }) => event === "answer")).toHaveLength(7);
  expect(new Set(records.map(({ instance }) => instance)).size).toBe(2);
  stage.model.script(say("hello"));
  await (await stage.newSession("next")).ask("On which port does the api listen?");
  expect(JSON.stringify(stage.model.lastRequest().messages)).toContain("API port");
});

test("OpenCode 1 and 2 at once on one project: memories, mail and leases reach the other, and one budget holds for both", async () => {
  await using stage = await openStage({
    options: {
      background: { dailyCalls: 2 },
      sessionMemory: { updateThreshold: 512, toolCallThreshold: 1 },
    },
    config: { small_model: "mock/m2" },
    files: { "a.ts": TEXT },
  });
  // It reads the configuration and the data of the other.
  const second = await startOpenCode({ project: stage.project, which: 2 });
  try {
    const [a, b] = [await stage.newSession("a"), await second.newSession("b")];
    stage.model.respond(({ body }) => (body.model === "m2" ? say(SECTIONS) : undefined));
    stage.model.script(say("hello"));
    await b.ask("write the docs");
    const filePath = stage.project.file("a.ts");
    stage.model.script(
      call("lease", { op: "claim", item: "#34" }),
      call("write", { filePath, content: `two\n${TEXT}` }),
      call("memory_remember", { type: "decision", title: "API port", content: "The api listens on 8080." }),
      call("send_message", { to: b.id, text: "a.ts is mine today", id: "n-1" }),
      say("done"),
    );
    await a.ask("build the login");
    await whenContains(stage.project.file(notesOf(a.id)), "The model on learnings.");

    stage.model.script(
      // Named as in OpenCode 2.
      call("read", { path: filePath }),
      call("edit", { path: filePath, oldString: "two", newString: "three" }, { id: "edit" }),
      call("lease", { op: "claim", item: "#34" }, { id: "lease" }),
      call("memory_remember", { type: "decision", title: "Colours", content: "Blue is for links." }),
      say("done"),
    );
    await b.ask("On which port does the api listen?");
    const inB = lastMain(stage);
    expect(inB.textOf("user").split("> a.ts is mine today")).toHaveLength(2);
    expect(inB.toolResult("edit")).toContain(`by ${a.id}`);
    expect(inB.toolResult("lease")).toContain(`held by ${a.id}`);
    expect(JSON.stringify(inB.messages)).toContain("8080");
    expect(stage.read("a.ts")).toBe(`three\n${TEXT}`);
    await whenContains(stage.project.file(notesOf(b.id)), "The model on learnings.");

    stage.model.script(
      call("send_message", { id: "n-1" }, { id: "state" }),
      call("memory_recall", { query: "colours of links" }, { id: "recall" }),
      say("done"),
    );
    await a.ask("was it read?");
    expect(lastMain(stage).toolResult("state")).toBe(`n-1: delivered (${b.id})`);
    expect(lastMain(stage).toolResult("recall")).toContain("Blue is for links");
    expect(stage.model.requests.filter(({ body }) => body.model === "m2")).toHaveLength(2);
    const status = JSON.parse(strata(stage.project, "status", "--json").stdout);
    expect(status.background.callsLeft).toBe(0);
  } finally {
    await second.stop();
  }
});
