import { describe, expect, it } from "vitest";
import type { Message, Part, ToolPart } from "../../src/io/message.js";
import { readFacts } from "../../src/notes/facts.js";
import { learnMessages } from "../../src/notes/learn.js";
import { CAPS, EMPTY_LEDGER } from "../../src/notes/ledger.js";
import type { Ledger } from "../../src/notes/stored.js";
import { PROJECT } from "../support/fake-host.js";
import { ask, did, ran, reply, timeAt } from "../support/notes.js";

const learn = (messages: readonly Message[], ledger: Ledger = EMPTY_LEDGER): Ledger =>
  learnMessages(ledger, messages, PROJECT);
const factsOf = (...messages: Message[]) => readFacts(learn(messages), PROJECT);
const calls = (...parts: ToolPart[]) => factsOf(reply(1, "", ...parts));

describe("requests", () => {
  it("requests in the notes are kept verbatim with their time and the names of what was attached", () => {
    const file = { type: "file", filename: "plan.pdf", mime: "application/pdf", url: "data:x" };
    const { requests } = factsOf(ask(0, "fix  it\n\n  please ", file));
    expect(requests).toEqual([
      { number: 1, text: "fix  it\n\n  please", at: timeAt(0), files: ["plan.pdf"], outcome: undefined },
    ]);
  });

  it("requests in the notes are what the user wrote: not what the host or a plugin put into the message, not its marks", () => {
    const synthetic = { type: "text", text: "Continue", synthetic: true };
    const ignored = { type: "text", text: "shown only", ignored: true };
    expect(factsOf(ask(0, "go", synthetic, ignored)).requests[0]?.text).toBe("go");
    const withParts = (parts: Part[]): Message => ({ ...ask(1, ""), parts });
    expect(factsOf(withParts([synthetic]), withParts([{ type: "compaction" }])).requests).toEqual([]);
  });

  it("requests in the notes longer than 100,000 characters are kept so far, and how long they were is known", () => {
    const [request] = learn([ask(0, "x".repeat(150_000))]).requests;
    expect(request).toMatchObject({ length: 150_000 });
    expect(request?.text).toHaveLength(100_000);
  });

  it("requests in the notes keep their numbers, the first and the newest of them, when there are too many", () => {
    const many = Array.from({ length: CAPS.requests + 20 }, (_, n) => ask(n, `task ${n + 1}`));
    const ledger = learn(many);
    const { requests } = readFacts(ledger, PROJECT);
    expect(requests).toHaveLength(CAPS.requests);
    expect(requests.slice(0, 2).map(({ number, text }) => `${number} ${text}`)).toEqual([
      "1 task 1",
      "22 task 22",
    ]);
    expect(requests.at(-1)).toMatchObject({ number: CAPS.requests + 20, text: `task ${CAPS.requests + 20}` });
    expect(readFacts(learn(many, ledger), PROJECT).requests).toEqual(requests);
  });

  it("requests in the notes have as outcome the last text of the agent before the next one", () => {
    const facts = factsOf(
      ask(0, "one"),
      reply(1, "looking"),
      reply(2, "done one"),
      ask(3, "two"),
      reply(4, "done two"),
      ask(5, "three"),
    );
    expect(facts.requests.map(({ outcome }) => outcome)).toEqual(["done one", "done two", undefined]);
    expect(facts.lastAnswer?.text).toBe("done two");
    expect(facts.isAnswered).toBe(false);
  });

  it("requests in the notes are not answered by the summary of a compaction", () => {
    const summary = reply(1, "## Goal");
    const facts = factsOf(ask(0, "one"), { ...summary, info: { ...summary.info, summary: true } });
    expect(facts.isAnswered).toBe(false);
  });
});

describe("calls", () => {
  it("calls in the notes count once, however often and in whatever order they are told", () => {
    const first = reply(1, "a", ran(1, "npm test", 0));
    const second = reply(2, "b", ran(2, "npm test", 1, "2 failed"));
    const ledger = learn([second, first, second]);
    expect(ledger.calls.ended).toBe(2);
    expect(learn([first, second], ledger)).toBe(ledger);
    expect(readFacts(ledger, PROJECT).commands).toEqual([
      { command: "npm test", exit: 1, description: "", runs: 2, at: timeAt(2) + 1 },
    ]);
  });

  it("calls in the notes count once although the oldest are not kept by name", () => {
    const many = Array.from({ length: CAPS.callKeys + 500 }, (_, n) => reply(n, "", ran(n, `echo ${n}`, 0)));
    const ledger = learn(many);
    expect(ledger.calls.ended).toBe(CAPS.callKeys + 500);
    expect(learn(many, ledger).calls.ended).toBe(CAPS.callKeys + 500);
  });

  it("calls in the notes that still run are learned when they have ended", () => {
    const running = did(1, "bash", { command: "make" }, { status: "running" });
    const ledger = learn([reply(1, "", running)]);
    expect(ledger.calls.ended).toBe(0);
    expect(learn([reply(1, "", ran(1, "make", 0))], ledger).commands).toHaveLength(1);
  });

  it("calls in the notes that failed are errors, with the line that says why, and a note when the same works later", () => {
    const failed = did(
      1,
      "edit",
      { filePath: "/project/a.ts", oldString: "x" },
      { status: "error", error: "not found" },
    );
    const output = "> test\n\u001b[31mTests: 2 failed\u001b[0m\n\n<bash_metadata>\nexit\n</bash_metadata>";
    const { errors } = calls(failed, ran(2, "npm test", 1, output), ran(3, "npm test", 0, "ok"));
    expect(errors).toMatchObject([
      { tool: "edit", input: "/project/a.ts", error: "not found", laterSucceeded: false },
      { tool: "bash", input: "npm test", exit: 1, error: "Tests: 2 failed", laterSucceeded: true },
    ]);
  });

  it("calls in the notes that a user broke off are no errors, and their command has no exit code", () => {
    const brokenOff = did(
      1,
      "bash",
      { command: "sleep 9" },
      { status: "error", error: "aborted", metadata: { interrupted: true, output: "" } },
    );
    expect(calls(brokenOff)).toMatchObject({ errors: [], commands: [{ command: "sleep 9", exit: null }] });
  });

  it("calls in the notes on files with secrets leave no output in the notes", () => {
    const { errors } = calls(ran(1, "cat .env && false", 1, "API_KEY=hunter2"));
    expect(errors).toMatchObject([{ error: "" }]);
  });

  it("calls in the notes tell which files were read and edited, however they are spelt, and what the edits declare", () => {
    const patch =
      "*** Begin Patch\n*** Update File: src/b.py\n+def load_all(x):\n-def gone(): pass\n*** Add File: docs/Plan.md\n+# Plan";
    const facts = calls(
      did(1, "read", { filePath: "/project/src/a.ts" }),
      did(2, "edit", {
        filePath: "src/a.ts",
        newString: "export function go() {}\nclass Cart {}\nconst sum = (a) => a",
      }),
      did(3, "apply_patch", { patchText: patch }),
      did(4, "read", { filePath: "/etc/hosts" }),
      did(5, "grep", { pattern: "x", path: "src" }),
    );
    expect(facts.files.map(({ name, isRead, isEdited, names }) => [name, isRead, isEdited, names])).toEqual([
      ["src/a.ts", true, true, ["Cart", "sum"]],
      ["docs/Plan.md", false, true, ["load_all"]],
      ["src/b.py", false, true, ["load_all"]],
      ["/etc/hosts", true, false, []],
    ]);
    expect(facts.files[0]?.path).toBe("/project/src/a.ts");
    expect(facts.plan).toEqual({ path: "/project/docs/Plan.md", at: timeAt(3) + 1 });
  });

  it("calls in the notes tell the todos as they were last written, the skills and what subagents found", () => {
    const todos = (status: string) => ({
      todos: [{ content: "ship", status, priority: "high" }, { odd: 1 }],
    });
    const output = "task_id: ses_2\n\n<task_result>\nthree callers\n</task_result>";
    const facts = calls(
      did(2, "todowrite", todos("completed")),
      did(1, "todowrite", todos("pending")),
      did(3, "skill", { name: "review" }),
      did(4, "task", { description: "find callers", prompt: "…" }, { output }),
    );
    expect(facts.todos).toEqual([{ content: "ship", status: "completed", priority: "high" }]);
    expect(facts.skills).toEqual(["review"]);
    expect(facts.subagents).toMatchObject([{ description: "find callers", result: "three callers" }]);
    expect(facts.toolCalls).toBe(4);
  });
});

describe("lists", () => {
  it("lists in the notes are bounded: the oldest of the least important go first", () => {
    const edits = [did(0, "write", { filePath: "kept.ts", content: "" })];
    const reads = Array.from({ length: 300 }, (_, n) => did(n + 1, "read", { filePath: `f${n}.ts` }));
    const { files } = calls(...edits, ...reads);
    expect(files).toHaveLength(CAPS.files);
    expect(files[0]?.name).toBe("kept.ts");
    expect(files.at(-1)?.name).toBe("f299.ts");
  });
});

it("messages of any shape are passed over, not thrown at", () => {
  const odd: unknown[] = [
    undefined,
    {},
    { info: {} },
    { info: { role: "user" }, parts: undefined },
    { info: { role: "user", id: "m" }, parts: [null, { type: "text" }, { type: "text", text: 5 }] },
    { info: { role: "assistant", id: "m" }, parts: [null, { type: "tool" }, { type: "tool", tool: "bash" }] },
    {
      info: { role: "assistant", id: "m" },
      parts: [{ type: "tool", tool: "edit", state: { status: "completed" } }],
    },
    {
      info: { role: "assistant", id: "m" },
      parts: [
        { type: "tool", tool: "todowrite", state: { status: "completed", input: { todos: [null, 3] } } },
      ],
    },
    {
      info: { role: "assistant", id: "m" },
      parts: [{ type: "tool", tool: "bash", state: { status: "error", input: null, error: 7 } }],
    },
  ];
  expect(learn(odd as Message[]).requests).toEqual([]);
});

it("learning what is known gives the same ledger, and learning never changes the one it was given", () => {
  const messages = [ask(0, "always test"), reply(1, "done because it was wrong", ran(1, "npm test", 1))];
  const ledger = learn(messages);
  const before = structuredClone(ledger);
  expect(learn(messages, ledger)).toBe(ledger);
  learn([ask(5, "more")], ledger);
  expect(ledger).toEqual(before);
});
