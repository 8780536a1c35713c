/**
 * Commits that the user has made in a work tree, by git's own log of it. Not counted are those that stood in the log
 * when the project was first seen, since an archive may bring a log; those of a rebase, a merge or a pull; and those
 * that were made while an agent was at work, which an agent may have made.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { type Files, readPlainText } from "../seams/files.js";
import type { GitFolder } from "./git-folder.js";
import type { IsInTurn } from "./turns.js";

type Reading = Pick<Files, "read" | "statItself">;

export interface OwnCommits {
  /** How the log ended when the project was first seen. */
  logEnd: string | undefined;
  /** What was made before that cannot be told from an agent's. */
  knownSinceMs: number;
  isInTurn: IsInTurn;
}

const COMMIT =
  /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) [^\n]*? (\d+) [+-]\d{4}\tcommit(?: \((?:initial|amend)\))?: /;

export async function readOwnCommits(
  files: Reading,
  folder: Pick<GitFolder, "own">,
  { isInTurn, knownSinceMs, logEnd }: OwnCommits,
): Promise<ReadonlySet<string>> {
  const lines = await readLog(files, folder);
  // Where it is not there any more git has dropped it with all that is older.
  const from = logEnd === undefined ? 0 : lines.findLastIndex((line) => nameEnd(line) === logEnd) + 1;
  return new Set(
    lines.slice(from).flatMap((line) => {
      const [, commit = "", seconds] = COMMIT.exec(line) ?? [];
      const atMs = Number(seconds) * 1000;
      return atMs >= knownSinceMs && !isInTurn(atMs, atMs + 999) ? [commit] : [];
    }),
  );
}

/** How the log ends now; `undefined` where there is none. */
export async function readLogEnd(
  files: Reading,
  folder: Pick<GitFolder, "own">,
): Promise<string | undefined> {
  const last = (await readLog(files, folder)).at(-1);
  return last === undefined ? undefined : nameEnd(last);
}

async function readLog(files: Reading, { own }: Pick<GitFolder, "own">): Promise<string[]> {
  const text = await readPlainText(files, join(own, "logs", "HEAD"));
  return text.split("\n").filter((line) => line !== "");
}

const nameEnd = (line: string): string => createHash("sha256").update(line).digest("hex").slice(0, 32);
