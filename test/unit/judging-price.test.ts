import { describe, expect, it } from "vitest";
import { priceJudging } from "../../layers/always/request-usage.js";
import { JUDGING, PRICE, priceUsage, type SavingsRecord } from "../../src/costs/savings.js";
import { sumSavings } from "../../src/costs/sums.js";
import type { Message } from "../../src/io/message.js";
import { KEEP_TOOL, QUESTION_HEAD } from "../../src/memory/candidates/question.js";
import { readHistory } from "../../src/messages/history.js";
import { keep, open, questionIn, say } from "../support/agent-judge.js";
import { createFakeClock } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { call } from "../support/messages.js";
import { createSession } from "../support/session.js";
import { runStrata } from "../support/shell.js";

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

  it("the price of judging is told once, with its share of what was paid, where other costs are", async () => {
    const lines = [
      { event: "answer", sent: 9_000, cost: 10_000, net: 100, judging: 30 },
      { event: "background", reason: JUDGING, backgroundTokens: 900, net: -20 },
    ].map((more) =>
      JSON.stringify({
        v: 1,
        time: "2026-11-20T10:00:00.000Z",
        instance: "a",
        session: "s",
        layer: "view",
        ...more,
      }),
    );
    const files = createMemoryFiles({
      [`${PROJECT}/.opencode/strata/savings/s.jsonl`]: `${lines.join("\n")}\n`,
    });
    const told = "what to remember: 0.5 % of what was paid (50 tokens)";
    for (const [command, line] of [
      ["stats", `judging ${told}`],
      ["status", `Judging         ${told}`],
    ] as const) {
      const { out } = await runStrata(files, command);
      expect(out.split("\n").filter((one) => one.includes("udging"))).toEqual([
        expect.stringContaining(line),
      ]);
    }
    const { out } = await runStrata(files, "stats --csv");
    expect(out.split("\n").map((one) => one.trim().split(",").at(-1))).toEqual(["judging", "30", ""]);
  });

  it("the price of asking and that of the small model are one sum in the ledger, and part of what was paid", () => {
    const record = (more: object) =>
      ({ v: 1, time: "", instance: "a", session: "s", layer: "view", net: 0, ...more }) as SavingsRecord;
    const totals = sumSavings([
      record({ event: "answer", cost: 5_000, judging: 12 }),
      record({ event: "answer", cost: 5_000 }),
      record({ event: "background", reason: JUDGING, backgroundTokens: 900, net: -70 }),
      record({ event: "background", reason: "notes", backgroundTokens: 900, net: -500 }),
    ]);
    expect([totals.judging, totals.cost]).toEqual([82, 10_570]);
  });

  it.each(["with its next call", "by calls of their own"])(
    "the price of asking is at most one percent of a session of usual size whose agent answers %s",
    async (how) => {
      const opened = await open("agent");
      const { session, world } = opened;
      const isAlone = how === "by calls of their own";
      let sent = 12_000;
      let [paid, judged, requests, questions] = [0, 0, 0, 0];
      for (let turn = 0; turn < 30; turn++) {
        const text = turn % 3 === 0 ? SUBJECTS[turn / 3] : "Go on.";
        const question = questionIn(await say(opened, text ?? ""));
        const [, letter] = / ([a-z]{1,2}) "/.exec(question ?? "") ?? [];
        if (letter !== undefined) questions++;
        for (let step = 0; step < 8; step++) {
          const kept = letter !== undefined && step === 1 ? await keep(opened, letter) : undefined;
          const answers =
            kept === undefined ? [] : [call(KEEP_TOOL, kept, { state: { input: { letters: letter } } })];
          const others = answers.length > 0 && isAlone ? [] : [call("bash", "x")];
          session.answer([...answers, ...others], { sent, cached: sent - 1_500 });
          sent = Math.min(60_000, sent + 1_500);
          const request = world.strata.requests.open(session.messages);
          if (!request) throw new Error("no request");
          paid += priceUsage({ sent, cached: sent - 1_500, answered: 250 }, PRICE);
          judged += priceJudging({ ...request, rates: () => PRICE }, { sent, tokensPerCharacter: 0.25 });
          requests++;
        }
      }
      const share = judged / paid;
      process.stdout.write(
        `judging, answered ${how}: ${questions} questions, ${(share * 100).toFixed(2)} % of ${requests} requests\n`,
      );
      expect(questions).toBeGreaterThan(isAlone ? 0 : 4);
      expect(judged).toBeGreaterThan(0);
      expect(share).toBeLessThan(0.01);
    },
    60_000,
  );
});
