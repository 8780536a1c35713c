/**
 * Which contents came with other people's commits: by pull, checkout or merge, or from a branch or the stash.
 *
 *     git is in the middle of a merge     they were brought: the merged contents are in no commit yet
 *     git writes them in another form     they were brought, because it cannot be checked
 *     git does not have them              they were made here
 *     no commit has them at this path     they were made here, and at most staged
 *     only commits made here have them    they were made here
 *     any other commit has them           they were brought
 */
import { join } from "node:path";
import { type Files, readPlainText } from "../seams/files.js";
import type { Git } from "../seams/git.js";
import type { GitFolder } from "./git-folder.js";

export interface Content {
  /** Relative to the top of the work tree, with `/`. */
  path: string;
  contents: Uint8Array;
  /** Modification time of the file. */
  modifiedMs: number;
}

export interface BroughtOptions {
  files: Pick<Files, "read" | "statItself">;
  git: Git;
  /** Called if a commit has the contents. */
  readOwnCommits(): Promise<ReadonlySet<string>>;
}

/** Maximum number of commits of a path; with more, its author counts as unknown. */
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

/** Paths whose contents were brought; `undefined` if git did not answer. */
export async function findBrought(
  { files, git, readOwnCommits }: BroughtOptions,
  { own, top }: GitFolder,
  all: readonly Content[],
): Promise<ReadonlySet<string> | undefined> {
  const ask: Ask = (args, input) => git.ask(args, { folder: top, ...(input !== undefined && { input }) });
  for (const name of UNDER_WAY)
    if (await files.statItself(join(own, name))) return new Set(all.map(({ path }) => path));
  const brought = await findConverted(ask, all);
  if (!brought) return undefined;
  const passing = await readPassing(files, own);
  let made: ReadonlySet<string> | undefined;
  for (const content of all) {
    if (brought.has(content.path)) continue;
    const known = await findObjects(ask, content);
    if (!known) return undefined;
    if (known.size === 0) continue;
    const having = await findCommits(ask, content, { known, passing });
    if (!having) return undefined;
    if (having === "too many") brought.add(content.path);
    else if (having.length > 0) {
      made ??= await readOwnCommits();
      const own = made;
      if (having.some((commit) => !own.has(commit))) brought.add(content.path);
    }
  }
  return brought;
}

type Ask = (args: readonly string[], input?: string | Uint8Array) => Promise<string | undefined>;

/** Paths that git converts at checkout. Runs no filter program. */
async function findConverted(ask: Ask, all: readonly Content[]): Promise<Set<string> | undefined> {
  const input = all.map(({ path }) => `${path}\0`).join("");
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

/** Git objects of these contents: as they are, with stored line endings, and as checked out for this file. */
async function findObjects(ask: Ask, content: Content): Promise<ReadonlySet<string> | undefined> {
  const { contents } = content;
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(contents);
  const forms = text.includes("\r\n") ? [contents, text.replaceAll("\r\n", "\n")] : [contents];
  const names: string[] = [];
  for (const input of forms) {
    const name = (await ask(["hash-object", "--stdin"], input))?.trim();
    if (name === undefined || !/^[0-9a-f]{40,64}$/.test(name)) return undefined;
    names.push(name);
  }
  const there = await readTypes(ask, names);
  const checkedOut = await findCheckedOut(ask, content);
  if (!there || !checkedOut) return undefined;
  return new Set([...names.filter((_, n) => there[n]?.includes(" blob ")), ...checkedOut]);
}

/** The file's object in the index, if the file is unchanged since checkout: its conversion rules may be gone. */
async function findCheckedOut(
  ask: Ask,
  { contents, modifiedMs, path }: Content,
): Promise<string[] | undefined> {
  const answer = await ask(["ls-files", "--stage", "--debug", "--", path]);
  if (answer === undefined) return undefined;
  const [, name = ""] = /^\d+ ([0-9a-f]{40,64}) /.exec(answer) ?? [];
  const [, seconds, nanos] = /^\s*mtime: (\d+):(\d+)/m.exec(answer) ?? [];
  const [, size] = /\bsize: (\d+)/.exec(answer) ?? [];
  const writtenMs = Number(seconds) * 1000 + Number(nanos) / 1e6;
  const isAsLeft = Math.abs(writtenMs - modifiedMs) < 1 && Number(size) === contents.byteLength;
  return name !== "" && isAsLeft ? [name] : [];
}

/** Commits that have one of these objects at this path. */
async function findCommits(
  ask: Ask,
  { path }: Content,
  { known, passing }: { known: ReadonlySet<string>; passing: readonly string[] },
): Promise<string[] | "too many" | undefined> {
  const most = `--max-count=${MOST_COMMITS + 1}`;
  const from = ["--all", "--reflog", "--full-history", "--ignore-missing", ...passing];
  const listed = await ask(["rev-list", most, ...from, "--", path]);
  if (listed === undefined) return undefined;
  const commits = listed.split("\n").filter((line) => line !== "");
  if (commits.length > MOST_COMMITS) return "too many";
  const found = await readTypes(
    ask,
    commits.map((commit) => `${commit}:${path}`),
  );
  return found && commits.filter((_, n) => known.has(found[n]?.split(" ")[0] ?? ""));
}

async function readPassing(files: BroughtOptions["files"], own: string): Promise<string[]> {
  const texts = await Promise.all(PASSING.map((name) => readPlainText(files, join(own, name))));
  const commits = texts.flatMap((text) => text.match(/^[0-9a-f]{40,64}\b/gm) ?? []);
  return [...new Set(commits)].slice(0, MOST_PASSING);
}

/** One line per name: `<name> blob <bytes>`, or that it is missing. */
async function readTypes(ask: Ask, names: readonly string[]): Promise<string[] | undefined> {
  if (names.length === 0) return [];
  const answer = await ask(["cat-file", "--batch-check"], `${names.join("\n")}\n`);
  const lines = answer?.trimEnd().split("\n");
  return lines?.length === names.length ? lines : undefined;
}
