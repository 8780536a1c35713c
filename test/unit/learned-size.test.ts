/** What the provider's counts tell of a session's size. */
import { describe, expect, it } from "vitest";
import { createContextSizes } from "../../src/context/context-size.js";
import type { Message } from "../../src/io/message.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createSession } from "../support/session.js";

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
