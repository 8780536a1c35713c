/**
 * At the first look at a project: did an earlier version store its memories here? The clone's name suggests so, but an
 * archive could contain it. A session ID that the host knows proves it, because it cannot be guessed.
 */
import { join } from "node:path";
import type { Folders } from "../folders.js";
import { isRecord, parseJson } from "../records.js";
import { type Files, readPlainText } from "../seams/files.js";
import type { Git } from "../seams/git.js";
import type { Host } from "../seams/host.js";

export interface UpgradeOptions {
  files: Files;
  folders: Folders;
  git: Git | undefined;
  host: Pick<Host, "sessionLastUsedMs">;
}

/** Maximum number of sessions asked about; one that the host knows is enough. */
const MOST_ASKED = 10;

/** "unknown" if the host did not answer. Rejects with the system's error. */
export async function isKeptHere({
  files,
  folders,
  git,
  host,
}: UpgradeOptions): Promise<boolean | "unknown"> {
  const clone = (await readPlainText(files, join(folders.memoryState, "clone"))).trim();
  if (!/^[0-9a-f]{8}$/.test(clone)) return false;
  const ledgers = await files.list(join(folders.memory, "ledger"));
  const own = ledgers.filter((name) => name.endsWith(`-${clone}.jsonl`));
  if (own.length === 0 || (await isTracked(files, git, folders))) return false;
  const texts = await Promise.all(
    own.map((name) => readPlainText(files, join(folders.memory, "ledger", name))),
  );
  const notes = await files.list(folders.sessionMemory);
  const sessions = [
    ...texts.flatMap((text) => text.split("\n").flatMap(readSession)),
    ...notes.flatMap((name) => /^(ses_\w+)\.json$/.exec(name)?.[1] ?? []),
  ];
  // Session IDs sort by time, ascending or descending, so ask about some from each end.
  const sorted = [...new Set(sessions)].sort();
  const asked = new Set([...sorted.slice(0, MOST_ASKED), ...sorted.slice(-MOST_ASKED)]);
  let answer: false | "unknown" = false;
  for (const id of asked) {
    const lastUsed = await host.sessionLastUsedMs(id);
    if (typeof lastUsed === "number") return true;
    if (lastUsed === "unknown") answer = "unknown";
  }
  return answer;
}

/** State that git tracks came with the repository. True as well if git does not answer. */
async function isTracked(files: Files, git: Git | undefined, { project, strata }: Folders): Promise<boolean> {
  if (!(await files.statItself(join(project, ".git")))) return false;
  const listed = await git?.ask(["ls-files", "-z", "--", strata], { folder: project });
  return listed !== "";
}

function readSession(line: string): string[] {
  const value = parseJson(line);
  return isRecord(value) && typeof value.session === "string" ? [value.session] : [];
}
