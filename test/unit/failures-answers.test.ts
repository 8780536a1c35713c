/** Which failures are mistakes, which messages are alike, and which call is another one put right. */
import { describe, expect, test } from "vitest";
import {
  hashCall,
  hashMessage,
  isFailedCommand,
  normalizeCommand,
  readEndedCall,
} from "../../layers/errors/ended-call.js";
import { isCorrection } from "../../layers/errors/failures.js";
import { PROJECT } from "../support/fake-host.js";
import { did, ran } from "../support/notes.js";

test.each([
  [false, "grep -rn nothing src", 1, ""],
  [false, "test -f missing && cat missing", 1, ""],
  [false, "diff a b", 1, "1c1\n< a\n---\n> b"],
  [false, "npm test", 1, "AssertionError: expected 1 to be 2"],
  [false, "cd a && pnpm vitest run 2>&1 | tail -40", 1, "Error: Cannot find module './not-written-yet'"],
  [false, "/usr/local/bin/go test ./...", 1, "panic: no such table"],
  [false, "npx tsc --noEmit", 2, "src/a.ts(1,1): error TS2304: Cannot find name 'x'."],
  [false, "./everything", 1, "3 failed, 10 passed"],
  [true, "npm test", 1, 'npm error Missing script: "test"'],
  [true, "grep '[' src", 2, "grep: Invalid regular expression"],
  [true, "npx tsc --nope", 1, "error TS5023: Unknown compiler option '--nope'."],
  [true, "make tset", 2, "make: *** No rule to make target 'tset'.  Stop."],
  [true, "git push", 128, "fatal: The current branch x has no upstream branch."],
  [true, "npm test", null, "still running"],
  [true, "cat nowhere.txt", 1, "cat: nowhere.txt: No such file or directory"],
])("a non-zero exit that is an answer is no failure (%s: %s, exit %s)", (isFailed, command, exit, output) => {
  expect(isFailedCommand({ command, exit, output })).toBe(isFailed);
});

describe("messages are alike if only numbers, times, paths and ids differ", () => {
  const alike: [string, string][] = [
    ["listen EADDRINUSE :::3000 at 12:01:33.120", "listen EADDRINUSE :::4100 at 09:44:02.001"],
    ["cannot open /tmp/build-8821/x.o", "cannot open /var/tmp/b17/x.o"],
    ["commit 3f2a9bc not found (took 1.2s)", "commit 99fe010 not found (took 310ms)"],
    ["run 7d3f1c1e-2b1a-4c57-9d6e-0a1b2c3d4e5f failed", "run 0d3f1c1e-2b1a-4c57-9d6e-0a1b2c3d4e5a failed"],
    ["\u001b[31mError\u001b[0m:  No such table", "error: no such table"],
  ];
  test.each(alike)("%s", (one, other) => expect(hashMessage(one)).toBe(hashMessage(other)));

  test.each([
    ['Missing script: "test"', 'Missing script: "tests"'],
    ["no such table: users", "no such column: users"],
  ])("not: %s", (one, other) => expect(hashMessage(one)).not.toBe(hashMessage(other)));
});

test("a call has the same hash for any spacing, description and project path, and another one for other arguments", () => {
  const hash = (input: object, project = PROJECT) => hashCall("bash", { ...input }, project);
  const one = hash({ command: "npm test", description: "Runs tests", timeout: 1_000 });
  expect(hash({ command: `cd ${PROJECT} &&  npm   test` })).toBe(one);
  expect(hash({ command: "npm tests" })).not.toBe(one);
  expect(hash({ command: "npm test", workdir: "packages/app" })).not.toBe(one);
  expect(hash({ command: "cat /elsewhere/a.txt" }, "/elsewhere")).toBe(
    hash({ command: `cat ${PROJECT}/a.txt` }),
  );
  expect(normalizeCommand(`cd "${PROJECT}" && ls`, PROJECT)).toBe("ls");
});

test.each([
  [true, "bash", "npm test", "npm run test:unit"],
  [true, "bash", "git push", "git push -u origin main"],
  [true, "bash", "docker-compose up", "docker compose up -d"],
  [true, "bash", "cat src/parser.ts", "cat packages/core/src/parser.ts"],
  [true, "read", "src/parser.ts", "packages/core/src/parser.ts"],
  [false, "edit", "src/parser.ts", "packages/core/src/parser.ts"],
  [false, "read", "src/parser.ts", "src/lexer.ts"],
  [false, "github_get_issue", '{"number":1}', '{"number":2}'],
  [false, "bash", "git push", "git status"],
  [false, "bash", "npm install left", "npm install right"],
  [false, "bash", "cat src/a.ts", "cat src/a.test.ts"],
  [false, "bash", "cat src/a/index.ts", "cat src/b/index.ts"],
  [false, "bash", "ls", "npm run build && rm -rf dist && git add -A && git commit -m done && ls"],
  [false, "bash", "cat notes.txt", "rm notes.txt cat"],
])(
  "a call that worked is the correction of a failed one (%s, %s): %s → %s",
  (isOne, tool, failed, worked) => {
    expect(isCorrection(tool, failed, worked)).toBe(isOne);
  },
);

describe("a call that the user refused is not a failure", () => {
  test.each([
    { status: "error", error: "The user rejected permission to use this specific tool call." },
    { status: "error", error: "The user dismissed this question" },
    {
      status: "error",
      error: "The user has specified a rule which prevents you from using this specific tool call.",
    },
    { status: "error", error: "Tool execution aborted", metadata: { interrupted: true, output: "so far" } },
    { output: "so far\n<metadata>\nUser aborted the command\n</metadata>", metadata: { exit: null } },
  ])("%j", (state) => {
    expect(readEndedCall(did(1, "bash", { command: "ls" }, state), PROJECT)?.failure).toBe(undefined);
  });

  test("a call that timed out, or that the host could not parse, is a failure", () => {
    const slow = "…\nshell tool terminated command after exceeding timeout 120000 ms. If this command";
    expect(readEndedCall(ran(1, "npm ci", null, slow), PROJECT)?.failure?.message).toMatch(/^timed out: /);
    const invalid = did(
      1,
      "invalid",
      { tool: "raed", error: "no such tool" },
      { output: "Model tried to call raed" },
    );
    expect(readEndedCall(invalid, PROJECT)?.failure?.message).toBe("Model tried to call raed");
  });
});
