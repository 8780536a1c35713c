import { expect, it } from "vitest";
import { planReminder } from "../../layers/3-session-memory/reminders.js";
import type { Find } from "../../src/context/replay.js";
import type { ToolPart } from "../../src/io/message.js";
import { readHistory } from "../../src/messages/history.js";
import { EMPTY_LEDGER } from "../../src/notes/ledger.js";
import type { Ledger } from "../../src/notes/stored.js";
import { createFakeClock } from "../support/fake-clock.js";
import { call } from "../support/messages.js";
import { createSession } from "../support/session.js";

const rule = (kind: "rule" | "correction", text: string, at: number) => ({ key: text, kind, text, at });
const request = (text: string) => ({ key: text, text, at: 1, length: text.length, files: [] });
const facts: Ledger = { ...EMPTY_LEDGER, requests: [request("port the parser")] };

/** A request, and answers with so many calls each. */
function work(...calls: number[]) {
  const session = createSession(createFakeClock());
  session.user("go");
  for (const count of calls) session.answer(Array.from({ length: count }, () => call("bash", "done")));
  return session;
}
const LAYER = "session-memory";

/** As if these layer's reminders had been recorded, each behind the last result of the message at this index. */
function open(session: ReturnType<typeof work>, reminded: readonly number[] = []) {
  const history = readHistory(session.messages);
  const keys = reminded.map((index) => history.results(index).findLast((one) => one.index === index)?.key);
  const reminder = {
    key: "",
    outcome: "extended" as const,
    text: "reminder",
    session: "s",
    layer: LAYER,
    at: 1,
  };
  const find: Find = (key) => (keys.includes(key) ? { extended: [reminder] } : undefined);
  return { history, find, shownFrom: () => 0 };
}

function plan(
  session: ReturnType<typeof work>,
  { given = facts, every = 10, distance = 0, reminded = [] as readonly number[] } = {},
) {
  const policy = { goalRefresh: every, goalDistance: distance };
  const options = { view: session.messages, facts: given, policy, layer: LAYER };
  return planReminder(open(session, reminded), options);
}

it("the reminder of the goal is due ten calls after the request, and again ten calls after itself", () => {
  expect(plan(work(9))).toBeUndefined();
  expect(plan(work(9, 1))?.text).toContain("after 10 tool calls");
  expect(plan(work(9, 3))?.text).toContain("after 12 tool calls");
  expect(plan(work(9, 3, 7), { reminded: [2] })).toBeUndefined();
  expect(plan(work(9, 3, 7, 3), { reminded: [2] })?.text).toContain("after 22 tool calls");
  expect(plan(work(2), { every: 2 })).toBeDefined();
  expect(plan(work(10), { every: 0 })).toBeUndefined();
});

it("the reminder of the goal is due only where enough tokens have followed the request, or the last one", () => {
  const session = work(10);
  session.answer([call("bash", "x".repeat(40_000))]);
  expect(plan(session, { distance: 11_000 })).toBeUndefined();
  expect(plan(session, { distance: 9_000 })).toBeDefined();
  session.answer(Array.from({ length: 10 }, () => call("bash", "done")));
  expect(plan(session, { distance: 9_000, reminded: [2] })).toBeUndefined();
});

it("the reminder of the goal stands behind the last result of the newest message, which nobody has been sent yet", () => {
  const session = work(8, 3);
  const parts = session.messages.at(-1)?.parts as ToolPart[];
  expect(plan(session)?.behind).toMatchObject({ part: parts[2] });
  session.user("wait");
  expect(plan(session)).toBeUndefined();
  expect(plan(work(10, 0))).toBeUndefined();
});

it("the reminder of the goal repeats the request, the newest rules and what is open, and is bounded whatever they are", () => {
  const long = "🦆 word\n".repeat(5_000);
  const many = Array.from({ length: 30 }, (_, n) => rule("rule", `${n} ${long}`, n));
  const todos = Array.from({ length: 30 }, (_, n) => ({ content: `${n} ${long}`, status: "pending" }));
  const text =
    plan(work(10), {
      given: {
        ...facts,
        requests: [request("old"), request(long)],
        rules: [...many, rule("correction", "No, the other file.", 99)],
        todos: { at: 1, items: [...todos, { content: "is done", status: "completed" }] },
      },
    })?.text ?? "";
  expect(text).toContain("no new request. The user asked:\n🦆 word");
  expect(text).toContain("- 29 🦆");
  expect(text).toContain("- No, the other file.");
  expect(text).not.toContain("is done");
  expect(text.length).toBeLessThan(1_500);
  expect(Buffer.from(text).toString()).toBe(text);
});
