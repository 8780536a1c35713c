/**
 * Does a memory of past work help with the next piece of it? The commits of a repository are remembered one by one; before
 * each is, its message is the question and the files it changes are the answer, as far as any commit before had them.
 */
import { execFileSync } from "node:child_process";
import MiniSearch from "minisearch";
import { createRecall, type RecallEntry, type RecallOptions } from "../../../src/recall/recall.js";

export interface Commit {
  id: string;
  message: string;
  files: readonly string[];
  atMs: number;
}

/** Oldest first; merges change nothing of their own. Empty where there is no history. */
export function readCommits(folder: string): Commit[] {
  const run = (...options: string[]): string =>
    execFileSync("git", ["-C", folder, ...options], { encoding: "utf8", maxBuffer: 1e9, stdio: "pipe" });
  try {
    const log = run("log", "--no-merges", "--reverse", "--name-only", "--format=%x1e%H%x1f%ct%x1f%B%x1f");
    return log
      .split("\x1e")
      .slice(1)
      .map((block) => {
        const [id = "", seconds = "", message = "", files = ""] = block.split("\x1f");
        const names = files.split("\n").filter((name) => name !== "");
        return { id, message: message.trim(), files: names, atMs: Number(seconds) * 1_000 };
      });
  } catch {
    return [];
  }
}

/** Files for a message, best first, out of the commits before it. */
type FindFiles = (message: string, before: readonly Commit[]) => string[];

export const methods: Record<string, () => FindFiles> = {
  "no memory: files changed last": () => (_message, before) => [
    ...new Set(before.toReversed().flatMap(({ files }) => files)),
  ],
  "no memory: files changed most": () => (_message, before) =>
    rankFiles(before.map(({ files }) => [files, 1])),
  "plain BM25": () => {
    const index = new MiniSearch({ fields: ["text"] });
    const learn = learner((commit) => index.add({ id: commit.id, text: commit.message }));
    return (message, before) => {
      const byID = learn(before);
      const hits = index.search(message).slice(0, HITS);
      return rankFiles(hits.map(({ id, score }) => [byID.get(id)?.files ?? [], score]));
    };
  },
  "recall, without paths and dates": () => recalling(({ id, message }) => ({ id, text: message })),
  "recall, without dates": () => recalling(({ id, message, files }) => ({ id, text: message, paths: files })),
  "recall, without word vectors": () =>
    recalling(({ id, message, files, atMs }) => ({ id, text: message, paths: files, date: atMs }), {
      wordVectors: false,
    }),
  recall: () =>
    recalling(({ id, message, files, atMs }) => ({ id, text: message, paths: files, date: atMs })),
};

/** So many commits have a say in the files. */
const HITS = 10;
const FIRST_QUESTION = 10;
/** Fewer say nothing about a method. */
export const LEAST_COMMITS = 30;

/** Share of the known files of a commit among the first ten, over all commits after the first few. */
export function measure(
  commits: readonly Commit[],
  find: FindFiles,
): { recallAt10: number; queries: number } {
  const shares: number[] = [];
  const known = new Set<string>();
  for (const [n, commit] of commits.entries()) {
    const wanted = commit.files.filter((name) => known.has(name));
    if (n >= FIRST_QUESTION && wanted.length > 0) {
      const found = new Set(find(commit.message, commits.slice(0, n)).slice(0, 10));
      shares.push(wanted.filter((name) => found.has(name)).length / Math.min(10, wanted.length));
    }
    for (const name of commit.files) known.add(name);
  }
  return {
    recallAt10: shares.reduce((sum, share) => sum + share, 0) / shares.length,
    queries: shares.length,
  };
}

function recalling(toEntry: (commit: Commit) => RecallEntry, options: RecallOptions = {}): FindFiles {
  const recall = createRecall({ now: () => 0, ...options });
  const learn = learner((commit) => recall.add(toEntry(commit)));
  return (message, before) => {
    const byID = learn(before);
    const hits = recall.search(message, { limit: HITS });
    return rankFiles(hits.map(({ id, score }) => [byID.get(id)?.files ?? [], score]));
  };
}

function learner(add: (commit: Commit) => void): (before: readonly Commit[]) => ReadonlyMap<string, Commit> {
  const byID = new Map<string, Commit>();
  return (before) => {
    for (const commit of before.slice(byID.size)) {
      byID.set(commit.id, commit);
      add(commit);
    }
    return byID;
  };
}

function rankFiles(weighed: readonly (readonly [files: readonly string[], weight: number])[]): string[] {
  const scores = new Map<string, number>();
  for (const [files, weight] of weighed)
    for (const name of files) scores.set(name, (scores.get(name) ?? 0) + weight);
  return [...scores].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([name]) => name);
}
