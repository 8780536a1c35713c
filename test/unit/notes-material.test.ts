import { expect, it } from "vitest";
import { formatMaterial } from "../../layers/3-session-memory/write-sections.js";
import type { Message } from "../../src/io/message.js";
import { ask, did, ran, reply } from "../support/notes.js";

const format = (messages: readonly Message[], maxCharacters = 10_000): string =>
  formatMaterial(messages, { maxCharacters });

it("the material is what was said, verbatim, and a line for every call", () => {
  const read = did(1, "read", { filePath: "src/a.ts" }, { output: "1: import x\n2: run()" });
  const failed = did(2, "edit", { filePath: "src/a.ts" }, { status: "error", error: "no match" });
  const running = did(3, "grep", { pattern: "x" }, { status: "running" });
  const messages = [
    ask(0, "Fix\n  it."),
    reply(4, "Fixed.", read, ran(1, "npm test", 2, "ok\n2 failed\n"), failed, running),
  ];
  expect(format(messages)).toBe(
    [
      "USER: Fix\n  it.",
      'TOOL read "src/a.ts" -> done: "1: import x 2: run()"',
      'TOOL bash "npm test" -> exit 2: "2 failed"',
      'TOOL edit "src/a.ts" -> failed: "no match"',
      'TOOL grep "x" -> not ended',
      "AGENT: Fixed.",
    ].join("\n"),
  );
});

it("the newest is kept when there is not room for all, and what is missing is said", () => {
  const messages = Array.from({ length: 200 }, (_, n) => ask(n, `task ${n}`));
  const text = format(messages, 500);
  expect(text.length).toBeLessThanOrEqual(500);
  expect(text).toMatch(/^\[The beginning is left out: \d+ of 200 messages\]\n/);
  expect(text.endsWith("USER: task 199")).toBe(true);
  expect(format([ask(0, "x".repeat(9_000))])).toContain("… (5,000 more)");
});

it("what lies in files with secrets is not shown, examples of them are", () => {
  const calls = [
    did(1, "read", { filePath: "/project/.env.local" }, { output: "KEY=hunter2" }),
    ran(2, "cat .env | grep KEY", 0, "KEY=hunter2"),
    did(3, "read", { filePath: "certs/server.pem" }, { output: "hunter2" }),
    did(4, "read", { filePath: ".env.example" }, { output: "KEY=your key" }),
    ran(5, "node -p process.env.HOME", 0, "/root"),
  ];
  const text = format([reply(6, "", ...calls)]);
  expect(text).not.toContain("hunter2");
  expect(text.match(/it may hold secrets/g)).toHaveLength(3);
  expect(text).toContain("your key");
});

it("messages of any shape are passed over", () => {
  const odd = [
    undefined,
    {},
    { info: { role: "assistant" }, parts: [null, { type: "tool" }, { type: "text" }] },
  ];
  expect(format(odd as Message[])).toBe("");
});
