import { describe, expect, it } from "vitest";
import { createContextSizes } from "../../src/context/context-size.js";
import type { Message, ReportedTokens } from "../../src/io/message.js";
import { readResultKey } from "../../src/messages/history.js";
import { createFakeClock } from "../support/fake-clock.js";
import { answer, call, user } from "../support/messages.js";
import { createSession } from "../support/session.js";

function reported(message: Message, tokens: ReportedTokens): Message {
  return { ...message, info: { ...message.info, tokens } };
}

describe("the size of the context", () => {
  const usage = { input: 1_000, output: 50, reasoning: 20, cache: { read: 8_000, write: 300 } };
  const sent = [user("y".repeat(400)), reported(answer([call("bash", "x".repeat(4_000))]), usage)];

  it("the size of the context is what the provider reported for the last answer, and an estimate of what came since", () => {
    const sizes = createContextSizes();
    sizes.observe("ses_1", () => sent, sent);
    expect(sizes.estimate("ses_1", sent)).toBeCloseTo(9_370 + 1_000, -1);
    expect(sizes.estimate("ses_1", [...sent, user("y".repeat(400))])).toBeCloseTo(9_370 + 1_100, -1);
  });
});

it("the key of a decision tells results apart that share a call id, and is the same for the same result in a fork", () => {
  const one = call("bash", "text", { callID: "call_0", startMs: 1_000 });
  const two = call("bash", "text", { callID: "call_0", startMs: 2_000 });
  const three = call("bash", "tess", { callID: "call_0", startMs: 1_000 });
  expect(readResultKey(one)).not.toEqual(readResultKey(two));
  expect(readResultKey(one)).not.toEqual(readResultKey(three));
  expect(readResultKey(structuredClone(one))).toEqual(readResultKey(one));
});

/** System prompt and tools, as a provider counts them. */
const FIXED = 8_117;

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
});
