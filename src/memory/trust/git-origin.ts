/**
 * Which files came from git: by pull, checkout or merge, or from a branch or the stash.
 *
 *     in no repository                    it was written here
 *     git is in the middle of a merge     it came from git: merged contents are in no commit yet
 *     git writes it in another form       it came from git, because it cannot be checked
 *     no commit has it at this path       it was written here, and is at most staged
 *     only commits made here have it      it was written here
 *     any other commit has it             it came from git
 *     git does not answer                 it came from git
 *
 * A commit was made here if the work tree's reflog says so, after the project was first seen (an archive may contain a
 * reflog), not by a rebase, merge or pull, and not while an agent worked.
 */
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { DAY_MS } from "../../base/days.js";
import { hashOf } from "../../base/hash.js";
import { type Files, readPlainText } from "../../io/files.js";
import type { Git } from "../../io/host.js";
import { findGitFolder, type GitFolder, pathInTree } from "./git-folder.js";
import { type IsInTurn, KEPT_DAYS } from "./turns.js";

export interface OriginOptions {
  files: Pick<Files, "read" | "realPath" | "statItself">;
  /** Without it every file in a repository came from git. */
  git: Git | undefined;
  isInTurn: IsInTurn;
  /** Digest of the last line of the reflog when the project was first seen; `undefined` if there was none. */
  logEnd: string | undefined;
  nowMs: number;
  /** Git's folder of the project's own work tree: what the reflog of another held before is not known. */
  ownFolder: string | undefined;
}

/** Maximum number of commits of a path; with more, its origin counts as unknown. */
const MOST_COMMITS = 500;
/** Files in git's folder during an unfinished operation. */
const UNDER_WAY = [
  "MERGE_HEAD",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "SQUASH_MSG",
  "rebase-merge",
  "rebase-apply",
  "sequencer",
];
/** Name commits that may be on no branch. */
const PASSING = ["FETCH_HEAD", "ORIG_HEAD"];
/** Attributes that make the file in the work tree differ from git's. */
const CONVERTING = ["ident", "working-tree-encoding", "filter"];
const COMMIT =
  /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) [^\n]*? (\d+) [+-]\d{4}\tcommit(?: \((?:initial|amend)\))?: /;

/** Is the file with these contents from git, or is that unknown? Rejects with the system's error. */
export async function isFromGit(
  { hash, path }: { path: string; hash: string },
  options: OriginOptions,
): Promise<boolean> {
  const { files, git } = options;
  const contents = await files.read(path);
  // A file that has changed since cannot be checked any more.
  if (!contents || hashOf(contents) !== hash) return true;
  const folder = await findGitFolder(files, (await files.realPath(dirname(path))) ?? dirname(path));
  if (folder === "none") return false;
  const inTree = folder === "unknown" ? undefined : pathInTree(folder.top, path);
  if (folder === "unknown" || inTree === undefined || !git) return true;
  for (const name of UNDER_WAY) if (await files.statItself(join(folder.own, name))) return true;
  const ask: Ask = (args, input) =>
    git.ask(args, { folder: folder.top, ...(input !== undefined && { input }) });
  if (await isConverted(ask, inTree)) return true;
  const having = await findCommits(ask, { contents, inTree }, await readPassing(files, folder));
  if (!having || having.length === 0) return having === undefined;
  const made = await readOwnCommits(folder, options);
  return having.some((commit) => !made.has(commit));
}

type Ask = (args: readonly string[], input?: string | Uint8Array) => Promise<string | undefined>;

/** Does git convert this file at checkout, or is that unknown? Runs no filter program. */
async function isConverted(ask: Ask, inTree: string): Promise<boolean> {
  const fields = (await ask(["check-attr", "-z", ...CONVERTING, "--", inTree]))?.split("\0");
  // For each attribute the path, its name and its value.
  return !fields || fields.some((value, n) => n % 3 === 2 && value !== "unspecified" && value !== "unset");
}

async function readPassing(files: OriginOptions["files"], { own }: GitFolder): Promise<string[]> {
  const texts = await Promise.all(PASSING.map((name) => readPlainText(files, join(own, name))));
  return texts.flatMap((text) => text.match(/^[0-9a-f]{40,64}\b/gm) ?? []).slice(0, MOST_COMMITS);
}

/** Commits that have these contents at this path; `undefined` if git did not answer, or if there are too many. */
async function findCommits(
  ask: Ask,
  { contents, inTree }: { contents: Uint8Array; inTree: string },
  passing: readonly string[],
): Promise<readonly string[] | undefined> {
  // As they are, and with git's line endings.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(contents);
  const forms = text.includes("\r\n") ? [contents, text.replaceAll("\r\n", "\n")] : [contents];
  const objects = await Promise.all(forms.map((form) => ask(["hash-object", "--stdin"], form)));
  const from = ["--all", "--reflog", "--full-history", "--ignore-missing", ...passing];
  const listed = await ask(["rev-list", `--max-count=${MOST_COMMITS + 1}`, ...from, "--", inTree]);
  const commits = listed?.split("\n").filter((line) => line !== "");
  if (objects.includes(undefined) || !commits || commits.length > MOST_COMMITS) return undefined;
  if (commits.length === 0) return [];
  const names = commits.map((commit) => `${commit}:${inTree}\n`).join("");
  // One line per name: `<object> blob <bytes>`, or that it is missing.
  const found = (await ask(["cat-file", "--batch-check"], names))?.trimEnd().split("\n");
  if (found?.length !== commits.length) return undefined;
  const wanted = new Set(objects.map((object) => object?.trim()));
  return commits.filter((_, n) => wanted.has(found[n]?.split(" ")[0]));
}

async function readOwnCommits(
  folder: GitFolder,
  { files, isInTurn, logEnd, nowMs, ownFolder }: OriginOptions,
): Promise<ReadonlySet<string>> {
  if (folder.own !== ownFolder) return new Set();
  const lines = await readLog(files, folder);
  // If that line is gone, git has dropped it with all older ones.
  const from = logEnd === undefined ? 0 : lines.findLastIndex((line) => digest(line) === logEnd) + 1;
  return new Set(
    lines.slice(from).flatMap((line) => {
      const [, commit = "", seconds] = COMMIT.exec(line) ?? [];
      const atMs = Number(seconds) * 1000;
      // Whether an agent worked before that is not known any more.
      return atMs >= nowMs - KEPT_DAYS * DAY_MS && !isInTurn(atMs, atMs + 999) ? [commit] : [];
    }),
  );
}

/** Digest of the last line of the reflog now; `undefined` if there is none. */
export async function readLogEnd(
  files: OriginOptions["files"],
  folder: GitFolder,
): Promise<string | undefined> {
  const last = (await readLog(files, folder)).at(-1);
  return last === undefined ? undefined : digest(last);
}

async function readLog(files: OriginOptions["files"], { own }: GitFolder): Promise<string[]> {
  const text = await readPlainText(files, join(own, "logs", "HEAD"));
  return text.split("\n").filter((line) => line !== "");
}

const digest = (line: string): string => createHash("sha256").update(line).digest("hex").slice(0, 32);
