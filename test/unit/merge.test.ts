/** Proposals for merging without a model: a wrong merge loses a fact, a missed one does no harm. */
import { describe, expect, it } from "vitest";
import { planMerges } from "../../src/cli/upkeep/merge.js";
import type { Memory } from "../../src/memory/memory.js";
import { PROJECT } from "../support/fake-host.js";
import { memoryOf } from "../support/memory.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { different, same } from "../support/pairs-of-memories.js";
import { runStrata } from "../support/shell.js";

const pair = (contents: readonly string[], ...given: Partial<Memory>[]): Memory[] =>
  contents.map((content, n) => memoryOf({ id: `knowledge/m${n}`, content, ...given[n] }));
const merged = (contents: readonly string[], ...given: Partial<Memory>[]): string[] =>
  planMerges(pair(contents, ...given)).flatMap(({ others, survivor }) => [
    survivor.content,
    ...others.map(({ content }) => content),
  ]);

it.each(different)("two texts that look alike are never proposed: %j, %j", (one, other) => {
  expect(merged([one, other])).toEqual([]);
  expect(merged([other, one])).toEqual([]);
  // Nor if one of them is next to another sentence.
  expect(merged([one, `${other} This was decided in May.`])).toEqual([]);
  expect(merged([`${one} This was decided in May.`, other])).toEqual([]);
});

it("pairs that differ only in wording are proposed, as in a dream", () => {
  const missed = same.filter((texts) => merged(texts).length === 0);
  expect(missed.length, JSON.stringify(missed, null, 1)).toBeLessThanOrEqual(4);
});

it("quotes of two pages are never proposed, whatever they share", () => {
  const finding = { tags: ["finding"], provenance: { by: "tool" as const } };
  expect(merged(["The api needs a token.", "The api needs a token."], finding, finding)).toEqual([]);
});

describe("a memory that says all of another one", () => {
  it.each([
    ["has its sentences and more", "The api needs a token.", "The api needs a token. Ask Kim for it."],
    [
      "continues it with its reason",
      "Run the linter before the tests.",
      "Run the linter before the tests because it is faster.",
    ],
    [
      "has its sentences in other wording",
      "The DB is Postgres 16.",
      "Kim set it up. The database is Postgres 16.",
    ],
  ])("takes it in if it %s", (_, short, long) => {
    expect(merged([short, long])).toEqual([long, short]);
    expect(merged([long, short])).toEqual([long, short]);
  });

  it.each([
    ["has them in another order", "Stop the worker. Start the api.", "Start the api. Stop the worker. Wait."],
    ["adds a case", "Deploys run on Mondays.", "Deploys run on Mondays and Thursdays."],
    ["adds a condition", "Restart the api by hand.", "Restart the api by hand if it hangs."],
    [
      "may mean another thing by it",
      "It listens on port 8080.",
      "Kim owns the mailer. It listens on port 8080.",
    ],
  ])("does not take it in if it %s", (_, short, long) => {
    expect(merged([short, long])).toEqual([]);
  });

  it.each<[string, Partial<Memory>, Partial<Memory>]>([
    ["of another type", {}, { id: "idea/x", type: "idea" }],
    ["that is private", {}, { sensitivity: "private" }],
    ["that is pinned", { pinned: true }, {}],
    ["that is a decision", { id: "decision/a", type: "decision" }, { id: "decision/b", type: "decision" }],
    ["that is not the user's", { isForeign: true }, {}],
    ["that is kept beside it on purpose", { links: ["knowledge/m1"] }, { links: ["knowledge/m0"] }],
  ])("does not take in one %s", (_, one, other) => {
    expect(merged(["The api needs a token.", "The api needs a token. Ask Kim."], one, other)).toEqual([]);
  });
});

it("merge proposes and changes nothing; --execute merges in one step, which undo reverts", async () => {
  const files = createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x" });
  await runStrata(files, "remember --type knowledge --tag auth The api needs a token.");
  await runStrata(files, "remember --type knowledge The api needs a token. Ask Kim for it.");
  const proposed = await runStrata(files, "merge");
  expect(proposed.code).toBe(0);
  expect(proposed.out).toMatch(/1 memory could go\. Nothing was changed; --execute merges them\.$/);
  expect(JSON.parse((await runStrata(files, "list --json")).out).memories).toHaveLength(2);
  expect((await runStrata(files, "merge --execute")).code).toBe(0);
  const { memories } = JSON.parse((await runStrata(files, "list --json")).out);
  expect(memories).toMatchObject([{ content: "The api needs a token. Ask Kim for it.", tags: ["auth"] }]);
  expect((await runStrata(files, "merge --execute")).out).toBe("Nothing to merge.");
  expect((await runStrata(files, "undo")).code).toBe(0);
  expect(JSON.parse((await runStrata(files, "list --json")).out).memories).toHaveLength(2);
});
