/**
 * Which files git has brought: by pull, checkout or merge, or from a branch or the stash. Each is checked in its own
 * repository, since repositories may be nested.
 *
 *     in no repository                    it was written here
 *     git is in the middle of a merge     it was brought: merged contents are in no commit yet
 *     git writes it in another form       it was brought, because it cannot be checked
 *     no commit has it at this path       it was written here, and at most staged
 *     only commits made here have it      it was written here
 *     any other commit has it             it was brought
 *     git does not answer                 it was brought
 *
 * A commit was made here if this work tree's reflog says so, after the project was first seen (an archive may contain a
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

/** A file, with its contents as they were found. */
interface Checked {
  /** Absolute path. */
  path: string;
  /** Hash of the contents, as in the ledger. */
  hash: string;
  /** Time of the last content change (mtime). */
  modifiedMs: number;
}

export interface OriginOptions {
  files: Pick<Files, "read" | "realPath" | "statItself">;
  git: Git | undefined;
  isInTurn: IsInTurn;
  /** Digest of the last line of the reflog when the project was first seen; `undefined` if there was none. */
  logEnd: string | undefined;
  nowMs: number;
  /** Git's folder of the project's own work tree: of others it is not known what their reflog held before. */
  ownFolder: string | undefined;
}

/** A file in its repository. */
interface Content {
  path: string;
  /** Relative to the top of the work tree, with `/`. */
  inTree: string;
  contents: Uint8Array;
  modifiedMs: number;
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
/** Refs to commits that may be on no branch. */
const PASSING = ["FETCH_HEAD", "ORIG_HEAD"];
const MOST_PASSING = 200;
/** Attributes that make the file in the work tree differ from git's. */
const CONVERTING = ["ident", "working-tree-encoding", "filter"];
const COMMIT =
  /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) [^\n]*? (\d+) [+-]\d{4}\tcommit(?: \((?:initial|amend)\))?: /;

/** Paths of the files that were brought, or for which that is unknown. Rejects with the system's error. */
export async function findBrought(
  given: readonly Checked[],
  options: OriginOptions,
): Promise<ReadonlySet<string>> {
  const { files, git } = options;
  const brought = new Set<string>();
  const repositories = new Map<string, { folder: GitFolder; contents: Content[] }>();
  for (const { hash, modifiedMs, path } of given) {
    const contents = await files.read(path);
    const isAsFound = contents !== undefined && hashOf(contents) === hash;
    const root = (await files.realPath(dirname(path))) ?? dirname(path);
    // A file that has changed since cannot be checked any more.
    const folder = isAsFound ? await findGitFolder(files, root) : "unknown";
    if (folder === "none") continue;
    const inTree = folder === "unknown" ? undefined : pathInTree(folder.top, path);
    if (folder === "unknown" || inTree === undefined || !contents) {
      brought.add(path);
      continue;
    }
    const repository = repositories.get(folder.top) ?? { folder, contents: [] };
    repositories.set(folder.top, repository);
    repository.contents.push({ path, inTree, contents, modifiedMs });
  }
  for (const { contents, folder } of repositories.values()) {
    const found = git && (await findBroughtBy(git, folder, contents, options));
    for (const { path } of contents) if (!found || found.has(path)) brought.add(path);
  }
  return brought;
}

type Ask = (args: readonly string[], input?: string | Uint8Array) => Promise<string | undefined>;

/** Those of one repository; `undefined` if git did not answer. */
async function findBroughtBy(
  git: Git,
  folder: GitFolder,
  all: readonly Content[],
  options: OriginOptions,
): Promise<ReadonlySet<string> | undefined> {
  const { files } = options;
  const ask: Ask = (args, input) =>
    git.ask(args, { folder: folder.top, ...(input !== undefined && { input }) });
  for (const name of UNDER_WAY)
    if (await files.statItself(join(folder.own, name))) return new Set(all.map(({ path }) => path));
  const converted = await findConverted(ask, all);
  if (!converted) return undefined;
  const brought = new Set<string>();
  let made: ReadonlySet<string> | undefined;
  for (const content of all) {
    const having = converted.has(content.inTree) ? "unknown" : await findCommits(ask, content, folder, files);
    if (having === undefined) return undefined;
    made ??= having.length > 0 ? await readOwnCommits(folder, options) : undefined;
    if (having === "unknown" || having.some((commit) => !made?.has(commit))) brought.add(content.path);
  }
  return brought;
}

/** Paths in the tree that git converts at checkout. Runs no filter program. */
async function findConverted(ask: Ask, all: readonly Content[]): Promise<Set<string> | undefined> {
  const input = all.map(({ inTree }) => `${inTree}\0`).join("");
  const answer = await ask(["check-attr", "-z", "--stdin", ...CONVERTING], input);
  if (answer === undefined) return undefined;
  const fields = answer.split("\0");
  const converted = new Set<string>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = "", , value = ""] = fields.slice(at, at + 3);
    if (value !== "unspecified" && value !== "unset") converted.add(path);
  }
  return converted;
}

/** Commits that have these contents at this path; `undefined` if git did not answer. */
async function findCommits(
  ask: Ask,
  content: Content,
  { own }: GitFolder,
  files: OriginOptions["files"],
): Promise<readonly string[] | "unknown" | undefined> {
  const objects = await findObjects(ask, content);
  if (!objects || objects.size === 0) return objects && [];
  const texts = await Promise.all(PASSING.map((name) => readPlainText(files, join(own, name))));
  const passing = texts.flatMap((text) => text.match(/^[0-9a-f]{40,64}\b/gm) ?? []).slice(0, MOST_PASSING);
  const from = ["--all", "--reflog", "--full-history", "--ignore-missing", ...passing];
  const listed = await ask(["rev-list", `--max-count=${MOST_COMMITS + 1}`, ...from, "--", content.inTree]);
  if (listed === undefined) return undefined;
  const commits = listed.split("\n").filter((line) => line !== "");
  if (commits.length > MOST_COMMITS) return "unknown";
  const found = await readTypes(
    ask,
    commits.map((commit) => `${commit}:${content.inTree}`),
  );
  return found && commits.filter((_, n) => objects.has(found[n]?.split(" ")[0] ?? ""));
}

/** Git objects of these contents: as they are, with stored line endings, and as checked out for this file. */
async function findObjects(ask: Ask, content: Content): Promise<ReadonlySet<string> | undefined> {
  const { contents } = content;
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(contents);
  const forms = text.includes("\r\n") ? [contents, text.replaceAll("\r\n", "\n")] : [contents];
  const names = await Promise.all(forms.map((form) => ask(["hash-object", "--stdin"], form)));
  const there = names.includes(undefined) ? undefined : await readTypes(ask, names.map(String));
  const index = await ask(["ls-files", "--stage", "--debug", "--", content.inTree]);
  if (!there || index === undefined) return undefined;
  const stored = there.flatMap((line) => /^([0-9a-f]{40,64}) blob /.exec(line)?.[1] ?? []);
  return new Set([...stored, ...readCheckedOut(index, content)]);
}

/** The file's object in the index, if the file is unchanged since checkout: its conversion rules may be gone. */
function readCheckedOut(index: string, { contents, modifiedMs }: Content): string[] {
  const [, object] = /^\d+ ([0-9a-f]{40,64}) /.exec(index) ?? [];
  const [, seconds, nanos] = /^\s*mtime: (\d+):(\d+)/m.exec(index) ?? [];
  const [, size] = /\bsize: (\d+)/.exec(index) ?? [];
  const writtenMs = Number(seconds) * 1000 + Number(nanos) / 1e6;
  const isAsLeft = Math.abs(writtenMs - modifiedMs) < 1 && Number(size) === contents.byteLength;
  return object !== undefined && isAsLeft ? [object] : [];
}

/** One line per name: `<name> blob <bytes>`, or that it is missing. */
async function readTypes(ask: Ask, names: readonly string[]): Promise<string[] | undefined> {
  if (names.length === 0) return [];
  const answer = await ask(["cat-file", "--batch-check"], `${names.map((name) => name.trim()).join("\n")}\n`);
  const lines = answer?.trimEnd().split("\n");
  return lines?.length === names.length ? lines : undefined;
}

async function readOwnCommits(
  folder: GitFolder,
  { files, isInTurn, logEnd, nowMs, ownFolder }: OriginOptions,
): Promise<ReadonlySet<string>> {
  // Who worked here before that is not known any more.
  const knownSinceMs = folder.own === ownFolder ? nowMs - KEPT_DAYS * DAY_MS : Number.POSITIVE_INFINITY;
  const lines = await readLog(files, folder);
  // If that line is gone, git has dropped it with all older ones.
  const from = logEnd === undefined ? 0 : lines.findLastIndex((line) => digest(line) === logEnd) + 1;
  return new Set(
    lines.slice(from).flatMap((line) => {
      const [, commit = "", seconds] = COMMIT.exec(line) ?? [];
      const atMs = Number(seconds) * 1000;
      return atMs >= knownSinceMs && !isInTurn(atMs, atMs + 999) ? [commit] : [];
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
