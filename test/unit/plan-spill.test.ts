import { expect, it } from "vitest";
import { findThreshold, planSpill, type ResultFacts } from "../../layers/1-tool-results/decide-results.js";
import { fc } from "../support/property.js";

const policy = { threshold: 30_000, perTool: {}, turnBudget: 200_000 };

function facts(bytes: number, more: Partial<ResultFacts> = {}): ResultFacts {
  return { tool: "bash", bytes, characters: bytes, isCut: false, mustStay: false, ...more };
}

const spilled = (results: ResultFacts[], own = policy): number[] =>
  [...planSpill(results, own)].sort((a, b) => a - b);

it.each<[what: string, results: ResultFacts[], spilled: number[]]>([
  ["lets a result of exactly that size stay, and a larger one go", [facts(30_000), facts(30_001)], [1]],
  ["counts bytes, not characters", [facts(40_000, { characters: 10_000 })], [0]],
  ["never moves out what shows a file of ours", [facts(50_000, { mustStay: true, isCut: true })], []],
])("the threshold %s", (_what, results, gone) => {
  expect(spilled(results)).toEqual(gone);
});

it("the threshold can be set for a tool by name or pattern, the most exact one wins, and false means never", () => {
  const own = {
    ...policy,
    perTool: { "*": 9_000, "git*": 8_000, "github_*": 7_000, github_issues: 6_000, read: false as const },
  };
  const of = (tool: string) => findThreshold(tool, own);
  expect([of("bash"), of("git"), of("github_x"), of("github_issues"), of("read")]).toEqual([
    9_000,
    8_000,
    7_000,
    6_000,
    Number.POSITIVE_INFINITY,
  ]);
  expect(spilled([facts(1_000_000, { tool: "read", isCut: true })], own)).toEqual([]);
});

it("the budget of one answer counts what was decided before, and leaves it alone", () => {
  const decided = Array.from({ length: 7 }, () => facts(28_000, { mustStay: true }));
  expect(spilled([...decided, facts(1_000), facts(5_000)])).toEqual([8]);
});

it("the budget of one answer counts the small results beside them, which always stay", () => {
  const two = [facts(20_000), facts(21_000)];
  expect([...planSpill(two, policy, 150_000)]).toEqual([]);
  expect([...planSpill(two, policy, 170_000)]).toEqual([1]);
});

it("the budget of one answer property: what stays is within the budget unless it may not go, and nothing goes in vain", () => {
  const anyFacts = fc.record({
    tool: fc.constantFrom("bash", "read", "never"),
    bytes: fc.integer({ min: 0, max: 60_000 }),
    characters: fc.integer({ min: 0, max: 60_000 }),
    isCut: fc.boolean(),
    mustStay: fc.boolean(),
  });
  const own = { ...policy, perTool: { never: false as const } };
  fc.assert(
    fc.property(fc.array(anyFacts, { maxLength: 40 }), (results) => {
      const gone = planSpill(results, own);
      const canGo = (one: ResultFacts) => !one.mustStay && one.tool !== "never";
      for (const index of gone) expect(canGo(results[index] as ResultFacts)).toBe(true);
      const stays = results.filter((_, index) => !gone.has(index));
      const size = stays.reduce((sum, { characters }) => sum + characters, 0);
      if (size > own.turnBudget) expect(stays.some(canGo)).toBe(false);
      const smallestOver = [...gone].filter(
        (n) => !results[n]?.isCut && (results[n]?.bytes ?? 0) <= own.threshold,
      );
      for (const index of smallestOver) {
        const largestStaying = Math.max(0, ...stays.filter(canGo).map(({ characters }) => characters));
        expect(results[index]?.characters).toBeGreaterThanOrEqual(largestStaying);
      }
    }),
  );
});
