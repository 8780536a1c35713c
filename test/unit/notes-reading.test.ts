/** What is read out of a session's messages without a model. */
import { describe, expect, it } from "vitest";
import type { Message, Part, ToolPart } from "../../src/io/message.js";
import { findQuestion } from "../../src/notes/handoff.js";
import { learnMessages } from "../../src/notes/learn.js";
import { CAPS, EMPTY_LEDGER, numberOf } from "../../src/notes/ledger.js";
import type { Ledger } from "../../src/notes/stored.js";
import {
  findNamesAndPaths,
  findNextStep,
  findRules,
  isLooking,
  isSubstantive,
} from "../../src/notes/wording.js";
import { PROJECT } from "../support/fake-host.js";
import { ask, did, edited, ran, reply, timeAt } from "../support/notes.js";

const learn = (messages: readonly Message[], ledger: Ledger = EMPTY_LEDGER): Ledger =>
  learnMessages(ledger, messages, PROJECT);
const calls = (...parts: ToolPart[]): Ledger => learn([reply(1, "", ...parts)]);

describe("requests", () => {
  it("requests in the notes are kept verbatim with their time and the names of what was attached", () => {
    const file = { type: "file", filename: "plan.pdf", mime: "application/pdf", url: "data:x" };
    expect(learn([ask(0, "fix  it\n\n  please ", file)]).requests).toMatchObject([
      { text: "fix  it\n\n  please", at: timeAt(0), files: ["plan.pdf"] },
    ]);
  });

  it("requests in the notes are what the user wrote: not what the host or a plugin put into the message, not its marks", () => {
    const synthetic = { type: "text", text: "Continue", synthetic: true };
    const ignored = { type: "text", text: "shown only", ignored: true };
    const withParts = (parts: Part[]): Message => ({ ...ask(1, ""), parts });
    const { requests } = learn([ask(0, "go", synthetic, ignored), withParts([{ type: "compaction" }])]);
    expect(requests.map(({ text }) => text)).toEqual(["go"]);
  });

  it("requests in the notes are bounded: a long one is cut, of too many the first and the newest stay, with their numbers", () => {
    const [long] = learn([ask(0, "x".repeat(150_000))]).requests;
    expect([long?.length, long?.text.length]).toEqual([150_000, 100_000]);
    const many = Array.from({ length: CAPS.requests + 20 }, (_, n) => ask(n, `task ${n + 1}`));
    const ledger = learn(many);
    const numbered = ledger.requests.map(({ text }, index) => `${numberOf(ledger, index)} ${text}`);
    expect(numbered).toHaveLength(CAPS.requests);
    expect([...numbered.slice(0, 2), numbered.at(-1)]).toEqual(["1 task 1", "22 task 22", "520 task 520"]);
    expect(learn(many, ledger).requests).toEqual(ledger.requests);
  });

  it("requests in the notes have the last text of the agent before the next one, which no summary of a compaction is", () => {
    const summary = reply(6, "## Goal");
    const { answers } = learn([
      ...[ask(0, "one"), reply(1, "ok"), reply(2, "done one"), ask(3, "two"), reply(4, "done two")],
      ...[ask(5, "three"), { ...summary, info: { ...summary.info, summary: true } }],
    ]);
    expect(answers.map(({ text }) => text)).toEqual(["done one", "done two"]);
  });
});

describe("calls", () => {
  it("calls in the notes count once, however often and in whatever order they are told, and when they have ended", () => {
    const first = reply(
      1,
      "a",
      ran(1, "npm test", 0),
      did(1, "bash", { command: "x" }, { status: "running" }),
    );
    const second = reply(2, "b", ran(2, "npm test", 1, "2 failed"));
    const ledger = learn([second, first, second]);
    expect(ledger.calls.ended).toBe(2);
    expect(learn([first, second], ledger)).toBe(ledger);
    expect(ledger.commands).toEqual([
      { key: "npm test", exit: 1, description: "", runs: 2, at: timeAt(2) + 1 },
    ]);
    const many = Array.from({ length: CAPS.callKeys + 500 }, (_, n) => reply(n, "", ran(n, `echo ${n}`, 0)));
    const full = learn(many);
    expect([full.calls.ended, learn(many, full).calls.ended]).toEqual([2_500, 2_500]);
  });

  it("calls in the notes that failed are kept with the line that says why, without secrets, and whether they worked later", () => {
    const missing = { filePath: "/project/a.ts", oldString: "x" };
    const output = "> test\n\u001b[31mTests: 2 failed\u001b[0m\n\n<bash_metadata>\nexit\n</bash_metadata>";
    const aborted = {
      status: "error",
      error: "aborted",
      metadata: { interrupted: true, output: "" },
    } as const;
    const { commands, failures } = calls(
      did(1, "edit", missing, { status: "error", error: "not found" }),
      ran(2, "npm test", 1, output),
      ran(3, "npm test", 0, "ok"),
      ran(4, "cat .env && false", 1, "API_KEY=hunter2"),
      did(5, "bash", { command: "sleep 9" }, aborted),
    );
    expect(failures).toMatchObject([
      { tool: "edit", input: "/project/a.ts", error: "not found", laterSucceeded: false },
      { tool: "bash", input: "npm test", exit: 1, error: "Tests: 2 failed", laterSucceeded: true },
      { tool: "bash", error: "" },
    ]);
    expect(commands.at(-1)).toMatchObject({ key: "sleep 9", exit: null });
  });

  it("calls in the notes tell which files were read and edited, however they are spelt, and what the edits declare", () => {
    const patchText =
      "*** Begin Patch\n*** Update File: src/b.py\n+def load_all(x):\n-def gone(): pass\n*** Add File: docs/Plan.md\n+# Plan";
    const newString = "export function go() {}\nclass Cart {}\nconst sum = (a) => a";
    const { files, plan } = calls(
      did(1, "read", { filePath: "/project/src/a.ts" }),
      did(2, "edit", { filePath: "src/a.ts", newString }),
      did(3, "apply_patch", { patchText }),
      did(4, "read", { filePath: "/etc/hosts" }),
      did(5, "grep", { pattern: "x", path: "src" }),
    );
    expect(files.map(({ key, isRead, isEdited, names }) => [key, isRead, isEdited, names])).toEqual([
      ["src/a.ts", true, true, ["Cart", "sum"]],
      ["docs/Plan.md", false, true, ["load_all"]],
      ["src/b.py", false, true, ["load_all"]],
      ["/etc/hosts", true, false, []],
    ]);
    expect(plan).toEqual({ path: "docs/Plan.md", at: timeAt(3) + 1 });
  });

  it("calls in the notes tell the todos as they were last written, the skills and what subagents found", () => {
    const todos = (status: string) => ({
      todos: [{ content: "ship", status, priority: "high" }, { odd: 1 }],
    });
    const output = "task_id: ses_2\n\n<task_result>\nthree callers\n</task_result>";
    const ledger = calls(
      did(2, "todowrite", todos("completed")),
      did(1, "todowrite", todos("pending")),
      did(3, "skill", { name: "review" }),
      did(4, "task", { description: "find callers", prompt: "…" }, { output }),
    );
    expect(ledger.todos?.items).toEqual([{ content: "ship", status: "completed", priority: "high" }]);
    expect(ledger.skills).toMatchObject([{ key: "review" }]);
    expect(ledger.subagents).toMatchObject([{ description: "find callers", result: "three callers" }]);
  });
});

describe("changes", () => {
  const whatOf = (...parts: ToolPart[]): string[] => calls(...parts).changes.map(({ what }) => what);

  it.each([
    ["const port = 5433;", "const port = 5432;", "5433 → 5432"],
    ["  retry(3)", "  retry(3, 100)", "+ , 100"],
    ["a();\nold();\nb();", "a();\nb();", "- old();"],
    ["x", "// why\nimport y from 'z';\nrun(y);", "+ run(y);"],
  ])("changes in the notes are told in a few words: %j, %j", (before, after, what) => {
    expect(whatOf(edited(1, "a.ts", before, after))).toEqual([what]);
  });

  it("changes in the notes hold no secret, nor anything of files that hold them", () => {
    const token = ["ghp", "_", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCaB3d"].join("");
    const password = ["Tr0ub", "4dor&3xyz"].join("");
    const diff = `--- a\n+++ b\n@@ -1,1 +1,1 @@\n-password: old\n+password: ${password}\n`;
    const input = { filePath: "a.yml", oldString: "old", newString: password };
    const whats = whatOf(
      edited(1, "a.ts", "token = 'x'", `token = '${token}'`),
      did(2, "edit", input, { metadata: { diff } }),
      edited(3, ".env", "A_KEY=1", "A_KEY=hunter2"),
    ).join();
    for (const secret of [token.slice(4), password, "hunter2"]) expect(whats).not.toContain(secret);
  });
});

describe("what a text says", () => {
  const rules = [
    ...["Never touch dist.", "Always run the tests first.", "You must not change the API."],
    ...["don't commit yet", "No new dependencies.", "Use pnpm, not npm.", "I prefer tabs."],
    ...["Remember that CI has Node 20.", "We only support Linux.", "Could you always sign commits?"],
    ...["不要改动公共接口。", "必须先跑测试。", "记住,用中文回答。", "应该优先考虑性能。"],
  ];
  const corrections = [
    ...["No, the other file.", "That's wrong.", "Actually it is the parser.", "stop"],
    ...["Use fetch instead.", "不对,是另一个文件。", "改用 pnpm。"],
  ];
  const neither = ["Fix the login page.", "Is it the only one?", "how should I start it?", "你好", ""];
  it.each([
    ...rules.map((text) => [text, "rule"]),
    ...corrections.map((text) => [text, "correction"]),
    ...neither.map((text) => [text, undefined]),
  ])("a user's sentence is a rule, a correction or neither: %j", (text = "", kind) => {
    expect(findRules(text)).toEqual(kind === undefined ? [] : [{ kind, text }]);
  });

  it("a user's rules are cut out of the text sentence by sentence, in the user's words, not out of code and quotations", () => {
    const text =
      "Fix src/a.ts. Never use any, e.g. in casts! Then ship.\n- always lint\n1. 不要提交。然后 push。\n" +
      "Whatever you do with the configuration files, you must keep the\ncomments in them as they are. Thanks.\n" +
      "```\nyou must never\n```\n> always quoted\n    never indented\n  at never (a.js:1)\nok";
    expect(findRules(text).map((rule) => rule.text)).toEqual([
      "Never use any, e.g. in casts!",
      "always lint",
      "不要提交。",
      "Whatever you do with the configuration files, you must keep the comments in them as they are.",
    ]);
  });

  it.each([
    ["Fixed.", true],
    ["All 229 tests pass.", true],
    ["Which port do you want?", false],
    ["Great! Let me know if you need anything else.", false],
    ["明白", false],
    ["Let me now write the plan to `a.md`.", false],
  ])("an answer tells something or not: %j", (text, tells) => {
    expect(isSubstantive(text)).toBe(tells);
  });

  it.each([
    ["All done.", undefined],
    ["Half is ported. Next I will do the emitter.", "Next I will do the emitter."],
    ["**Next steps:**\n1. emitter\n2. docs\n\nBye.", "**Next steps:** 1. emitter 2. docs"],
    ["Remaining: the emitter.", "Remaining: the emitter."],
    ["I haven't run the tests. The rest stands.", "I haven't run the tests. The rest stands."],
    ["Next, shall I do the docs?", undefined],
    ["The parser reads the next token.", undefined],
  ])("an answer announces a next step or none: %j", (text, next) => {
    expect(findNextStep(text)).toBe(next);
  });

  it.each([
    ["Der Port ist frei. Soll ich 8080 nehmen?", "Soll ich 8080 nehmen?"],
    ["作業は終わりました。「次は何ですか？」", "「次は何ですか？」"],
    ["انتهيت. هل أستخدم 8080؟", "هل أستخدم 8080؟"],
    ["He asked “why?”", "He asked “why?”"],
    ["Done. No question.", undefined],
  ])("a session ends with a question or none: %j", (text, question) => {
    expect(findQuestion(learn([ask(0, "Choose."), reply(1, text)]))).toBe(question);
  });

  it("names are identifiers of several words and paths, the most frequent first; encoded data is none", () => {
    const data = `${"aB".repeat(1_000)}/${"c".repeat(1_000)}`;
    const text = `${data} see parseDate in src/dates.ts, ${data} then parseDate, plain words`;
    expect(findNamesAndPaths(text)).toEqual(["parseDate", "src/dates.ts"]);
    expect(findNamesAndPaths("in a_b, 3fooBar and x.ts/y")).toEqual(["a_b", "fooBar"]);
  });
});

it.each([
  ["ls -la src", true],
  ["rg 'a|b' src 2>/dev/null || true", true],
  ["for f in a b; do cat $f; done", true],
  ["sed -n '1,20p' a.ts", true],
  ["gh api repos/x --jq .id", true],
  ["sed -i s/a/b/ a.ts", false],
  ["cat a > b", false],
  ["npm test 2>&1 | tail -5", false],
  ["git branch -D x", false],
  ["curl -X POST localhost", false],
  ["find . -name x -delete", false],
  ["echo $(rm -rf x)", false],
  ["", false],
])("a command only looks or does something: %j", (command, looks) => {
  expect(isLooking(command)).toBe(looks);
});

it("learning what is known gives the same ledger, and learning never changes the one it was given", () => {
  const messages = [ask(0, "always test"), reply(1, "done because it was wrong", ran(1, "npm test", 1))];
  const ledger = learn(messages);
  const before = structuredClone(ledger);
  expect(learn(messages, ledger)).toBe(ledger);
  learn([ask(5, "more")], ledger);
  expect(ledger).toEqual(before);
});
