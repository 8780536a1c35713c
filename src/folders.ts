import { join } from "node:path";
import { planRules } from "./git-ignore.js";
import { type Files, readText } from "./seams/files.js";

/** Where things lie, all of it under the project. */
export interface Folders {
  /** The project itself. */
  project: string;
  /** Whole tool results. */
  toolResults: string;
  /** Notes on sessions, for people. */
  sessionMemory: string;
  /** Memories, for people. */
  memory: string;
  /** The log, the savings ledger and the machine state. */
  strata: string;
  log: string;
  savings: string;
  /** Machine state; may be deleted at any time. */
  decisions: string;
  /** Machine state: what was sent last, a digest of each message, a file a session. */
  views: string;
  /** What model calls of our own have spent, a file a day; deleting today's hands out today's budget anew. */
  background: string;
  /** Machine state: sessions in which compaction does not help. */
  breakers: string;
  /** What failed, for people. */
  errorLog: string;
  errorLock: string;
  /** Machine state that the instances of a project share: who lives, who holds what, who edits what, letters. */
  instances: string;
  leases: string;
  edits: string;
  mail: string;
  /** Machine state: which hooks the host has called, a file an instance. */
  pulse: string;
  /** Machine state: how far sessions are read for memories; deleting it has nothing read twice. */
  extraction: string;
  /** Machine state of dreams: when the last one was, and who dreams now. */
  dreamState: string;
  dreamLock: string;
  /** The one file that a dream's model may write. */
  staged: string;
}

export function planFolders(project: string): Folders {
  const strata = join(project, ".opencode", "strata");
  return {
    project,
    toolResults: join(project, ".opencode", "tool-results"),
    sessionMemory: join(project, ".opencode", "session-memory"),
    memory: join(project, ".opencode", "memory"),
    strata,
    log: join(strata, "strata.log"),
    savings: join(strata, "savings"),
    decisions: join(strata, "state", "decisions"),
    views: join(strata, "state", "views"),
    background: join(strata, "state", "background"),
    breakers: join(strata, "state", "breakers"),
    errorLog: join(project, ".opencode", "memory", "errors.log"),
    errorLock: join(strata, "state", "errors.lock"),
    instances: join(strata, "state", "instances"),
    leases: join(strata, "state", "leases.json"),
    edits: join(strata, "state", "edits"),
    mail: join(strata, "state", "mail"),
    pulse: join(strata, "state", "pulse"),
    extraction: join(strata, "state", "extraction"),
    dreamState: join(strata, "state", "dream.json"),
    dreamLock: join(strata, "state", "dream.lock"),
    staged: join(strata, "dream", "staged.json"),
  };
}

/** Gives the folder a `.gitignore` of its own, unless it has one, which the start of the plugin looks after. */
export async function keepOutOfGit(files: Files, folder: string): Promise<void> {
  const path = join(folder, ".gitignore");
  if (!(await files.stat(path))) await files.writeWhole(path, "*\n");
}

/** Makes the folder's `.gitignore`, or completes the one that is there, so that it has these rules in force. */
export async function hideFromGit(
  files: Files,
  folder: string,
  rules: readonly string[] = ["*"],
): Promise<void> {
  const path = join(folder, ".gitignore");
  const text = await readText(files, path);
  if (text === undefined) return files.writeWhole(path, `${rules.join("\n")}\n`);
  const lacking = planRules(text, rules);
  if (lacking.length > 0) await files.appendLine(path, lacking.join("\n"));
}
