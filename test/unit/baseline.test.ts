/** What the host would have sent without Strata: the plan, on invented histories. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type BaselineRequest,
  type BaselineStep,
  planBaseline,
  planSummary,
  planSummaryInSession,
} from "../../layers/always/baseline/plan-baseline.js";
import type { Message } from "../../src/io/message.js";
import { createFakeClock } from "../support/fake-clock.js";
import { call } from "../support/messages.js";
import { createSession } from "../support/session.js";

const SUMMARY = { usage: { sent: 60_000, cached: 0, answered: 1_000 }, keptTokens: 15_000, since: 500 };

const step = (more: Partial<BaselineStep> = {}): BaselineStep => ({
  at: 100,
  counted: { sent: 30_000, cached: 29_000, answered: 200 },
  isCold: false,
  fixedTokens: 9_000,
  wholeTokens: 32_000,
  grownTokens: 1_500,
  isReread: false,
  windowTokens: 200_000,
  usableTokens: 192_000,
  followingTokens: 300,
  summarize: () => SUMMARY,
  ...more,
});

const before: BaselineRequest = { at: 90, since: 0, sent: 50_000, cached: 49_000, answered: 300 };

describe("what the host would have sent", () => {
  it("the next request grows by the new messages, and the one before is in the cache", () => {
    const { request, summary } = planBaseline(before, step());
    expect(request).toEqual({ at: 100, since: 0, sent: 51_500, cached: 50_000, answered: 200 });
    expect(summary).toBeUndefined();
  });

  it("a full window is summarised, which is paid for, and then only system prompt and tools are in the cache", () => {
    const full = { ...before, sent: 191_700 };
    const plan = planBaseline(full, step());
    expect(plan.summary).toEqual(SUMMARY.usage);
    expect(plan.request).toEqual({ at: 100, since: 500, sent: 24_000, cached: 9_000, answered: 200 });
    expect(planBaseline(full, step({ followingTokens: 299 })).summary).toBeUndefined();
    const never = planBaseline(full, step({ usableTokens: undefined, grownTokens: 50_000 }));
    expect(never.summary).toBeUndefined();
    expect(never.request.sent).toBe(200_000);
  });

  it("a reread is taken back: the next request is the one that would have been sent instead of it", () => {
    const plan = planBaseline(before, step({ isReread: true, grownTokens: 0 }));
    expect(plan.retracted).toEqual(before);
    expect(plan.request).toMatchObject({ sent: before.sent, cached: before.cached, answered: 200 });
  });

  it("a request is never larger than the window, nor the cached part larger than the request", () => {
    const size = fc.nat(400_000);
    const steps = fc.array(
      fc.record({
        grownTokens: fc.integer({ min: -5_000, max: 60_000 }),
        cached: size,
        isCold: fc.boolean(),
        isReread: fc.boolean(),
      }),
    );
    fc.assert(
      fc.property(steps, (all) => {
        let last: BaselineRequest | undefined;
        for (const { cached, ...more } of all) {
          const counted = { sent: 30_000, cached, answered: 200 };
          last = planBaseline(last, step({ counted, ...more })).request;
          expect(last.sent).toBeGreaterThanOrEqual(0);
          expect(last.sent).toBeLessThanOrEqual(200_000);
          expect(last.cached).toBeGreaterThanOrEqual(0);
          expect(last.cached).toBeLessThanOrEqual(last.sent);
        }
      }),
    );
  });

  it("where Strata does nothing, the host would have sent the same: nothing is saved and nothing lost", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20_000), { minLength: 1, maxLength: 8 }), (grown) => {
        let sent = 10_000;
        let last = planBaseline(
          undefined,
          step({ wholeTokens: sent, counted: { sent, cached: 0, answered: 100 } }),
        ).request;
        for (const grownTokens of grown) {
          const counted = { sent: sent + grownTokens, cached: sent, answered: 100 };
          last = planBaseline(last, step({ counted, grownTokens })).request;
          expect(last).toMatchObject(counted);
          sent += grownTokens;
        }
      }),
    );
  });
});

/** A turn with answers that each call `bash` once, with results of so many characters. */
function play(...results: number[]): Message[] {
  const session = createSession(createFakeClock());
  session.user("go");
  for (const length of results) session.answer([call("bash", "x".repeat(length))], { sent: 20_000 });
  return [...session.messages];
}

describe("the host's summary", () => {
  const options = {
    ...{ at: 7, before, fixedTokens: 9_000, later: [] },
    ...{ tokensPerCharacter: 0.25, usableTokens: 192_000 },
  };

  it("the host's summary is made of results cut to 2,000 characters, and the newest messages stay", () => {
    const messages = play(60_000, 60_000, 30_000, 20_000);
    const { keptTokens, since, usage } = planSummary(messages, options);
    expect(since).toBe(messages[3]?.info.time?.created);
    expect(usage.answered).toBeLessThan(usage.sent / 9);
    expect(keptTokens).toBeGreaterThan(12_500);
    expect(keptTokens).toBeLessThan(12_500 + 400);
    expect(usage.sent).toBeGreaterThan((2 * 2_000 + 2_330) / 4);
    expect(usage.sent).toBeLessThan((2 * 2_500 + 2_330) / 4);
  });
});

describe("the host's summary in the session itself", () => {
  const full = { ...before, sent: 170_000, answered: 1_000 };
  const options = {
    ...{ at: 7, before: full, fixedTokens: 9_000, later: [] },
    ...{ tokensPerCharacter: 0.25, usableTokens: undefined },
  };

  it("the host's summary in the session is read from the cache, without the newest turns, of which a cut text stays", () => {
    const turns = Array.from({ length: 40 }, () => play(4_000, 4_000));
    const { keptTokens, since, usage } = planSummaryInSession(turns.flat(), options);
    // Results cut, the newest 13 or 14 turns of 2,000 tokens have 15,000.
    expect(171_000 - usage.cached).toBeGreaterThan(13 * 2_000);
    expect(171_000 - usage.cached).toBeLessThan(15 * 2_050);
    expect(usage.sent - usage.cached).toBeLessThan(900);
    expect(usage.answered).toBe(1_000);
    expect(keptTokens).toBeGreaterThan(14_000);
    expect(keptTokens).toBeLessThan(17_500);
    expect(since).toBe(7);
  });
});
