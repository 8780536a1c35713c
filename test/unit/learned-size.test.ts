/** What the provider's counts tell of a session's size, and of what it would have been without us. */
import { describe, expect, it } from "vitest";
import { createWithout } from "../../layers/always/without.js";
import type { Message } from "../../src/conversation/message.js";
import { createContextSizes } from "../../src/view/context-size.js";
import { createFakeClock } from "../support/fake-clock.js";
import { call } from "../support/messages.js";
import { createSession } from "../support/session.js";

/** System prompt and tools, as a provider counts them. */
const FIXED = 8_117;

function textOf(messages: readonly Message[]): number {
  return JSON.stringify(messages.map(({ parts }) => parts)).length;
}

/** A provider that has `perToken` characters of our text a token. */
function openSession(perToken: number) {
  const clock = createFakeClock();
  const session = createSession(clock);
  const sizes = createContextSizes();
  const answerTo = (shown: readonly Message[], characters: number): void => {
    const sent = FIXED + Math.round(characters / perToken);
    const answer = session.answer([], { sent, cached: 0 });
    sizes.report("ses_1", answer.info, shown);
  };
  return { session, sizes, answerTo };
}

describe("system prompt and tools", () => {
  it.each([2, 3, 4, 6])("stay what they are where a token has %d characters", (perToken) => {
    const { session, sizes, answerTo } = openSession(perToken);
    let characters = 0;
    for (let turn = 0; turn < 12; turn++) {
      const words = "x".repeat(turn === 0 ? 40 : 20_000);
      session.user(words);
      characters += words.length;
      answerTo([...session.messages], characters);
      expect(Math.abs(sizes.fixedTokens("ses_1") - FIXED)).toBeLessThan(FIXED * 0.02);
    }
  });

  it("system prompt and tools are known after a restart from the first answer, also where history has been cut since", () => {
    const { session, answerTo } = openSession(2);
    session.user("x".repeat(40));
    answerTo([...session.messages], 40);
    session.user("x".repeat(60_000));
    answerTo([...session.messages], 60_040);
    for (const shown of [session.messages, session.messages.slice(2)]) {
      const restarted = createContextSizes();
      restarted.observe("ses_1", () => shown, session.messages);
      expect(Math.abs(restarted.fixedTokens("ses_1") - FIXED)).toBeLessThan(FIXED * 0.02);
    }
  });
});

describe("the size of a request without Strata", () => {
  const history = (characters: number): Message[] => {
    const session = createSession(createFakeClock());
    session.user("go");
    session.answer([call("read", "y".repeat(characters))], { sent: 7_000, cached: 0 });
    return [...session.messages];
  };
  const measure = (_session: string, messages: readonly Message[]): number => textOf(messages) / 4;

  it("the size of a request without Strata does not shrink when history is replaced, however dense it was", () => {
    for (const density of [0.15, 0.25, 0.6]) {
      const without = createWithout(measure);
      const [before, after] = [history(400_000), history(400_200)];
      const sent = Math.round(8_000 + 400_000 * density);
      const first = without.count({ sessionID: "s", history: before, shown: before, sent });
      const cut = { sessionID: "s", history: after, shown: history(40_000), sent: 18_000 };
      const second = without.count(cut);
      expect(second).toBeGreaterThanOrEqual(first);
      expect(second).toBeLessThan(first * 1.01);
      const later = without.count({
        ...cut,
        history: history(404_200),
        shown: history(44_000),
        sent: 19_000,
      });
      expect(later).toBeGreaterThan(second);
    }
  });

  it("the size of a request without Strata is what was sent plus what was kept out from the start", () => {
    const without = createWithout(measure);
    const small = history(100);
    expect(without.count({ sessionID: "s", history: small, shown: small, sent: 8_000 })).toBe(8_000);
    const spilled = { sessionID: "s", history: history(40_100), shown: history(2_100), sent: 8_500 };
    expect(without.count(spilled)).toBeCloseTo(8_500 + 38_000 / 4, -1);
  });

  it("the size of a request without Strata is, after a restart and a cut, at least what was sent before it", () => {
    const session = createSession(createFakeClock());
    session.user("go");
    session.user("y".repeat(40_000));
    session.answer([], { sent: 30_000, cached: 0 });
    session.user("and now?");
    const { messages } = session;
    const count = createWithout(measure).count({
      sessionID: "s",
      history: messages,
      shown: messages.slice(2),
      sent: 9_000,
    });
    expect(count).toBeGreaterThanOrEqual(30_000);
  });
});
