/** How candidates are shown to a person: in order of worth, between the sentences beside them, and by which type they are kept. */
import { describe, expect, it } from "vitest";
import type { Candidate, WaitingCandidate } from "../../src/memory/candidates/candidate.js";
import { planCandidates } from "../../src/memory/candidates/plan-candidates.js";
import { findReasons, formatCandidates } from "../../src/memory/candidates/why.js";
import { describe as describeCandidate } from "../../src/operations/candidates.js";
import { planCandidate, planCandidates as planPage } from "../../src/tui/pages.js";
import { openTestCandidates } from "../support/candidates.js";
import { openWorld } from "../support/world.js";

const DAY_MS = 86_400_000;
const REDIS = "The queue is Redis, because it survives a restart.";

interface Given {
  text?: string;
  worth?: number;
  sessions?: number;
  around?: [before: string, after: string];
  heading?: string;
}

/** Said in so many sessions, at last between these sentences. */
function candidateOf({ around, heading, sessions = 1, text = REDIS, worth = 0.4 }: Given): Candidate {
  const saidOf = (n: number) => ({
    ...{ session: `ses_${n}`, message: `msg_${text}_${n}`, saidMs: n, title: text, text },
  });
  const latest = {
    ...saidOf(sessions),
    ...(heading !== undefined && { heading }),
    ...(around && { statements: [{ text: around[0] }, { text }, { text: around[1] }], place: 1 }),
  };
  const before = Array.from({ length: sessions - 1 }, (_, n) => saidOf(n + 1));
  return { type: "knowledge", when: [], worth, said: [...before, latest] };
}

const waitingOf = async (...given: Given[]): Promise<readonly WaitingCandidate[]> =>
  planCandidates([], given.map(candidateOf), 0).waiting;

describe("candidates", () => {
  it("are in order of sessions, then of worth, each with its count and with the sentences beside it", async () => {
    const all = await waitingOf(
      { text: "Reports go to the bucket in Dublin.", worth: 0.2 },
      { worth: 0.9, around: ["We looked at three.", "Rabbit was too much."] },
      { text: "Run the linter before you push.", worth: 0.3, sessions: 4 },
      { text: "push to main", worth: 0.1, heading: "Never do this:" },
    );
    const [lint, redis, bucket, main] = all.map(({ id }) => id);
    expect(formatCandidates(all, 3 * DAY_MS)).toEqual([
      `${lint}  knowledge    2 d   30 %  Run the linter before you push.  (said in 4 sessions)`,
      `${redis}  knowledge    2 d   90 %  ${REDIS}`,
      "        before  We looked at three.",
      "        after   Rabbit was too much.",
      `${bucket}  knowledge    2 d   20 %  Reports go to the bucket in Dublin.`,
      `${main}  knowledge    2 d   10 %  Never do this: push to main`,
    ]);
  });

  it("are on the screen's page in the same order, and one is marked between the sentences beside it", async () => {
    const all = await waitingOf(
      { worth: 0.9, around: ["We looked at three.", "Rabbit was too much."] },
      { text: "Run the linter before you push.", worth: 0.3, sessions: 4 },
    );
    const { options } = planPage(all.map(describeCandidate), 3 * DAY_MS);
    expect(options.map(({ description, title }) => [title, description])).toEqual([
      ["Run the linter before you push.", "said in 4 sessions, 30 %, knowledge"],
      [REDIS, "90 %, knowledge"],
    ]);
    const choice = planCandidate(describeCandidate(all[1] as WaitingCandidate));
    expect(choice.options.map(({ title }) => title)).toEqual([
      ...["Keep", "Drop", "Back to the list"],
      ...["We looked at three.", `▸ ${REDIS}`, "Rabbit was too much."],
    ]);
  });

  it("/keep takes a type behind the ids, and /why answers without a model", async () => {
    const world = await openWorld();
    const candidates = openTestCandidates({ files: world.files, clock: world.clock, instance: "test" });
    await candidates.offer([candidateOf({})]);
    const [one] = await candidates.list();
    const run = async (name: string, words: string): Promise<string> => {
      const found = world.strata.dispatcher.commands.find((command) => command.name === name);
      return (await found?.execute({ sessionID: "ses_1", words }, new AbortController().signal)) ?? "";
    };
    expect(await run("why", "queue redis")).toMatch(
      new RegExp(
        `outcome +waiting as candidate ${one?.id}\\n +judged by +nobody yet\\n +to do +/keep ${one?.id} `,
      ),
    );
    await expect(run("keep", "decision")).rejects.toThrow("must name candidates");
    await expect(run("keep", `${one?.id} decision idea`)).rejects.toThrow("expected one type");
    expect(await run("keep", `${one?.id} decision`)).toMatch(/^Remembered: decision\//);
    expect(await run("why", "queue redis")).toMatch(/judged by +you, when asked/);
    expect(await run("why", "kubernetes")).toMatch(
      /^Nothing is known of "kubernetes". Looked through: 1 memory, 0 /,
    );
  });
});

describe("findReasons", () => {
  const line = { atMs: 1, session: "ses_1", by: "model" as const, why: "x" };
  const judgedOf = (n: number, text: string) => ({
    ...{ ...line, atMs: n, message: `msg_${n}`, text, outcome: "left out" as const },
  });

  it("finds letters in a row in any script, or most words, newest first and at most ten", async () => {
    const judgements = [
      judgedOf(1, "发票号码按年份编号，因为税务局要求没有空缺。"),
      judgedOf(2, "Invoices are numbered per year, said the tax office."),
      ...Array.from({ length: 12 }, (_, n) => judgedOf(n + 10, `Deploy number ${n} went to Dublin.`)),
    ];
    const judged = { judgements: async () => judgements, droppedMs: async () => undefined };
    const candidates = { ...judged, list: async () => [] };
    const memories = { list: async () => [], locate: async () => undefined };
    const find = (words: string) => findReasons(words, { candidates, memories });
    expect((await find("按年份 编号")).found.map(({ atMs }) => atMs)).toEqual([1]);
    expect((await find("tax office: invoices by year")).found.map(({ atMs }) => atMs)).toEqual([2]);
    expect((await find("the moon")).found).toEqual([]);
    const deploys = await find("went to dublin");
    expect([deploys.found.map(({ atMs }) => atMs), deploys.more]).toEqual([
      [21, 20, 19, 18, 17, 16, 15, 14, 13, 12],
      2,
    ]);
  });
});
