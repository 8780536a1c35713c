import { join } from "node:path";
import { type Files, readText } from "../io/files.js";

/** Absolute paths of Strata's files and folders, all below the project. */
export interface Folders {
  /** Root of the project. */
  project: string;
  /** Whole tool results. */
  toolResults: string;
  /** Notes on sessions, for people. */
  sessionMemory: string;
  /** Memories, for people. In a linked git worktree, those of the main one if they are shared. */
  memory: string;
  /** The project that holds the memories. */
  memoryProject: string;
  /** Machine state of the memories; may be deleted. */
  memoryState: string;
  /** The log, the savings ledger and the machine state. */
  strata: string;
  log: string;
  savings: string;
  /** Machine state; may be deleted at any time. */
  decisions: string;
  /** Machine state: what was sent last, as a digest of each message; one file per session. */
  views: string;
  /** Machine state: what the screen shows of each session, and what its context consists of; two files per session. */
  screens: string;
  /** Machine state: titles of sessions and sums of their savings ledgers. */
  sessions: string;
  /** Spending of Strata's own model calls, one file per day; deleting today's file restores today's budget. */
  background: string;
  /** Machine state: cached vectors of memories, one file per embedding model; deleting it costs new calls. */
  vectors: string;
  /** Machine state: title and state of merge requests and issues, as last reported by GitLab and GitHub. */
  entities: string;
  /** Machine state: the models' prices, as the host last gave them. */
  prices: string;
  /** Machine state: sessions for which compaction does not help. */
  breakers: string;
  /** The error log, for people. */
  errorLog: string;
  errorLock: string;
  /** Machine state shared by the instances of a project: liveness, leases, edits, messages. */
  instances: string;
  leases: string;
  edits: string;
  mail: string;
  /** Machine state: which hooks the host has called, one file per instance. */
  calls: string;
  /** Machine state: how far each session was read for memories; after deleting it nothing is read twice. */
  extraction: string;
  /** Machine state of dreams: time of the last one, and the lock of the running one. */
  dreamState: string;
  dreamLock: string;
}

/** Whether the id of a session can be the name of a file. */
export const isFileName = (id: string): boolean => /^[\w-]{1,200}$/.test(id);

export function planFolders(project: string, memoryProject = project): Folders {
  const strata = join(project, ".opencode", "strata");
  return {
    project,
    toolResults: join(project, ".opencode", "tool-results"),
    sessionMemory: join(project, ".opencode", "session-memory"),
    memory: join(memoryProject, ".opencode", "memory"),
    memoryProject,
    memoryState: join(memoryProject, ".opencode", "strata", "state", "memory"),
    strata,
    log: join(strata, "strata.log"),
    savings: join(strata, "savings"),
    decisions: join(strata, "state", "decisions"),
    views: join(strata, "state", "views"),
    screens: join(strata, "state", "screen"),
    sessions: join(strata, "state", "sessions.json"),
    background: join(strata, "state", "background"),
    vectors: join(strata, "state", "vectors"),
    entities: join(strata, "state", "entities.json"),
    prices: join(strata, "state", "prices.json"),
    breakers: join(strata, "state", "breakers"),
    errorLog: join(project, ".opencode", "memory", "errors.log"),
    errorLock: join(strata, "state", "errors.lock"),
    instances: join(strata, "state", "instances"),
    leases: join(strata, "state", "leases.json"),
    edits: join(strata, "state", "edits"),
    mail: join(strata, "state", "mail"),
    calls: join(strata, "state", "calls"),
    extraction: join(strata, "state", "extraction"),
    dreamState: join(strata, "state", "dream.json"),
    dreamLock: join(strata, "state", "dream.lock"),
  };
}

/** Creates the folder's `.gitignore` if there is none. An existing one is checked when the plugin starts. */
export async function hideNewFolder(files: Files, folder: string): Promise<void> {
  const path = join(folder, ".gitignore");
  if (!(await files.stat(path))) await files.writeWhole(path, "*\n");
}

/** Creates the folder's `.gitignore`, or appends to the existing one, so that these rules hold. */
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

/* What a `.gitignore` keeps out of git, and which of Strata's rules it lacks. Pure. */

/** Matches half-written files, whose names end with a UUID: `tornOf` in file-kinds.ts. */
export const TORN_RULE = "*.????????-????-????-????-????????????";

/** Patterns that match everything in the folder; git then does not descend into subfolders. */
const EVERYTHING: ReadonlySet<string> = new Set(["*", "/*", "**", "/**", "**/*"]);

/** The rules that have to be appended so that all of `rules` hold: those not there, and those before a negation. */
export function planRules(text: string, rules: readonly string[]): string[] {
  const holding = new Set<string>();
  for (const line of text.split(/\r?\n/)) {
    const rule = line.replace(/ +$/, "");
    // This one lets the `.gitignore` itself be committed.
    if (/^!\/?\.gitignore$/.test(rule)) continue;
    if (rule.startsWith("!")) holding.clear();
    for (const one of rules) if (isSame(rule, one) || EVERYTHING.has(rule)) holding.add(one);
  }
  return rules.filter((rule) => !holding.has(rule));
}

/** A name without a slash matches here and below. Strata's files are here, so a leading slash makes no difference. */
const isSame = (rule: string, other: string): boolean => rule.replace(/^\//, "") === other.replace(/^\//, "");

/** Does this `.gitignore` keep the whole folder out of git? */
export const hidesAll = (text: string): boolean => planRules(text, ["*"]).length === 0;
