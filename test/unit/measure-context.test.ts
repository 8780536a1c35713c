/** What the tokens of a request are spent on. */
import { describe, expect, it } from "vitest";
import { countKinds } from "../../layers/always/screen/screens.js";
import { type KnownDecision, type RecordedDecisions, replay } from "../../src/context/replay.js";
import type { ContextRequest } from "../../src/context/request.js";
import type { Message } from "../../src/io/message.js";
import { readHistory } from "../../src/messages/history.js";
import { createFakeClock } from "../support/fake-clock.js";
import { call } from "../support/messages.js";
import { createSession } from "../support/session.js";

const decided = (layer: string, outcome: KnownDecision["outcome"], text: string): KnownDecision => ({
  ...{ key: "", session: "ses_1", at: 1, layer, outcome, text },
});

/** A request in which the messages of these indices have these decisions. */
function openRequest(messages: readonly Message[], standing: Record<number, RecordedDecisions>) {
  const history = readHistory(messages);
  const byKey = new Map(
    Object.entries(standing).map(([index, one]) => [history.keyOf(Number(index))?.key, one]),
  );
  const find = (key: string): RecordedDecisions | undefined => byKey.get(key);
  const cut = Object.entries(standing).find(([, one]) => one.cut);
  const request = { sessionID: "ses_1", history, find, shownFrom: () => Number(cut?.[0] ?? 0) };
  return { request: request as unknown as ContextRequest, shown: replay(history, find) };
}

function play(): Message[] {
  const session = createSession(createFakeClock());
  session.user("w".repeat(100));
  session.answer([call("bash", "r".repeat(2_000), { state: { input: { command: "c".repeat(50) } } })], {
    text: "a".repeat(300),
  });
  session.user("v".repeat(40));
  session.answer([], { text: "b".repeat(500) });
  session.user("u".repeat(30));
  return [...session.messages];
}

describe("the kinds of a request", () => {
  it("words, answers, calls and results are told apart, and what Strata added is memory or notes, or the result that a person brought back", () => {
    const extended = [
      decided("auto-memory", "extended", "m".repeat(70)),
      decided("session-memory", "extended", "n".repeat(20)),
      decided("steering/r-abcdefg", "extended", "r".repeat(50)),
    ];
    const { request, shown } = openRequest(play(), { 0: { extended } });
    const kinds = countKinds(request, shown);
    expect(kinds).toMatchObject({ words: 170, answers: 800, results: 2_050, memory: 70, notes: 20 });
    expect(kinds.calls).toBeGreaterThan(50);
  });

  it.each([2, 3])("notes that replace history count as notes, before message %d", (index) => {
    const cut = decided("full-compact", "cut", "n".repeat(900));
    const { request, shown } = openRequest(play(), { [index]: { cut } });
    const kinds = countKinds(request, shown);
    expect(kinds.notes).toBe(900);
    expect(kinds.words).toBe(index === 2 ? 70 : 30);
    expect(kinds).toMatchObject({ answers: 500, results: 0, calls: 0 });
  });
});
