/**
 * Every parser of text that comes from outside: files that people, repositories and other machines write, what models
 * and tools answer, what users type. Each with samples, from which test/property/parsers.test.ts makes hostile input.
 */

import { isRecord } from "../../../src/base/shape.js";
import type { ToolPart } from "../../../src/io/message.js";
import { EMPTY_LEDGER } from "../../../src/notes/ledger.js";
import { MORNING } from "../fake-clock.js";
import { memory } from "../memories.js";
import { call } from "../messages.js";

export interface Parser {
  name: string;
  /** A generator may pause at each `yield`; what it returns is the result. */
  parse(text: string): unknown;
  /** Is the result of the promised shape? */
  fits(result: unknown): boolean;
  samples: readonly string[];
}

export const row = (
  name: string,
  parse: Parser["parse"],
  fits: Parser["fits"],
  ...samples: string[]
): Parser => ({
  ...{ name, parse, fits, samples },
});

export const isText = (value: unknown): boolean => typeof value === "string";
export const isTruth = (value: unknown): boolean => typeof value === "boolean";
export const isAnything = (): boolean => true;
export const isList = (of: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(of);
export const isOr = (fits: (value: unknown) => boolean) => (value: unknown) =>
  value === undefined || fits(value);
export const texts = isList(isText);
export const isKind =
  (...kinds: string[]) =>
  (value: unknown) =>
    isRecord(value) && kinds.includes(String(value.kind));

export const place = {
  ...({ scope: "project", sensitivity: "internal", type: "decision" } as const),
  ...{ name: "x", isArchived: false, modifiedMs: MORNING },
};
export const known = [
  memory("port", "The server listens on 8080."),
  memory("ports", "Port 8080 is the server's."),
];
export const batch = {
  messages: [{ statements: [{ text: "Always use pnpm." }, { text: "Never use npm." }] }],
  work: ["npm test failed"],
  memories: [{ type: "knowledge" as const, title: "Tests" }],
};
export const bytes = (text: string): Uint8Array => Buffer.from(text);
export const bash = (command: string, output: string, exit = 1): ToolPart =>
  call("bash", output, { state: { input: { command }, metadata: { exit } } });

export const MEMORY = `---
title: "Port: 8080" # note
tags: [server, 'a b']
aliases: ["端口"]
created: 2026-11-21T09:00:00.000Z
pinned: true
importance: 0.7
when: [ "git push*", src/**/*.ts ]
source: { by: user, session: ses_1, evidence: "use 8080" }
links: &a [decision/x, *a]
---
3000 is taken by the *old* frontend.
`;
export const LEDGER = JSON.stringify({
  ...{ v: 1, id: "l1", at: "2026-11-21T09:00:00.000Z", instance: "i1", by: "user", operation: "add" },
  ...{ key: "decision/x", path: "decision/x.md", before: null, after: "0".repeat(64), contents: MEMORY },
});
export const NOTES = `# Session

## Current State
- doing x

## Task
Fix \`parse()\`.

## Files
- src/a.ts: changed

## Workflow
- npm test

## Errors
- failed

## Learnings
- none
`;
export const DIFF = `diff --git a/package-lock.json b/package-lock.json
--- a/package-lock.json
+++ b/package-lock.json
@@ -1,3 +1,4 @@
 {
-  "version": "1.0.0",
+  "version": "1.0.1",
 }
`;
export const OUTPUT = `> vitest run\r\n10%\r20%\r100%\r\n\u001b[31mFAIL\u001b[39m test/a.test.ts (12 ms)\nError: expected 1, got 2\n    at src/a.ts:12:3\n${"x".repeat(300)}\n 3 failed | 12 passed\n`;
export const SAID = `We always use pnpm because npm is slow. Never commit to main! "quoted text" 不要提交到主分支。请用 tabs。\n- use 8080, not 3000\n1. remember: the port is 8080\nWhy? Please don't do that again.\n> quoted\n\`\`\`js\nconst a = 1;\n\`\`\``;
export const SECRETS = `API_KEY=sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD password: "hunter2hunter2" https://user:pa55word@example.com/x ghp_abcdefghijklmnopqrstuvwxyz0123456789\n-----BEGIN RSA PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END RSA PRIVATE KEY-----\nAuthorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijklmnop`;
export const COMMAND = `cd /project && FOO=1 npx vitest run --reporter=dot "a b" 'c' 2>&1 | tee out.log; git log -p | grep -E "x|y" > /dev/null && cat <<'E' | sed -n 1,2p\nx\nE`;
export const CONFIG = `{\n  // comment\n  "$schema": "https://opencode.ai/config.json",\n  "plugin": ["opencode-strata@1", ["./x", {"a": 1}],],\n  /* more */ "command": {"x": {"template": "do $ARGUMENTS"}},\n  "memory": {"recall": {"limit": 3}}\n}\n`;
export const REMOTES = `[core]\n\tbare = false\n[remote "origin"]\n\turl = git@github.com:acme/shop.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[remote "up"] url = https://u:p@gitlab.com/a/b.git ; x\n[url "https://x/"]\n\tinsteadOf = y\n`;
export const LOG = `0123456789012345678901234567890123456789 a@b.c\tAnna B\n\n:000000 100644 0000000000000000000000000000000000000000 0123456789012345678901234567890123456789 A\t.opencode/memory/decision/x.md\n`;
export const PATCH = `*** Begin Patch\n*** Update File: src/a.ts\n@@\n a\n-b\n+function parseIt(a) {}\n*** Add File: b.ts\n+x\n*** End Patch\n`;
export const STORED = JSON.stringify([
  { id: "msg_1", type: "user", text: "hello", time: { created: MORNING } },
  {
    id: "msg_2",
    type: "assistant",
    content: [
      { type: "text", text: "x" },
      {
        type: "tool",
        id: "c",
        name: "shell",
        state: { status: "completed", input: { command: "ls" }, content: [{ type: "text", text: "a" }] },
      },
    ],
  },
]);

export const emptyStored = { version: 1 as const, ledger: EMPTY_LEDGER, removed: [] };
