import { describe, expect, it } from "vitest";
import { createContextSizes, estimateTokens } from "../../src/context/context-size.js";
import type { Outcome } from "../../src/context/decision-batch.js";
import { findText, type KnownDecision, type RecordedDecisions, replay } from "../../src/context/replay.js";
import type { Message } from "../../src/io/message.js";
import { findFreshSummary, readHistory, readMessageKey } from "../../src/messages/history.js";
import { createFakeClock } from "../support/fake-clock.js";
import { call, fork, outputs } from "../support/messages.js";
import { createSession } from "../support/session.js";

const said = (outcome: Outcome, text: string): KnownDecision => ({
  key: "k",
  outcome,
  text,
  session: "ses_1",
  layer: "session-memory",
  at: 0,
});

function talk() {
  const session = createSession(createFakeClock());
  session.user("one");
  session.answer([call("bash", "first")]);
  session.user("two");
  session.answer([call("bash", "second")], { text: "said" });
  session.answer([call("bash", "third")]);
  return session.messages;
}

/** Shows the history with these standings of messages, by index, and of results, by their text. */
function show(
  messages: readonly Message[],
  about: Record<number | string, RecordedDecisions>,
): readonly Message[] {
  const history = readHistory(messages);
  const found = new Map<string, RecordedDecisions>();
  for (const [name, standing] of Object.entries(about)) {
    const key = /^\d+$/.test(name)
      ? history.keyOf(Number(name))?.key
      : history.results().find(({ text }) => text === name)?.key;
    found.set(key ?? "", standing);
  }
  return replay(history, (key) => found.get(key));
}

describe("decisions about a result", () => {
  const result = readHistory(talk()).results()[0];
  const standing = {
    judged: said("replaced", "preview"),
    extended: [said("extended", "reminder")],
    cleared: said("cleared", "marker"),
  };
  const textOf = (given: RecordedDecisions | undefined) => result && findText(result, given);

  it("clearing a result takes precedence, and an extension follows the replacement", () => {
    expect(textOf(standing)).toBe("marker");
    expect(textOf({ judged: standing.judged, extended: standing.extended })).toBe("preview\n\nreminder");
    expect(textOf({ extended: standing.extended })).toBe("first\n\nreminder");
    expect(textOf({ extended: [...standing.extended, said("extended", "message")] })).toBe(
      "first\n\nreminder\n\nmessage",
    );
    expect(textOf({ judged: standing.judged })).toBe("preview");
    expect(
      textOf({ judged: { ...said("kept", ""), text: undefined } as unknown as KnownDecision }),
    ).toBeUndefined();
    expect(textOf(undefined)).toBeUndefined();
  });
});

describe("a history that is cut", () => {
  const notes = { cut: said("cut", "the notes") };

  it("a history that is cut at a user's message has the notes as the first part of that message", () => {
    const messages = talk();
    const view = show(messages, { 2: notes });
    expect(view).toHaveLength(3);
    expect(view[0]?.info).toBe(messages[2]?.info);
    expect(view[0]?.parts.map(({ text }) => text)).toEqual(["the notes", "two"]);
    expect(view.slice(1)).toEqual(messages.slice(3));
  });

  it("a history that is cut at an answer has the notes as a user's message before it", () => {
    const messages = talk();
    const view = show(messages, { 3: notes });
    expect(view).toHaveLength(3);
    expect(view[0]).toMatchObject({
      info: { role: "user" },
      parts: [{ text: "the notes", synthetic: true }],
    });
    expect(view.slice(1)).toEqual(messages.slice(3));
  });

  it("a history that is cut several times begins at the last cut, and decisions after it are applied", () => {
    const messages = talk();
    const view = show(messages, {
      2: notes,
      3: { cut: said("cut", "newer notes") },
      second: { cleared: said("cleared", "gone") },
    });
    expect(view[0]?.parts).toMatchObject([{ text: "newer notes" }]);
    expect(outputs(view)).toEqual(["gone", "third"]);
  });
});

describe("a decision about a whole message", () => {
  it("a message is extended at its end, and rewritten in its texts alone", () => {
    const messages = talk();
    const view = show(messages, {
      0: { extended: [said("extended", "greeting")] },
      3: { rewritten: said("rewritten", "better") },
    });
    expect(view[0]?.parts.map(({ text }) => text)).toEqual(["one", "greeting"]);
    expect(view[3]?.parts.map(({ type, text }) => [type, text])).toEqual([
      ["tool", undefined],
      ["text", "better"],
    ]);
    expect(view[1]).toBe(messages[1]);
  });

  it("the key of a message survives a fork, differs by role, and is absent if times are missing", () => {
    const [first, second] = talk() as [Message, Message];
    const [forked] = fork([first], "ses_fork") as [Message];
    expect(readMessageKey(forked, forked)).toEqual(readMessageKey(first, first));
    const asAnswer = { ...first, info: { ...first.info, role: "assistant" } };
    expect(readMessageKey(asAnswer, first)).not.toEqual(readMessageKey(first, first));
    // Two subagents that began in one millisecond are told apart by their first message.
    expect(readMessageKey(second, first)).not.toEqual(readMessageKey(second, second));
    const { time: _, ...info } = first.info;
    expect(readMessageKey({ ...first, info }, first)).toBeUndefined();
    expect(readMessageKey(second, { ...first, info })).toBeUndefined();
  });
});

describe("the host's summary", () => {
  const session = createSession(createFakeClock());
  const kept = [session.user("one"), session.answer([call("bash", "x".repeat(4_000))], { sent: 150_000 })];
  const marker = session.user("compact");
  const summary = session.answer([], { info: { summary: true, finish: "stop" }, text: "In short." });

  it("the host's summary is fresh until a later answer, although answers that the host kept follow it", () => {
    const after = [marker, summary, ...kept, session.user("go on")];
    expect(findFreshSummary(after)).toBe(1);
    expect(findFreshSummary([...after, session.answer([])])).toBe(-1);
    expect(findFreshSummary(kept)).toBe(-1);
    const failed = { ...summary, info: { ...summary.info, error: { name: "x" } } };
    expect(findFreshSummary([marker, failed, ...kept])).toBe(-1);
  });

  it("the host's summary invalidates the counts reported before it", () => {
    const sizes = createContextSizes();
    const after = [marker, summary, ...kept];
    sizes.observe("ses_1", undefined, after);
    expect(sizes.estimate("ses_1", after)).toBe(10_000 + estimateTokens(after));
  });
});

it("an answer is measured once, by the messages as they were sent for it", () => {
  const sizes = createContextSizes();
  const session = createSession(createFakeClock());
  session.user("x".repeat(40_000));
  session.answer([], { sent: 14_900, cached: 0 });
  sizes.observe("ses_1", () => session.messages, session.messages);
  expect(sizes.fixedTokens("ses_1")).toBe(4_900);
  // Cut since: asked again, the answer tells the same.
  sizes.observe("ses_1", () => session.messages.slice(1), session.messages);
  expect(sizes.fixedTokens("ses_1")).toBe(4_900);
  const restarted = createContextSizes();
  restarted.observe("ses_1", () => session.messages, session.messages.slice(1));
  expect(restarted.fixedTokens("ses_1")).toBe(4_900);
});
