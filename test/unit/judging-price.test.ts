import { describe, expect, it } from "vitest";
import { priceJudging } from "../../layers/always/request-usage.js";
import { PRICE, priceUsage } from "../../src/costs/savings.js";
import type { Message } from "../../src/io/message.js";
import { KEEP_TOOL, QUESTION_HEAD } from "../../src/memory/candidates/candidate.js";
import { readHistory } from "../../src/messages/history.js";
import { keep, open, questionIn, say } from "../support/agent-judge.js";
import { createFakeClock } from "../support/fake-clock.js";
import { call } from "../support/messages.js";
import { createSession } from "../support/session.js";

/** As many candidates that do not say the same. */
const SUBJECTS = [
  "the till",
  "a printer",
  "his boat",
  "our server",
  "every invoice",
  "old mail",
  "night work",
  "cold rooms",
  "black paint",
  "loud music",
].map(
  (name, n) =>
    `A word on ${name}: since ${1990 + n} it belongs to the ${name} people (doc/${n}.md). They own ${n + 3} of it. Nobody else may touch ${name}.`,
);

describe("the price of asking", () => {
  const clock = createFakeClock();
  const question = `${QUESTION_HEAD} a "${"x".repeat(100)}" Call …`;

  /** A request that ends with the newest of these messages; the question is behind the message at `asked`. */
  function priced(messages: readonly Message[], asked: number, sent = 0) {
    const history = readHistory(messages);
    const key = history.keyOf(asked)?.key;
    const standing = { extended: [{ text: question, outcome: "extended", layer: "auto-memory" }] };
    const find = (name: string) => (name === key ? (standing as never) : undefined);
    const request = { find, history, rates: () => PRICE, shownFrom: () => 0 };
    return priceJudging(request, { sent, tokensPerCharacter: 0.25 });
  }

  it("the price of asking is the question, written once and carried from the cache, and what answers it", () => {
    const session = createSession(clock);
    session.user("one");
    session.answer([], { text: "ok" });
    session.user("two");
    const tokens = question.length / 4;
    expect(priced(session.messages, 2)).toBe(tokens * PRICE.written);
    session.answer([], { text: "ok" });
    session.user("three");
    expect(priced(session.messages, 2)).toBe(tokens * PRICE.cached);
    expect(priced(session.messages, -1)).toBe(0);
    session.answer([
      call("bash", "ok"),
      call(KEEP_TOOL, "a is kept", { state: { input: { letters: "a" } } }),
    ]);
    const together = priced(session.messages, 2);
    session.messages.pop();
    session.answer([call(KEEP_TOOL, "a is kept", { state: { input: { letters: "a" } } })], { sent: 30_000 });
    const alone = priced(session.messages, 2);
    expect(together).toBeGreaterThan(tokens * PRICE.cached);
    expect(alone - together).toBeCloseTo(priceUsage({ sent: 30_000, cached: 30_000, answered: 100 }, PRICE));
  });

  it("the price of asking is at most one percent of a session of usual size whose agent answers by calls of their own", async () => {
    const opened = await open("agent");
    const { session, world } = opened;
    let sent = 12_000;
    let [paid, judged, questions] = [0, 0, 0];
    for (let turn = 0; turn < 30; turn++) {
      const text = turn % 3 === 0 ? SUBJECTS[turn / 3] : "Go on.";
      const question = questionIn(await say(opened, text ?? ""));
      const [, letter] = / ([a-z]{1,2}) "/.exec(question ?? "") ?? [];
      if (letter !== undefined) questions++;
      for (let step = 0; step < 8; step++) {
        const kept = letter !== undefined && step === 1 ? await keep(opened, letter) : undefined;
        const answers =
          kept === undefined ? [] : [call(KEEP_TOOL, kept, { state: { input: { letters: letter } } })];
        const others = answers.length > 0 ? [] : [call("bash", "x")];
        session.answer([...answers, ...others], { sent, cached: sent - 1_500 });
        sent = Math.min(60_000, sent + 1_500);
        const request = world.strata.requests.open(session.messages);
        if (!request) throw new Error("no request");
        paid += priceUsage({ sent, cached: sent - 1_500, answered: 250 }, PRICE);
        judged += priceJudging({ ...request, rates: () => PRICE }, { sent, tokensPerCharacter: 0.25 });
      }
    }
    const share = judged / paid;
    expect(questions).toBeGreaterThan(0);
    expect(judged).toBeGreaterThan(0);
    expect(share).toBeLessThan(0.01);
  }, 60_000);
});
