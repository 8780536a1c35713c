/** Which memories a dream puts together by rules: a wrong merge loses a fact, a missed one does no harm. */
import { describe, expect, it } from "vitest";
import { findDuplicates, mergeMetadata } from "../../layers/6-dream/plan.js";
import type { Memory } from "../../src/memory/memory.js";
import { memoryOf } from "../support/memory.js";
import { different, same } from "../support/pairs-of-memories.js";

const isMerged = (one: string, other: string, ...given: Partial<Memory>[]): boolean =>
  findDuplicates(
    [one, other].map((content, n) =>
      memoryOf({ id: `knowledge/m${n}`, title: content.split("\n")[0] ?? "", content, ...given[n] }),
    ),
  ).length > 0;

it.each(different)(
  "two texts that look alike and say different things are not duplicates: %j, %j",
  (one, other) => {
    expect(isMerged(one, other)).toBe(false);
    expect(isMerged(other, one)).toBe(false);
  },
);

it("nearly all pairs that differ only in wording are found; those in other words are left to a model", () => {
  const missed = same.filter(([one, other]) => !isMerged(one, other));
  expect(different.length).toBeGreaterThanOrEqual(60);
  expect(same).toHaveLength(40);
  expect(missed.length, JSON.stringify(missed, null, 1)).toBeLessThanOrEqual(4);
});

describe("the same words can mean something else", () => {
  const said = "It listens on port 8080 by now.";
  it.each<[string, Partial<Memory>, Partial<Memory>]>([
    ["under another title", { title: "Gateway" }, { title: "Mailer" }],
    ["of a blocker that is open, and of one that is resolved", {}, { status: "resolved" }],
    ["of another type", {}, { id: "idea/x", type: "idea" }],
    ["where one is private", {}, { sensitivity: "private" }],
  ])("%s", (_, one, other) => {
    expect(isMerged(said, said, one, other)).toBe(false);
    expect(isMerged(said, said, one, one)).toBe(true);
  });
});

const one = memoryOf({ id: "knowledge/one", updated: "2026-01-02T00:00:00.000Z" });

it("a memory that absorbs others lives as long as the longest of them, and is forgotten no earlier", () => {
  const until = (day: string) => memoryOf({ id: `knowledge/${day}`, expires: day });
  expect(mergeMetadata(until("2026-12-01"), [until("2027-01-01")]).expires).toBe("2027-01-01");
  expect(mergeMetadata(until("2026-12-01"), [one])).not.toHaveProperty("expires");
  expect(mergeMetadata(one, [until("2026-12-01")])).not.toHaveProperty("expires");
  const later = memoryOf({ id: "knowledge/later", updated: "2026-11-20T00:00:00.000Z" });
  expect(mergeMetadata(one, [later]).updated).toBe(later.updated);
});
