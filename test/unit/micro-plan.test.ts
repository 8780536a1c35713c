import { describe, expect, it } from "vitest";
import { type Candidate, planClear } from "../../layers/2-micro-compact/plan.js";
import { findSuperseded, formatMarker } from "../../src/context/clear-input.js";
import { PRICE } from "../../src/costs/savings.js";
import type { ToolPart } from "../../src/io/message.js";
import { answer, call, user } from "../support/messages.js";
import { fc } from "../support/property.js";

const EXPECTED = 10;
const POLICY = { floor: 0, horizon: EXPECTED };
const one = (tokens: number, cachedFrom = 0): Candidate => ({ tokens, cachedFrom });

it("what is cleared while the cache is cold is everything that may go, at no cost, and nothing when that is below the floor", () => {
  const candidates = [one(2_000, 90_000), one(1_999, 50_000)];
  const plan = planClear(candidates, { kind: "cold" }, { ...POLICY, floor: 3_999 });
  expect(plan).toEqual({ from: 0, tokensFreed: 3_999, cacheLost: 0 });
  expect(planClear(candidates, { kind: "cold" }, { ...POLICY, floor: 4_000 })).toBeUndefined();
  expect(planClear([], { kind: "cold" }, { ...POLICY, floor: 1 })).toBeUndefined();
});

describe("what is cleared while the context is too full", () => {
  const candidates = [one(20_000), one(10_000), one(20_000)];
  const from = (tokens: number, budgetTokens: number, given: object = {}) =>
    planClear(candidates, { kind: "full", tokens, budgetTokens, ...given }, POLICY)?.from;

  it("what is cleared while the context is too full is everything, if that frees a third of the budget and leaves at most half", () => {
    expect(from(101_000, 100_000)).toBeUndefined();
    expect(from(100_000, 99_000)).toBeUndefined();
    expect(from(98_000, 97_000)).toBe(0);
    expect(from(160_000, 150_001)).toBeUndefined();
  });

  it("what is cleared while the context is too full is everything, if the next answer might not fit, or, without notes, if that frees an eighth", () => {
    expect(from(160_000, 150_001, { isOverflowing: true })).toBe(0);
    expect(from(401_000, 400_000, { isAlone: true })).toBe(0);
    expect(from(402_000, 401_000, { isAlone: true })).toBeUndefined();
  });
});

it("what is cleared while the cache is warm pays back within the expected requests by the stated formula, and not a token earlier", () => {
  const freed = 10_000;
  // F · r · H  >  S · (w − r)
  const mostLost = (freed * PRICE.cached * EXPECTED) / (PRICE.written - PRICE.cached);
  const plan = (lost: number) => planClear([one(freed, freed + lost)], { kind: "warm" }, POLICY);
  expect(plan(Math.floor(mostLost))).toMatchObject({ from: 0, cacheLost: Math.floor(mostLost) });
  expect(plan(Math.ceil(mostLost) + 1)).toBeUndefined();
});

it("what is cleared while the cache is warm is nothing if reading the cache costs nothing, and all if it costs what writing does", () => {
  const candidates = [one(5_000, 90_000), one(5_000, 20_000)];
  const from = (written: number, cached: number) =>
    planClear(candidates, { kind: "warm" }, { ...POLICY, rates: { written, cached, answered: 1 } })?.from;
  expect(from(0, 0)).toBeUndefined();
  expect(from(1, 0)).toBeUndefined();
  expect(from(1, 1)).toBe(0);
});

it("what is cleared while the cache is warm begins where the gain is largest", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ tokens: fc.integer({ min: 1, max: 5_000 }), gap: fc.nat(20_000) }), {
        minLength: 1,
        maxLength: 30,
      }),
      fc.integer({ min: 1, max: 40 }),
      (items, expected) => {
        let cached = 0;
        const candidates = items
          .toReversed()
          .map(({ tokens, gap }) => {
            cached += tokens + gap;
            return one(tokens, cached);
          })
          .toReversed();
        const gainFrom = (first: number): number => {
          const freed = candidates.slice(first).reduce((sum, { tokens }) => sum + tokens, 0);
          const lost = Math.max(0, (candidates[first]?.cachedFrom ?? 0) - freed);
          return freed * PRICE.cached * expected - lost * (PRICE.written - PRICE.cached);
        };
        const best = Math.max(...candidates.map((_, first) => gainFrom(first)));
        const plan = planClear(candidates, { kind: "warm" }, { floor: 0, horizon: expected });
        if (best <= 0) expect(plan).toBeUndefined();
        else expect(gainFrom(plan?.from ?? -1)).toBeCloseTo(best, 5);
      },
    ),
  );
});

describe("a result is superseded", () => {
  const read = (filePath: string, range: object = {}) =>
    call("read", "text", { state: { input: { filePath, ...range } } });
  const edit = (input: object) => call("edit", "done", { state: { input: { ...input } } });
  const why = (part: ToolPart, ...later: ToolPart[]) =>
    findSuperseded([user("go"), answer([part]), answer(later)]).get(part);

  it("a result is superseded when at least as much of the file is read again, or the file is changed", () => {
    expect(why(read("/a"), read("/a"))).toBe("read again later");
    expect(why(read("/a", { offset: 5 }), read("/a"))).toBe("read again later");
    expect(why(read("/a", { offset: 5, limit: 9 }), read("/a", { offset: 5, limit: 9 }))).toBe(
      "read again later",
    );
    expect(why(read("/a"), edit({ filePath: "/a" }))).toBe("edited later");
    expect(why(read("b"), edit({ patchText: "*** Update File: b\n+x" }))).toBe("edited later");
  });

  it("a result is superseded when the same call is made again, and an edit never is", () => {
    const test = () => call("bash", "ok", { state: { input: { command: "npm test" } } });
    expect(why(test(), test())).toBe("made again later");
    expect(why(test(), call("bash", "ok", { state: { input: { command: "npm t" } } }))).toBeUndefined();
    expect(why(edit({ filePath: "/a" }), edit({ filePath: "/a" }))).toBeUndefined();
  });
});

describe("a marker", () => {
  const file = "/project/.opencode/tool-results/1.txt";
  const mark = (tool: string, input: object, metadata: object = {}) => {
    const part = call(tool, "", { state: { input: { ...input }, metadata: { ...metadata } } });
    return formatMarker({ part, file, directory: "/project" });
  };

  it("a marker says how the result ended and where it lies, as seen from the agent; the call above it says what it was", () => {
    expect(mark("bash", { command: "npm test" }, { exit: 1 })).toBe(
      "[Strata] Cleared: exit 1; whole in .opencode/tool-results/1.txt",
    );
    expect(mark("read", { filePath: "/project/src/a.ts" })).toBe(
      "[Strata] Cleared: whole in .opencode/tool-results/1.txt",
    );
  });

  it("a marker is one line of valid UTF-8 below 1,000 bytes, whatever the call was", () => {
    const inputs = fc.dictionary(
      fc.constantFrom("filePath", "command", "pattern", "path", "url", "query", "x"),
      fc.string({ unit: "binary", maxLength: 400 }).map((text) => `${text}\ud83d\n\u0000`),
    );
    fc.assert(
      fc.property(inputs, (input) => {
        const text = mark("bash", input);
        expect(Buffer.from(text).toString()).toBe(text);
        expect(text).not.toMatch(/[\p{Cc}]/u);
        expect(Buffer.byteLength(text)).toBeLessThan(1_000);
        expect(text).toContain(".opencode/tool-results/1.txt");
      }),
    );
  });
});
