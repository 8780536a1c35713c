/** Proposals for merging without a model: a wrong merge loses a fact, a missed one does no harm. */
import { describe, expect, it } from "vitest";
import { planMerges } from "../../src/cli/check/find-memory-issues.js";
import type { Memory } from "../../src/memory/memory.js";
import { PROJECT } from "../support/fake-host.js";
import { memoryOf } from "../support/memory.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { different, same } from "../support/pairs-of-memories.js";
import { runStrata } from "../support/shell.js";

const pair = (contents: readonly string[], ...given: Partial<Memory>[]): Memory[] =>
  contents.map((content, n) => memoryOf({ id: `knowledge/m${n}`, content, ...given[n] }));
const merged = (contents: readonly string[], ...given: Partial<Memory>[]): string[] =>
  planMerges(pair(contents, ...given)).flatMap(({ other, survivor }) => [survivor.content, other.content]);

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
    ["that is kept beside it on purpose", { links: ["knowledge/m1"] }, { links: ["knowledge/m0"] }],
  ])("does not take in one %s", (_, one, other) => {
    expect(merged(["The api needs a token.", "The api needs a token. Ask Kim."], one, other)).toEqual([]);
  });
});

const openPair = async (): Promise<MemoryFiles> => {
  const files = createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x" });
  await runStrata(files, "remember --type knowledge --tag auth The api needs a token.");
  await runStrata(files, "remember --type knowledge The api needs a token. Ask Kim for it.");
  return files;
};
const listAll = async (files: MemoryFiles) =>
  JSON.parse((await runStrata(files, "list --json")).out).memories;

it("check proposes a merge; --fix makes it after a yes, in one step, which undo reverts", async () => {
  const files = await openPair();
  for (const line of ["check", "check --fix"]) {
    const { code, out } = await runStrata(files, line);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/knowledge\/api-needs-token-ask\S* says all of it/),
    ]);
  }
  await runStrata(files, "check --fix", { answers: false });
  expect(await listAll(files)).toHaveLength(2);
  const { out } = await runStrata(files, "check --fix", { answers: true });
  const run = /strata undo --run (\w+)/.exec(out)?.[1];
  expect(await listAll(files)).toMatchObject([
    { content: "The api needs a token. Ask Kim for it.", tags: ["auth"] },
  ]);
  expect((await runStrata(files, `undo --run ${run}`)).code).toBe(0);
  expect(await listAll(files)).toHaveLength(2);
  await runStrata(files, "merge --yes");
  expect(await listAll(files)).toHaveLength(1);
});

const FOLDER = `${PROJECT}/.opencode/memory`;
const day = (n: number): string => `2026-11-${10 + n}T09:00:00.000Z`;

async function findIssues(contents: readonly string[], type = "decision", by = "user") {
  const files = createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x" });
  for (const [n, content] of contents.entries())
    await files.writeWhole(
      `${FOLDER}/${type}/m${n}.md`,
      `---\ncreated: ${day(n)}\nupdated: ${day(n)}\nsource:\n  by: ${by}\n---\n${content}\n`,
    );
  await runStrata(files, "trust --yes");
  const { code, out } = await runStrata(files, "check --json");
  return { code, issues: JSON.parse(out).issues as { what: string }[] };
}

it("check names decisions that contradict each other, whatever wrote them", async () => {
  const { code, issues } = await findIssues([
    "The server listens on port 8080.",
    "The server listens on port 9090.",
  ]);
  expect(issues).toMatchObject([
    { level: "warning", file: `${FOLDER}/decision/m1.md`, what: "it contradicts decision/m0" },
  ]);
  expect(code).toBe(1);
});

it("check names memories that say the same as a note, and no texts that only look alike", async () => {
  const { code, issues } = await findIssues(["The DB is Postgres.", "the database is postgres"], "knowledge");
  expect([code, issues]).toMatchObject([0, [{ level: "note", what: "knowledge/m1 says all of it" }]]);
  for (const texts of different.slice(0, 20))
    expect((await findIssues(texts, "knowledge")).issues.filter(({ what }) => /says all/.test(what))).toEqual(
      [],
    );
});

it("check takes quotes of two pages for neither, whatever they share", async () => {
  const { issues } = await findIssues(
    ["The api needs a token.", "The api needs a token."],
    "knowledge",
    "tool\ntags: [finding]",
  );
  expect(issues).toEqual([]);
});
