/** Decisions explained in commit messages: merges and commits with text below the first line. */

import type { Git } from "../../io/git.js";
import { GIT_HISTORY, type TakenFact } from "../../sources/bootstrap/taken.js";
import { cut, toLine } from "../../text/text.js";

/** Maximum number of commits read, newest first; git's output limit applies too. */
const MOST_COMMITS = 1_000;
const MOST_CHARACTERS = 4_000;
/** Shorter texts give no reason. */
const LEAST_CHARACTERS = 40;
/** Separators of commits and fields; git writes them for `%x1e` and `%x1f`, and no message contains them. */
const [RECORD, FIELD] = ["\u001e", "\u001f"];

export interface Commit {
  hash: string;
  parents: string[];
  /** ISO date-time. */
  at: string;
  subject: string;
  body: string;
}

/** The last commits of the current branch; `undefined` if git does not answer. */
export async function readCommits(git: Git, folder: string): Promise<Commit[] | undefined> {
  const format = ["%H", "%P", "%cI", "%s", "%b"].join("%x1f");
  const asked = ["log", "--encoding=UTF-8", `--max-count=${MOST_COMMITS}`, `--format=${format}%x1e`];
  const answer = await git.ask(asked, { folder });
  return answer?.split(RECORD).flatMap((record) => parseCommit(record) ?? []);
}

/** At most `most` facts, newest first. A commit always gives the same fact. Pure. */
export function planDecisions(commits: readonly Commit[], most: number): TakenFact[] {
  return commits
    .flatMap((commit) => {
      const text = readReason(commit);
      return text === undefined ? [] : [toFact(commit, text)];
    })
    .slice(0, most);
}

function parseCommit(record: string): Commit | undefined {
  const [hash = "", parents = "", at = "", subject = "", body = ""] = record.replace(/^\s+/, "").split(FIELD);
  if (!/^[0-9a-f]{40,64}$/.test(hash)) return undefined;
  return { hash, parents: parents.split(" ").filter(Boolean), at, subject, body };
}

/** The text without trailers, lists of squashed commits and quoted addresses; `undefined` if little remains. */
function readReason({ body }: Commit): string | undefined {
  const text = body
    .replace(/\r\n?/g, "\n")
    .replace(
      /^(signed-off-by|co-authored-by|reviewed-by|acked-by|change-id|cc|tested-by|reported-by): .*$/gim,
      "",
    )
    .replace(/^(conflicts|# conflicts):[\s\S]*$/im, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return text.replace(/\s+/g, "").length < LEAST_CHARACTERS ? undefined : text;
}

function toFact({ at, hash, parents, subject }: Commit, text: string): TakenFact {
  const short = hash.slice(0, 12);
  const what = parents.length > 1 ? "Merge" : "Commit";
  return {
    ...{ key: short, file: GIT_HISTORY, type: "decision", importance: 0.2 },
    title: toLine(subject, 100) || `${what} ${short}`,
    content: `${what} ${short} of ${at.slice(0, 10)}: ${toLine(subject, 300)}\n\n${cut(text, MOST_CHARACTERS)}`,
  };
}
