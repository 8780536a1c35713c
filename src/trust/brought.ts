/**
 * Which contents came with somebody else's commits: by pull, checkout, merge, or out of a branch or the stash.
 *
 *     git is in the middle of a merge     they were brought: what it has put together is in no commit yet
 *     git writes them in another form     they were brought, as nobody can tell
 *     git does not have them              they were made here
 *     no commit has them at this path     they were made here, and are at most staged
 *     only commits made here have them    they were made here
 *     any other commit has them           they were brought
 */
import { join } from "node:path";
import { type Files, readPlainText } from "../seams/files.js";
import type { Git } from "../seams/git.js";
import type { GitFolder } from "./git-folder.js";

export interface Content {
  /** From the top of the work tree, with `/`. */
  path: string;
  contents: Uint8Array;
  /** Of the file. */
  modifiedMs: number;
}

export interface BroughtOptions {
  files: Pick<Files, "read" | "statItself">;
  git: Git;
  /** Asked when a commit has the contents. */
  readOwnCommits(): Promise<ReadonlySet<string>>;
}

/** Commits that touched one path; of a path with more it is not known who has made it. */
const MOST_COMMITS = 500;
/** In git's folder as long as it has not finished. */
const UNDER_WAY = [
  "MERGE_HEAD",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "SQUASH_MSG",
  "rebase-merge",
  "rebase-apply",
  "sequencer",
];
/** Each with the commits that no branch may have. */
const PASSING = ["FETCH_HEAD", "ORIG_HEAD"];
const MOST_PASSING = 200;
/** By these the file in the work tree is another than git has. */
const CONVERTING = ["ident", "working-tree-encoding", "filter"];

/** The paths whose contents were brought; `undefined` where git did not say. */
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

/** Those whose form git changes as it checks them out. No program is run for it. */
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

/** What git has of this: its bytes, with the line ends that it stores as well, and what it has checked out as this file. */
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

/** What the index says this file is, if it is still as git has left it: the rules by which it was written may be gone. */
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

/** The commits that have one of these objects at this path. */
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

/** A line for each: `<name> blob <bytes>`, or that it is missing. */
async function readTypes(ask: Ask, names: readonly string[]): Promise<string[] | undefined> {
  if (names.length === 0) return [];
  const answer = await ask(["cat-file", "--batch-check"], `${names.join("\n")}\n`);
  const lines = answer?.trimEnd().split("\n");
  return lines?.length === names.length ? lines : undefined;
}
