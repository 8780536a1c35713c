import { describe, expect, it } from "vitest";
import { type DreamInput, isProtected, planDream, readChanges } from "../../layers/6-dream/plan.js";
import type { Memory } from "../../src/memory/memory.js";
import { isWatched } from "../../src/project/dream-state.js";
import { memoryOf } from "../support/memory.js";
import { fc } from "../support/property.js";

const NOW = Date.parse("2026-11-21T10:00:00Z");
const LONG_AGO = "2026-01-02T09:00:00.000Z";

/** Nothing was used since it was last changed. */
function input(memories: readonly Memory[], given: Partial<DreamInput> = {}): DreamInput {
  return {
    memories,
    nowMs: NOW,
    effectiveImportance: ({ importance }) => importance,
    lastUsedMs: ({ updated }) => Date.parse(updated),
    isWatchedSince: () => true,
    missingPaths: () => [],
    ...given,
  };
}

function plan(memories: readonly Memory[], given: Partial<DreamInput> = {}) {
  const { drafts, ...asked } = planDream(input(memories, given));
  return { changes: readChanges(drafts), ...asked };
}

/** The memories as they are when a plan has been carried out. */
function carryOut(memories: readonly Memory[], given: Partial<DreamInput> = {}): Memory[] {
  const changed = new Map(plan(memories, given).changes.map(({ after }) => [after.id, after]));
  return memories.map((memory) => changed.get(memory.id) ?? memory);
}

describe("duplicates", () => {
  it("of duplicates the user's own words stay, and take over the metadata of the others", () => {
    const user = memoryOf({
      id: "knowledge/db",
      content: "The database listens on port 5433 in staging.",
      provenance: { by: "user", session: "ses_1" },
    });
    const agent = memoryOf({
      id: "knowledge/db-port",
      title: "Port of the database",
      content: "the database listens on port 5433, in staging",
      importance: 0.9,
      tags: ["db"],
      when: ["psql"],
      links: ["knowledge/db", "decision/x"],
      provenance: { by: "agent", session: "ses_2" },
    });
    const { changes } = plan([agent, user]);
    expect(changes.map(({ after, kind }) => [after.id, kind, after.status])).toEqual([
      ["knowledge/db-port", "superseded", "archived"],
      ["knowledge/db", "merged", "active"],
    ]);
    expect(changes[0]?.after.supersededBy).toBe("knowledge/db");
    expect(changes[1]?.after).toMatchObject({
      content: user.content,
      aliases: ["Port of the database"],
      tags: ["db"],
      when: ["psql"],
      links: ["decision/x"],
      importance: 0.9,
      extra: { sessions: ["ses_1", "ses_2"] },
    });
  });
});

describe("unneeded memories are archived", () => {
  const old = { created: LONG_AGO, updated: LONG_AGO };
  const finding = memoryOf({
    ...{ id: "private/knowledge/x", tags: ["finding"], importance: 0.1, ...old },
    provenance: { by: "tool", session: "ses_1" },
  });
  it.each([
    ["unused for long and of little weight", memoryOf({ id: "idea/x", importance: 0.2, ...old }), true],
    ["of weight", memoryOf({ id: "idea/x", importance: 0.6, ...old }), false],
    ["recent", memoryOf({ id: "idea/x", importance: 0.2 }), false],
    ["past its day", memoryOf({ id: "plan/x", expires: "2026-11-01T00:00:00Z" }), true],
    [
      "past its day but pinned",
      memoryOf({ id: "plan/x", expires: "2026-11-01T00:00:00Z", pinned: true }),
      false,
    ],
    ["an open blocker", memoryOf({ id: "blocker/x", importance: 0, ...old }), false],
    ["a blocker resolved long ago", memoryOf({ id: "blocker/x", status: "resolved", ...old }), true],
    ["a lesson", memoryOf({ id: "procedure/x", importance: 0, ...old }), false],
    ["a decision", memoryOf({ id: "decision/x", importance: 0, ...old }), false],
    ["a preference of the user's", memoryOf({ id: "preference/x", importance: 0, ...old }), false],
    ["a finding", finding, false],
  ])("%s: %#", (_, memory, isGone) => {
    expect(carryOut([memory])[0]?.status === "archived").toBe(isGone);
  });
});

it("unused memories are archived only if use was tracked for long enough", () => {
  const memory = memoryOf({ id: "idea/x", importance: 0.2, created: LONG_AGO, updated: LONG_AGO });
  expect(plan([memory], { isWatchedSince: () => false }).changes).toEqual([]);
  const DAY_MS = 86_400_000;
  const daysOf = (...ago: number[]) => ({
    days: ago.map((n) => new Date(NOW - n * DAY_MS).toISOString().slice(0, 10)),
  });
  const since = Date.parse(LONG_AGO);
  const work = [100, 90, 80, 70, 60, 50, 40, 30, 20, 10, 0];
  expect(isWatched(daysOf(...work), since, NOW)).toBe(true);
  expect(isWatched(daysOf(), since, NOW)).toBe(false);
  // A fresh clone; months without work, or a clock that jumped over them; used in between.
  expect(isWatched(daysOf(...work.map((n) => n / 2)), since, NOW)).toBe(false);
  expect(isWatched(daysOf(120, 119, 0), since, NOW)).toBe(false);
  expect(isWatched(daysOf(...work), NOW - 60 * DAY_MS, NOW)).toBe(false);
});

it("a memory said in three sessions gains importance, once", () => {
  const memory = memoryOf({
    id: "procedure/x",
    extra: { sessions: ["a", "b"] },
    provenance: { by: "user", session: "c" },
  });
  const [after] = carryOut([memory]);
  expect(after?.importance).toBeCloseTo(0.65);
  expect(plan([after as Memory]).changes).toEqual([]);
});

it("a dream of any memories keeps status and words of protected ones, gives each fact a living successor, and leaves a second dream nothing to do", () => {
  const words = fc.array(
    fc.constantFrom("the", "api", "port", "8080", "not", "yesterday", "cache", "builds"),
    {
      minLength: 1,
      maxLength: 7,
    },
  );
  const any = fc.record({
    type: fc.constantFrom("knowledge", "idea", "decision", "directive", "blocker"),
    words,
    importance: fc.constantFrom(0.1, 0.5, 0.9),
    pinned: fc.boolean(),
    isOld: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(any, { maxLength: 12 }), (made) => {
      const memories = made.map(({ type, words: said, isOld, ...rest }, index) =>
        memoryOf({
          id: `${type}/m${index}`,
          content: said.join(" "),
          ...rest,
          ...(isOld && { updated: LONG_AGO, created: LONG_AGO }),
        }),
      );
      const after = carryOut(memories);
      const byID = new Map(after.map((memory) => [memory.id, memory]));
      for (const [index, memory] of memories.entries()) {
        const now = after[index];
        if (isProtected(memory))
          expect(now).toMatchObject({ status: memory.status, content: memory.content });
        if (now?.supersededBy !== undefined) expect(byID.get(now.supersededBy ?? "")?.status).toBe("active");
      }
      const living = after.filter(({ status }) => status === "active" || status === "resolved");
      expect(plan(living).changes).toEqual([]);
    }),
    { numRuns: 400 },
  );
});
