/**
 * Which contents came with somebody else's commits: by pull, checkout, merge, or out of a branch or the stash.
 *
 *     git does not have it            it was made here
 *     no commit has it at this path   it was made here, and is at most staged
 *     only commits made here have it  it was made here: those that `git commit` wrote, by the log of this work tree
 *     any other commit has it         it was brought
 */
import { join } from "node:path";
import type { Files } from "../seams/files.js";
import type { Git } from "../seams/git.js";
import type { GitFolder } from "./git-folder.js";

export interface Content {
  /** From the top of the work tree, with `/`. */
  path: string;
  contents: Uint8Array;
}

/** Commits that touched one path; more of them are no day's work. */
const MOST_COMMITS = 500;

/** The paths whose contents were brought; `undefined` where git did not say. */
export async function findBrought(
  { files, git }: { files: Pick<Files, "read" | "statItself">; git: Git },
  { own, top }: GitFolder,
  all: readonly Content[],
): Promise<ReadonlySet<string> | undefined> {
  const brought = new Set<string>();
  const made = await readOwnCommits(files, own);
  for (const { contents, path } of all) {
    const objects = await nameObjects(git, top, contents);
    const there = objects && (await readTypes(git, top, objects));
    if (!objects || !there) return undefined;
    const known = new Set(objects.filter((_, n) => there[n]?.includes(" blob ")));
    if (known.size === 0) continue;
    const listed = await git.ask(
      ["rev-list", "--all", "--reflog", `--max-count=${MOST_COMMITS}`, "--", path],
      {
        folder: top,
      },
    );
    if (listed === undefined) return undefined;
    const commits = listed.split("\n").filter((line) => line !== "");
    const found = await readTypes(
      git,
      top,
      commits.map((commit) => `${commit}:${path}`),
    );
    if (!found) return undefined;
    const having = commits.filter((_, n) => known.has(found[n]?.split(" ")[0] ?? ""));
    if (having.some((commit) => !made.has(commit))) brought.add(path);
  }
  return brought;
}

/** The names that git has for these bytes: as they are, and with the line ends that it stores. */
async function nameObjects(git: Git, folder: string, contents: Uint8Array): Promise<string[] | undefined> {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(contents);
  const forms = text.includes("\r\n") ? [contents, text.replaceAll("\r\n", "\n")] : [contents];
  const names: string[] = [];
  for (const input of forms) {
    const name = (await git.ask(["hash-object", "--stdin"], { folder, input }))?.trim();
    if (name === undefined || !/^[0-9a-f]{40,64}$/.test(name)) return undefined;
    names.push(name);
  }
  return names;
}

/** A line for each: `<name> blob <bytes>`, or that it is missing. */
async function readTypes(git: Git, folder: string, names: readonly string[]): Promise<string[] | undefined> {
  if (names.length === 0) return [];
  const answer = await git.ask(["cat-file", "--batch-check"], { folder, input: `${names.join("\n")}\n` });
  const lines = answer?.trimEnd().split("\n");
  return lines?.length === names.length ? lines : undefined;
}

/** Commits that `git commit` has written in this work tree. Those of a rebase, a merge or a pull are not counted. */
async function readOwnCommits(
  files: Pick<Files, "read" | "statItself">,
  own: string,
): Promise<ReadonlySet<string>> {
  const path = join(own, "logs", "HEAD");
  if ((await files.statItself(path))?.kind !== "file") return new Set();
  const text = new TextDecoder().decode((await files.read(path)) ?? new Uint8Array());
  const made = text.matchAll(
    /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) [^\n]*?\tcommit(?: \((?:initial|amend)\))?: /gm,
  );
  return new Set([...made].map(([, commit = ""]) => commit));
}
