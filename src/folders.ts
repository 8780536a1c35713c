import { join } from "node:path";
import type { Files } from "./seams/files.js";

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
  /** What model calls of our own have spent, a file a day; deleting today's hands out today's budget anew. */
  background: string;
  /** Machine state: sessions in which compaction does not help. */
  breakers: string;
  /** Machine state: which hooks the host has called, a file an instance. */
  pulse: string;
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
    background: join(strata, "state", "background"),
    breakers: join(strata, "state", "breakers"),
    pulse: join(strata, "state", "pulse"),
  };
}

/** Gives the folder a `.gitignore` of its own, unless it has one: a person's own choice stays. */
export async function keepOutOfGit(files: Files, folder: string): Promise<void> {
  const path = join(folder, ".gitignore");
  if (!(await files.stat(path))) await files.writeWhole(path, "*\n");
}
