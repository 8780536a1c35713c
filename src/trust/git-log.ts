/**
 * Commits that the user made in a work tree, by git's reflog. Leaves out commits that were in the log when the project
 * was first seen, since an archive may contain a log; those of a rebase, merge or pull; and those made while an agent was
 * working, which may be the agent's.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { type Files, readPlainText } from "../seams/files.js";
import type { GitFolder } from "./git-folder.js";
import type { IsInTurn } from "./turns.js";

type Reading = Pick<Files, "read" | "statItself">;

export interface OwnCommits {
  /** Digest of the last log line when the project was first seen. */
  logEnd: string | undefined;
  /** Earlier commits cannot be told from an agent's. */
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
  // If that line is gone, git has dropped it with all older ones.
  const from = logEnd === undefined ? 0 : lines.findLastIndex((line) => nameEnd(line) === logEnd) + 1;
  return new Set(
    lines.slice(from).flatMap((line) => {
      const [, commit = "", seconds] = COMMIT.exec(line) ?? [];
      const atMs = Number(seconds) * 1000;
      return atMs >= knownSinceMs && !isInTurn(atMs, atMs + 999) ? [commit] : [];
    }),
  );
}

/** Digest of the last log line now; `undefined` if there is no log. */
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
