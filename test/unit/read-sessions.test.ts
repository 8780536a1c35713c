/** One small talk, as each program would have recorded it. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readSession, readSessions } from "../sessions/read-sessions.js";
import { removeFolder } from "../support/remove-folder.js";

const folder = mkdtempSync(join(tmpdir(), "strata-read-"));
afterAll(() => removeFolder(folder));

const AT = Date.UTC(2026, 0, 5, 9);
const CWD = "/home/me/shop";
const FILE = `${CWD}/src/a.ts`;
const iso = (seconds: number): string => new Date(AT + seconds * 1_000).toISOString();

/** Reads it, asks for a test, and is answered: what every form has to come to. */
const TALK = [
  {
    user: "Mend it",
    at: AT,
    steps: [
      {
        at: AT + 1_000,
        say: "I look.",
        calls: [{ tool: "read", args: { filePath: FILE, offset: 3 }, result: "3: x = 1" }],
      },
      {
        at: AT + 3_000,
        say: "",
        calls: [
          { tool: "bash", args: { command: "npm test" }, result: "1 failed", error: true },
          { tool: "other", name: "Ask", args: { input: { question: "Which?" } }, result: "That" },
        ],
      },
      { at: AT + 5_000, say: "Done.", calls: [] },
    ],
  },
];

const claude = (): object[] => {
  const line = (type: string, seconds: number, content: unknown, more: object = {}) => ({
    ...{
      type,
      sessionId: "s1",
      cwd: CWD,
      timestamp: iso(seconds),
      message: { role: type, content, ...more },
    },
  });
  const use = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
  const result = (id: string, content: unknown, is_error = false) => [
    { type: "tool_result", tool_use_id: id, content, is_error },
  ];
  return [
    { type: "summary", summary: "Mend it", leafUuid: "x" },
    line("user", 0, "Mend it"),
    { ...line("user", 0, "caveat"), isMeta: true },
    line("assistant", 1, [{ type: "thinking", thinking: "hm" }], { id: "m1" }),
    line("assistant", 1, [{ type: "text", text: "I look." }], { id: "m1" }),
    line("assistant", 2, [use("c1", "Read", { file_path: FILE, offset: 3 })], { id: "m1" }),
    line("user", 2, result("c1", [{ type: "text", text: "3: x = 1" }])),
    { ...line("assistant", 2, [{ type: "text", text: "of a subagent" }]), isSidechain: true },
    line("assistant", 3, [use("c2", "Bash", { command: "npm test" })], { id: "m2" }),
    line("user", 4, result("c2", "1 failed", true)),
    line("assistant", 4, [use("c3", "Ask", { question: "Which?" })], { id: "m2" }),
    line("user", 4, result("c3", "That")),
    line("assistant", 5, [{ type: "text", text: "Done." }], { id: "m3" }),
  ];
};

const pi = (): object[] => {
  const call = (id: string, name: string, input: object) => ({
    type: "toolCall",
    id,
    name,
    arguments: input,
  });
  let count = 0;
  const entry = (message: object, seconds: number, parentId = `e${count}`) => ({
    ...{
      type: "message",
      id: `e${++count}`,
      parentId,
      message: { ...message, timestamp: AT + seconds * 1_000 },
    },
  });
  const result = (toolCallId: string, text: string, isError = false) =>
    entry({ role: "toolResult", toolCallId, content: [{ type: "text", text }], isError }, 4);
  const said = (...content: object[]) => ({ role: "assistant", content });
  const entries = [
    entry({ role: "user", content: "Mend it" }, 0),
    entry(said({ type: "text", text: "I look." }, call("c1", "read", { path: FILE, offset: 3 })), 1),
    result("c1", "3: x = 1"),
  ];
  const abandoned = entry(said({ type: "text", text: "of another branch" }), 2);
  entries.push(
    abandoned,
    entry(
      said(call("c2", "bash", { command: "npm test" }), call("c3", "Ask", { question: "Which?" })),
      3,
      "e3",
    ),
    result("c2", "1 failed", true),
    result("c3", "That"),
    entry(said({ type: "text", text: "Done." }), 5),
  );
  return [{ type: "session", version: 3, id: "s1", cwd: CWD }, ...entries];
};

const opencode = (): object => {
  const message = (id: string, role: string, seconds: number, ...parts: object[]) => ({
    info: { id, role, time: { created: AT + seconds * 1_000 } },
    parts,
  });
  const text = (said: string) => ({ type: "text", text: said });
  const call = (callID: string, tool: string, input: object, state: object) => ({
    ...{ type: "tool", callID, tool, state: { status: "completed", input, ...state } },
  });
  return {
    info: { id: "s1", directory: CWD, title: "Mend it" },
    messages: [
      message("m1", "user", 0, text("Mend it"), { type: "text", text: "reminder", synthetic: true }),
      message(
        "m2",
        "assistant",
        1,
        text("I look."),
        call("c1", "read", { filePath: FILE, offset: 3 }, { output: "3: x = 1" }),
      ),
      message(
        "m3",
        "assistant",
        3,
        call("c2", "bash", { command: "npm test" }, { status: "error", error: "1 failed" }),
        call("c4", "read", {}, { status: "running" }),
      ),
      message("m4", "assistant", 5, text("Done.")),
    ],
  };
};

function write(name: string, lines: readonly object[]): string {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join("\n"));
  return path;
}

describe("a recorded session is read the same, whichever program recorded it", () => {
  it("Claude Code: an answer of several lines is one, and neither a subagent nor the program speaks for the user", () => {
    const { cwd, turns } = readSession(write("claude.jsonl", claude()));
    expect({ cwd, turns }).toEqual({ cwd: CWD, turns: TALK });
  });

  it("pi: only the branch that leads to the last entry counts", () => {
    const { cwd, turns } = readSession(write("pi.jsonl", pi()));
    expect({ cwd, turns }).toEqual({ cwd: CWD, turns: TALK });
  });

  it("OpenCode: synthetic text is not the user's, and a call without an end did not happen", () => {
    const { cwd, turns } = readSession(write("export.json", [opencode()]));
    const [first, second, last] = TALK[0]?.steps ?? [];
    const steps = [first, { ...second, calls: second?.calls.slice(0, 1) }, last];
    expect({ cwd, turns }).toEqual({ cwd: CWD, turns: [{ ...TALK[0], steps }] });
  });

  it("Codex: calls until their outputs are one answer; a patch and a command keep what was sent and its exit", () => {
    const item = (seconds: number, payload: object) => ({
      type: "response_item",
      timestamp: iso(seconds),
      payload,
    });
    const message = (role: string, text: string) => ({
      type: "message",
      role,
      content: [{ type: "input_text", text }],
    });
    const patchText = `*** Begin Patch\n*** Update File: ${FILE}\n@@\n-x = 1\n+x = 2\n*** End Patch`;
    const { cwd, turns } = readSession(
      write("rollout.jsonl", [
        { type: "session_meta", payload: { id: "s1", cwd: CWD } },
        item(0, message("user", "<environment_context>\n</environment_context>")),
        item(0, message("user", "Mend it")),
        item(1, message("assistant", "I look.")),
        item(1, {
          type: "function_call",
          name: "shell",
          call_id: "c1",
          arguments: JSON.stringify({ command: ["bash", "-lc", "npm test"] }),
        }),
        item(2, {
          type: "function_call_output",
          call_id: "c1",
          output: JSON.stringify({ output: "1 failed", metadata: { exit_code: 1 } }),
        }),
        { type: "event_msg", payload: { type: "token_count" } },
        item(3, { type: "custom_tool_call", name: "apply_patch", call_id: "c2", input: patchText }),
        item(3, { type: "custom_tool_call_output", call_id: "c2", output: "Success" }),
        item(5, message("assistant", "Done.")),
      ]),
    );
    expect(cwd).toBe(CWD);
    expect(turns).toMatchObject([
      {
        user: "Mend it",
        steps: [
          {
            say: "I look.",
            calls: [{ tool: "bash", args: { command: "npm test" }, result: "1 failed", exit: 1 }],
          },
          { calls: [{ tool: "apply_patch", args: { patchText }, result: "Success" }] },
          { say: "Done.", calls: [] },
        ],
      },
    ]);
  });

  it("a folder gives the sessions below it by their files' names, and one that is none says what was expected", () => {
    expect(readSessions(folder, ["claude", "pi"]).map(({ id }) => id)).toEqual(["claude", "pi"]);
    expect(() => readSessions(folder, ["no"])).toThrow(
      /has no session no; it has: claude, export, pi, rollout/,
    );
    expect(() => readSession(write("other.jsonl", [{ a: 1 }]))).toThrow(
      /expected Claude Code's, Codex's or pi's/,
    );
  });
});
