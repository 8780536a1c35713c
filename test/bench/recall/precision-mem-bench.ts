/**
 * PrecisionMemBench (tenurehq/precisionMemBench, MIT): what may come unasked with a message, by the ids that should and
 * nothing else. Its fixtures are not in this repository: the folder is named by STRATA_PRECISION_MEM_BENCH or lies in
 * ../shared/bench/precision-mem-bench.
 */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createRecall } from "../../../src/recall/recall.js";
import { createWordVectors } from "../../../src/recall/vectors.js";

interface Belief {
  _id: string;
  user_id: string;
  type: string;
  canonical_name: string;
  aliases: string[];
  content: string;
  scope: string[];
  epistemic_status: string;
  pinned: boolean;
  resolved_at: string | null;
  superseded_by: string | null;
  participants?: string[];
}

interface Case {
  caseId: string;
  query: string;
  scope: string[];
  userId?: string;
  budget?: { maxBeliefs: number };
  expect: { relevantBeliefs?: { shouldOnlyInclude?: string[] } };
}

export interface PrecisionFigures {
  precision: number;
  recall: number;
  passed: number;
  cases: number;
  failed: readonly string[];
}

/** The folder with the fixtures, or why there is none. */
export function findFixtures(repository: string): { folder: string } | { why: string } {
  const named = process.env.STRATA_PRECISION_MEM_BENCH;
  const folder = named ?? resolve(repository, "..", "shared", "bench", "precision-mem-bench");
  if (existsSync(join(folder, "beliefs.seed.json"))) return { folder };
  return {
    why: `${named === undefined ? "STRATA_PRECISION_MEM_BENCH is not set and " : ""}${folder} has no beliefs.seed.json`,
  };
}

/**
 * Single messages. Pinned beliefs, open questions and what was superseded or resolved come to a user in other ways, so
 * they are no candidates; pinned ones take their places of a case's budget.
 */
export function measurePrecision(folder: string, how: "match" | "search"): PrecisionFigures {
  const beliefs = readJson<Belief[]>(folder, "beliefs.seed.json");
  const cases = readJson<Case[]>(folder, "retrieval.cases.json");
  const wordVectors = createWordVectors();
  const failed: string[] = [];
  let right = 0;
  let given = 0;
  let wanted = 0;
  let count = 0;
  for (const one of cases) {
    const expected = one.expect.relevantBeliefs?.shouldOnlyInclude;
    if (!expected) continue;
    const user = one.userId ?? "test-user";
    const inScope = beliefs.filter(
      (belief) =>
        belief.user_id === user &&
        belief.scope.some((scope) => one.scope.includes(scope)) &&
        isStanding(belief),
    );
    const recall = createRecall({ now: () => 0, wordVectors });
    for (const belief of inScope.filter(isCandidate)) recall.add(toEntry(belief));
    const pinned = inScope.filter((belief) => belief.pinned).length;
    const limit = one.budget ? Math.max(0, one.budget.maxBeliefs - pinned) : 20;
    const found = recall[how](one.query, { limit }).map(({ id }) => id);
    const hits = found.filter((id) => expected.includes(id)).length;
    right += hits;
    given += found.length;
    wanted += expected.length;
    count++;
    if (hits < found.length || hits < expected.length) failed.push(one.caseId);
  }
  return {
    precision: right / given,
    recall: right / wanted,
    passed: count - failed.length,
    cases: count,
    failed,
  };
}

const isStanding = (belief: Belief): boolean =>
  belief.epistemic_status !== "superseded" && !belief.superseded_by && !belief.resolved_at;

const isCandidate = (belief: Belief): boolean => !belief.pinned && belief.type !== "open_question";

const toEntry = (belief: Belief) => ({
  id: belief._id,
  title: belief.canonical_name.replaceAll("_", " "),
  aliases: belief.aliases,
  text: belief.content,
  links: belief.participants ?? [],
});

function readJson<T>(folder: string, name: string): T {
  return JSON.parse(readFileSync(join(folder, name), "utf8"));
}
