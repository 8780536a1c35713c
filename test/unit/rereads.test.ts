/** Calls that would not have been made without Strata, because what they show would still be in sight. */
import { describe, expect, it } from "vitest";
import { findRereads } from "../../layers/always/baseline/rereads.js";
import type { ToolPart } from "../../src/io/message.js";
import { readHistory } from "../../src/messages/history.js";
import { createFakeClock } from "../support/fake-clock.js";
import { call } from "../support/messages.js";
import { createSession } from "../support/session.js";

type Made = readonly [tool: string, input: Record<string, unknown>];

const PROJECT = "/p";
const read = (path: string, offset?: number, limit?: number): Made => [
  "read",
  { filePath: `/p/${path}`, offset, limit },
];
const edit = (path: string): Made => ["edit", { filePath: `/p/${path}`, oldString: "a", newString: "b" }];
const bash = (command: string): Made => ["bash", { command }];

/** One answer for each call; the results of those listed in `gone` have left when the answer of that index is given. */
function rereadsOf(made: readonly Made[], gone: Record<number, number> = {}): ToolPart[] {
  const clock = createFakeClock();
  const session = createSession(clock);
  session.user("go");
  const answers = made.map(([tool, input]) =>
    session.answer([call(tool, `${tool} shows`, { startMs: clock.now() + 1_000, state: { input } })]),
  );
  const history = readHistory([...session.messages]);
  const last = answers.at(-1);
  if (!last) throw new Error("no answer");
  return findRereads(last, {
    history,
    from: 0,
    goneAt({ index }) {
      const at = gone[index - 1];
      return at === undefined ? undefined : (answers[at]?.info.time?.created ?? 0);
    },
    isOwnTool: (name) => name === "memory_search",
    project: PROJECT,
    resultsFolder: ".opencode/tool-results",
  });
}

describe("a reread", () => {
  it("a reread is a call of Strata's own tools, or one that names the folder of whole results", () => {
    expect(rereadsOf([["memory_search", { query: "x" }]])).toHaveLength(1);
    expect(rereadsOf([bash("grep x .opencode/tool-results/a.txt")])).toHaveLength(1);
    expect(rereadsOf([read(".opencode/tool-results/a.txt", 10, 20)])).toHaveLength(1);
    expect(rereadsOf([read("a.ts")])).toEqual([]);
  });

  it("a reread is a file read again after its reading went out of sight, whole or in part", () => {
    expect(rereadsOf([read("a.ts"), bash("make"), read("a.ts")], { 0: 1 })).toHaveLength(1);
    expect(rereadsOf([read("a.ts"), bash("make"), read("a.ts", 100, 50)], { 0: 1 })).toHaveLength(1);
    expect(rereadsOf([read("a.ts"), bash("make"), read("a.ts")])).toEqual([]);
    expect(rereadsOf([read("a.ts"), bash("make"), read("b.ts")], { 0: 1 })).toEqual([]);
    expect(rereadsOf([read("x/a.ts"), bash("make"), read("y/a.ts")], { 0: 1 })).toEqual([]);
    expect(rereadsOf([read("a.ts", 100), bash("make"), read("a.ts", 1, 50)], { 0: 1 })).toEqual([]);
  });

  it("a reading of a file that had changed before it went is no reread; a change after that does not count", () => {
    expect(rereadsOf([read("a.ts"), edit("a.ts"), bash("make"), read("a.ts")], { 0: 2 })).toEqual([]);
    expect(rereadsOf([read("a.ts"), bash("make"), edit("a.ts"), read("a.ts")], { 0: 1 })).toHaveLength(1);
    expect(rereadsOf([read("a.ts"), edit("b.ts"), bash("make"), read("a.ts")], { 0: 2 })).toHaveLength(1);
  });

  it("another call made again is a reread if nothing had changed, and never one that does something", () => {
    const search = bash("grep -rn x src");
    const find: Made = ["grep", { pattern: "x" }];
    expect(rereadsOf([search, read("a.ts"), search], { 0: 1 })).toHaveLength(1);
    expect(rereadsOf([find, read("a.ts"), find], { 0: 1 })).toHaveLength(1);
    expect(rereadsOf([search, edit("a.ts"), read("a.ts"), search], { 0: 2 })).toEqual([]);
    expect(rereadsOf([bash("npm test"), read("a.ts"), bash("npm test")], { 0: 1 })).toEqual([]);
  });

  it("a file read in the shell counts as read", () => {
    expect(
      rereadsOf([bash("sed -n '1,200p' src/a.ts"), bash("make"), read("src/a.ts", 20, 40)], { 0: 1 }),
    ).toHaveLength(1);
    expect(
      rereadsOf([bash("cat src/a.ts"), bash("make"), bash("nl -ba src/a.ts | sed -n '5,9p'")], { 0: 1 }),
    ).toHaveLength(1);
    const counted = bash("cat src/a.ts | sed -n '5,9p' | wc -l");
    expect(rereadsOf([bash("cat src/a.ts"), bash("make"), counted], { 0: 1 })).toEqual([]);
  });
});
