import { join } from "node:path";
import type { Files } from "./seams/files.js";

/** Where things lie, all of it under the project. */
export interface Folders {
  /** The project itself. */
  project: string;
  /** Whole tool results. */
  toolResults: string;
  /** The notes about each session, for people and models. */
  sessionMemory: string;
  /** The log, the events and the machine state. */
  strata: string;
  log: string;
  events: string;
  /** Machine state; may be deleted at any time. */
  decisions: string;
}

export function planFolders(project: string): Folders {
  const strata = join(project, ".opencode", "strata");
  return {
    project,
    toolResults: join(project, ".opencode", "tool-results"),
    sessionMemory: join(project, ".opencode", "session-memory"),
    strata,
    log: join(strata, "strata.log"),
    events: join(strata, "events.jsonl"),
    decisions: join(strata, "state", "decisions"),
  };
}

/** Gives the folder a `.gitignore` of its own, unless it has one: a person's own choice stays. */
export async function keepOutOfGit(files: Files, folder: string): Promise<void> {
  const path = join(folder, ".gitignore");
  if (!(await files.stat(path))) await files.writeWhole(path, "*\n");
}
