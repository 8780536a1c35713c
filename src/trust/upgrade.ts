/**
 * Are the memories of a project that is looked at for the first time those that an earlier version has kept here? The
 * name of the clone says so, but an archive could bring it; a session that the host knows it could not guess.
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

/** The newest are asked about: one is enough. */
const MOST_ASKED = 10;

/** "unknown" where the host did not say. Rejects with the system's error. */
export async function isKeptHere({
  files,
  folders,
  git,
  host,
}: UpgradeOptions): Promise<boolean | "unknown"> {
  const clone = (await readPlainText(files, join(folders.strata, "state", "memory", "clone"))).trim();
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
  // Ids of sessions sort by time, the newest last or first; of either some are asked about.
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

/** State that git tracks came with the repository. Where git does not say, it may have. */
async function isTracked(files: Files, git: Git | undefined, { project, strata }: Folders): Promise<boolean> {
  if (!(await files.statItself(join(project, ".git")))) return false;
  const listed = await git?.ask(["ls-files", "-z", "--", strata], { folder: project });
  return listed !== "";
}

function readSession(line: string): string[] {
  const value = parseJson(line);
  return isRecord(value) && typeof value.session === "string" ? [value.session] : [];
}
