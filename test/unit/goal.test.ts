import { describe, expect, it } from "vitest";
import { planReminder } from "../../layers/3-session-memory/goal.js";
import { readHistory } from "../../src/conversation/history.js";
import type { ToolPart } from "../../src/conversation/message.js";
import { readFacts, type SessionFacts } from "../../src/notes/facts.js";
import { EMPTY_LEDGER } from "../../src/notes/ledger.js";
import { createFakeClock } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { call } from "../support/messages.js";
import { createSession } from "../support/session.js";
import { LONGEST_REMINDER } from "../support/view-check.js";

const none = readFacts(EMPTY_LEDGER, PROJECT);
const rule = (text: string, at: number) => ({ text, at, request: 1 });
const request = (text: string) => ({ number: 1, text, at: 1, files: [], outcome: undefined });
const facts: SessionFacts = { ...none, requests: [request("port the parser")] };

/** A request, and answers with so many calls each. */
function work(...calls: number[]) {
  const session = createSession(createFakeClock());
  session.user("go");
  for (const count of calls) session.answer(Array.from({ length: count }, () => call("bash", "done")));
  return session;
}
const plan = (session: ReturnType<typeof work>, given = facts, every = 10) =>
  planReminder(readHistory(session.messages), given, every);

describe("the reminder of the goal", () => {
  it("the reminder of the goal is due with every tenth call on one request, also where parallel calls step over it", () => {
    expect(plan(work(9))).toBeUndefined();
    expect(plan(work(9, 1))?.text).toContain("after 10 tool calls");
    expect(plan(work(9, 3))?.text).toContain("after 12 tool calls");
    expect(plan(work(10, 1))).toBeUndefined();
    expect(plan(work(9, 3, 7))).toBeUndefined();
    expect(plan(work(9, 3, 8))?.text).toContain("after 20 tool calls");
    expect(plan(work(2), facts, 2)).toBeDefined();
    expect(plan(work(10), facts, 0)).toBeUndefined();
  });

  it("the reminder of the goal counts anew with each request of the user's", () => {
    const session = work(9);
    session.user("next");
    session.answer([call("bash", "one")]);
    expect(plan(session)).toBeUndefined();
  });

  it("the reminder of the goal stands behind the last result of the newest message, which nobody has been sent yet", () => {
    const session = work(8, 3);
    const parts = session.messages.at(-1)?.parts as ToolPart[];
    expect(plan(session)?.result.part).toBe(parts[2]);
    session.user("wait");
    expect(plan(session)).toBeUndefined();
    expect(plan(work(10, 0))).toBeUndefined();
  });

  it("the reminder of the goal repeats the request, the newest rules and what is open, and is bounded whatever they are", () => {
    const long = "🦆 word\n".repeat(5_000);
    const many = Array.from({ length: 30 }, (_, n) => rule(`${n} ${long}`, n));
    const todos = Array.from({ length: 30 }, (_, n) => ({ content: `${n} ${long}`, status: "pending" }));
    const text =
      plan(work(10), {
        ...facts,
        requests: [request("old"), request(long)],
        constraints: many,
        corrections: [rule("No, the other file.", 99)],
        todos: [...todos, { content: "is done", status: "completed" }],
      })?.text ?? "";
    expect(text).toContain("no new request. The user asked:\n🦆 word");
    expect(text).toContain("- 29 🦆");
    expect(text).toContain("- No, the other file.");
    expect(text).not.toContain("is done");
    expect(text.length).toBeLessThan(LONGEST_REMINDER);
    expect(Buffer.from(text).toString()).toBe(text);
  });

  it("the reminder of the goal is not made without a request to repeat", () => {
    expect(plan(work(10), none)).toBeUndefined();
  });
});
