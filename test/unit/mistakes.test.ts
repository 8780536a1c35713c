import { describe, expect, it } from "vitest";
import { countMistakes } from "../../layers/2-micro-compact/mistakes.js";
import { createUses } from "../../layers/2-micro-compact/uses.js";
import { readHistory } from "../../src/conversation/history.js";
import type { Message } from "../../src/conversation/message.js";
import type { KnownDecision } from "../../src/view/known-decision.js";
import { answer, call, user } from "../support/messages.js";

const WHOLE = "/project/.opencode/tool-results/one.txt";
const read = (filePath: string, input: object = {}) =>
  call("read", "text", { state: { input: { filePath, ...input } } });
const idle = (count: number): Message[] => Array.from({ length: count }, () => answer([]));

/** The first result is cleared after `before` answers, and `later` follows `after` answers. */
function count(later: ReturnType<typeof call>, { after = 2, before = 5 } = {}): number {
  const head = [user("go"), answer([read("/a.ts")]), ...idle(before)];
  const messages = [...head, ...idle(after), answer([later]), user("next")];
  const history = readHistory(messages);
  const first = history.results()[0]?.key;
  const at = head.at(-1)?.info.time?.created ?? 0;
  const cleared: KnownDecision = {
    key: first ?? "",
    outcome: "cleared",
    text: "",
    file: WHOLE,
    session: "ses_1",
    layer: "micro-compact",
    at,
  };
  const find = (key: string) => (key === first ? { cleared } : undefined);
  return countMistakes({ find, history, shownFrom: () => 0 }, createUses().read("ses_1", history));
}

describe("a mistake", () => {
  it("a mistake is a result that is looked up again within ten requests, by any lines of its file or by the whole", () => {
    expect(count(read("/a.ts"))).toBe(1);
    expect(count(read("/a.ts", { offset: 40, limit: 9 }))).toBe(1);
    expect(count(read(WHOLE))).toBe(1);
    expect(count(read("/a.ts"), { after: 9 })).toBe(1);
  });

  it("a mistake is neither a later look nor a look at something else", () => {
    expect(count(read("/a.ts"), { after: 10 })).toBe(0);
    expect(count(read("/b.ts"))).toBe(0);
    expect(count(call("bash", "text", { state: { input: { command: "cat /a.ts" } } }))).toBe(0);
  });
});
