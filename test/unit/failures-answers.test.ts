/** Which failures are mistakes, which messages are alike, and which call is another one put right. */
import { describe, expect, test } from "vitest";
import { readEndedCall } from "../../layers/errors/ended-call.js";
import { isFailedCommand, splitCommand } from "../../layers/errors/failed-command.js";
import { hashCall, hashMessage, normalizeCommand } from "../../layers/errors/fingerprint.js";
import { findChange } from "../../layers/errors/resolution.js";
import { findTellingLine } from "../../src/conversation/telling-line.js";
import { PROJECT } from "../support/fake-host.js";
import { did, ran } from "../support/notes.js";

const reading = { project: PROJECT, redact: (text: string) => text };

describe("a non-zero exit that is an answer is not a failure", () => {
  test.each([
    ["grep -rn nothing src", 1, ""],
    ["rg 'a b' | head", 1, ""],
    ["test -f missing && cat missing", 1, ""],
    ["[ -d build ]", 1, ""],
    ["diff a b", 1, "1c1\n< a\n---\n> b"],
    ["git diff --exit-code", 1, "diff --git a/x b/x"],
    ["npm test", 1, "AssertionError: expected 1 to be 2"],
    ["npm run test:unit -- --run", 1, "expected 1 to be 2"],
    [
      "cd packages/app && pnpm vitest run 2>&1 | tail -40",
      1,
      "Error: Cannot find module './not-written-yet'",
    ],
    ["CI=1 npx --yes jest src", 1, "1 thing went wrong"],
    ["timeout 60 pytest -x", 1, "E   assert 1 == 2"],
    ["python3 -m pytest", 2, "ImportError: cannot import name 'x'"],
    ["/usr/local/bin/go test ./...", 1, "panic: no such table"],
    ["cargo check", 101, "could not compile `x`"],
    ["npx tsc --noEmit", 2, "src/a.ts(1,1): error TS2304: Cannot find name 'x'."],
    ["npm run lint", 1, "/a.js 1:1 error  Unexpected var"],
    ["make -C build check", 2, "make: *** [all] Error 1"],
    ["./scripts/run-tests.sh", 1, "something is not right"],
    ["./everything", 1, "3 failed, 10 passed"],
    ["node scripts/probe.js --quiet", 1, ""],
    ["git rev-parse --verify nope", 128, "fatal: Needed a single revision"],
  ])("%s, exit %i", (command, exit, output) => {
    expect(isFailedCommand({ command, exit, output })).toBe(false);
  });
});

describe("a command that could not do its task has failed", () => {
  test.each([
    ["npm test", 1, 'npm error Missing script: "test"'],
    ["grep '[' src", 2, "grep: Invalid regular expression"],
    ["vitest run", 127, "bash: line 1: vitest: command not found"],
    ["npm run test", 127, "> vitest\n\nsh: 1: vitest: not found"],
    ["npx tsc --nope", 1, "error TS5023: Unknown compiler option '--nope'."],
    ["pytest --nope", 4, "ERROR: usage: pytest\npytest: error: unrecognized arguments: --nope"],
    ["python -m pytest", 1, "/usr/bin/python: No module named pytest"],
    ["npx vitest run src/nowhere", 1, "No test files found, exiting with code 1"],
    ["make tset", 2, "make: *** No rule to make target 'tset'.  Stop."],
    ["git push", 128, "fatal: The current branch x has no upstream branch."],
    ["curl -sf localhost:3000", 7, ""],
    ["node server.js", 1, "Error: listen EADDRINUSE: address already in use :::3000"],
    ["npm test", null, "still running"],
    ["cat nowhere.txt", 1, "cat: nowhere.txt: No such file or directory"],
  ])("%s, exit %s", (command, exit, output) => {
    expect(isFailedCommand({ command, exit, output })).toBe(true);
  });
});

test("a line of commands is split at the operators between them, not inside quotes", () => {
  expect(splitCommand("cd /a && FOO='x y' sudo /usr/bin/grep 'a;b|c' f | wc -l; (npx tsc)")).toEqual([
    "cd /a",
    "grep 'a;b|c' f",
    "wc -l",
    "tsc",
  ]);
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
    ["connect ECONNREFUSED", "connect ETIMEDOUT"],
  ])("not: %s", (one, other) => expect(hashMessage(one)).not.toBe(hashMessage(other)));
});

test("a call has the same hash for any spacing, description and project path, and another one for other arguments", () => {
  const hash = (input: object, project = PROJECT) => hashCall(did(1, "bash", input), project, (text) => text);
  const one = hash({ command: "npm test", description: "Runs tests", timeout: 1_000 });
  expect(hash({ command: `cd ${PROJECT} &&  npm   test` })).toBe(one);
  expect(hash({ command: "npm tests" })).not.toBe(one);
  expect(hash({ command: "npm test", workdir: "packages/app" })).not.toBe(one);
  expect(hash({ command: "cat /elsewhere/a.txt" }, "/elsewhere")).toBe(
    hash({ command: `cat ${PROJECT}/a.txt` }),
  );
  expect(normalizeCommand(`cd "${PROJECT}" && ls`, PROJECT)).toBe("ls");
});

describe("a successful call is recognised as the correction of a failed one", () => {
  const shell: [string, string][] = [
    ["npm test", "npm run test:unit"],
    ["git push", "git push -u origin main"],
    ["pyhton setup.py", "python setup.py"],
    ["npm ci", "cd packages/app && npm ci"],
    ["docker-compose up", "docker compose up -d"],
    ["cat src/parser.ts", "cat packages/core/src/parser.ts"],
    ["curl localhost:3000/health", "curl localhost:8080/health"],
    ["tar -xyf a.tar", "tar -xf a.tar"],
  ];
  test.each(shell)("%s → %s", (failed, worked) => {
    expect(findChange(ran(1, failed, 1), ran(2, worked, 0), reading)).toBe(`worked as: ${worked}`);
  });

  test.each([
    ["git push", "git status"],
    ["git push", "git pull"],
    ["npm install left", "npm install right"],
    ["cat a.ts", "cat b.ts"],
    ["rm step1.log", "rm step2.log"],
    ["cat src/a/index.ts", "cat src/b/index.ts"],
    ["ls", "npm run build && rm -rf dist && git add -A && git commit -m done && ls"],
    ["make", "echo make it so"],
    ["cat notes.txt", "rm notes.txt cat"],
  ])("not %s → %s", (failed, worked) => {
    expect(findChange(ran(1, failed, 1), ran(2, worked, 0), reading)).toBeUndefined();
  });

  test("a correction is an edit of the same file with another text or a read of its moved file, but not another tool's call", () => {
    const edit = (minute: number, input: object) =>
      did(minute, "edit", { filePath: `${PROJECT}/a.ts`, ...input });
    const failed = edit(1, { oldString: "const a=1", newString: "b" });
    expect(findChange(failed, edit(2, { oldString: "const a = 1", newString: "b" }), reading)).toBe(
      'worked with oldString "const a = 1"',
    );
    expect(findChange(failed, did(2, "write", { filePath: `${PROJECT}/a.ts`, content: "x" }), reading)).toBe(
      "worked as: write a.ts",
    );
    const other = did(2, "edit", { filePath: `${PROJECT}/z.ts`, oldString: "const a=1" });
    expect(findChange(failed, other, reading)).toBeUndefined();
    const read = (path: string) => did(1, "read", { filePath: `${PROJECT}/${path}` });
    expect(findChange(read("src/parser.ts"), read("lib/parser.ts"), reading)).toBe(
      'worked with filePath "lib/parser.ts"',
    );
    expect(findChange(read("src/parser.ts"), read("src/lexer.ts"), reading)).toBeUndefined();
    expect(findChange(read("a.ts"), ran(2, "cat a.ts", 0), reading)).toBeUndefined();
  });

  test("a lookup of another number is not a correction", () => {
    const issue = (number: number) => did(1, "github_get_issue", { owner: "acme", number });
    expect(findChange(issue(1), issue(2), reading)).toBeUndefined();
  });
});

test("the line that says what went wrong is preferred to those that say where to read more", () => {
  const output =
    'npm error code ENOENT\nnpm error Missing script: "test"\nnpm error\nnpm error A complete log of this run can be found in: /home/x/_logs';
  expect(findTellingLine(output, { limit: 200 })).toBe('npm error Missing script: "test"');
  expect(findTellingLine("step 1\nstep 2\n----", { limit: 200 })).toBe("step 2");
});

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
    expect(readEndedCall(did(1, "bash", { command: "ls" }, state), reading)?.failure).toBe(undefined);
  });

  test("a call that timed out, or that the host could not parse, is a failure", () => {
    const slow = "…\nshell tool terminated command after exceeding timeout 120000 ms. If this command";
    expect(readEndedCall(ran(1, "npm ci", null, slow), reading)?.failure?.message).toMatch(/^timed out: /);
    const invalid = did(
      1,
      "invalid",
      { tool: "raed", error: "no such tool" },
      { output: "Model tried to call raed" },
    );
    expect(readEndedCall(invalid, reading)?.failure?.message).toBe("Model tried to call raed");
  });
});
