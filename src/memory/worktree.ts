/**
 * Finds the main worktree of a linked one, so that both use the same memories. Only worktrees that git's own directory
 * lists count: an unpacked archive can bring a `.git` file that names any repository.
 */
import { basename, dirname, join, relative } from "node:path";
import { formatError } from "../base/error.js";
import type { Files } from "../io/files.js";
import { isType } from "./memory.js";
import { findGitFolder } from "./trust/git.js";

/** "auto": only if this worktree has no memories and the main one has. */
export type WorktreeSharing = boolean | "auto";

/**
 * The folder whose `.opencode/memory` holds this project's memories; the project itself if it shares none, or if a folder
 * cannot be read, which is passed to `report`.
 */
export async function findMemoryProject(
  files: Pick<Files, "list" | "read" | "realPath" | "statItself">,
  project: string,
  sharing: () => Promise<WorktreeSharing>,
  report: (problem: string) => void,
): Promise<string> {
  try {
    return await find(files, project, sharing);
  } catch (thrown) {
    report(`using the memories of this folder, not those of its main worktree: ${formatError(thrown)}`);
    return project;
  }
}

async function find(
  files: Pick<Files, "list" | "read" | "realPath" | "statItself">,
  project: string,
  sharing: () => Promise<WorktreeSharing>,
): Promise<string> {
  const main = await findMain(files, project);
  if (main === undefined) return project;
  const wanted = await sharing();
  if (wanted !== "auto") return wanted ? main : project;
  const hasOwn = await hasMemories(files, project);
  return !hasOwn && (await hasMemories(files, main)) ? main : project;
}

/** The same folder in the main worktree; `undefined` if this is the main one, or there is none. */
async function findMain(
  files: Pick<Files, "read" | "realPath" | "statItself">,
  project: string,
): Promise<string | undefined> {
  // Most projects are not linked worktrees, and this one check tells.
  if ((await files.statItself(join(project, ".git")))?.kind === "folder") return undefined;
  const root = (await files.realPath(project)) ?? project;
  const git = await findGitFolder(files, root);
  if (typeof git === "string" || git.own === git.common) return undefined;
  const { common, own, top } = git;
  // Git's directory contains the folder of a linked worktree; a bare repository has no main worktree.
  if (dirname(own) !== join(common, "worktrees") || basename(common) !== ".git") return undefined;
  const main = join(dirname(common), relative(top, root));
  return (await files.statItself(main))?.kind === "folder" ? main : undefined;
}

async function hasMemories(files: Pick<Files, "list">, project: string): Promise<boolean> {
  const names = await files.list(join(project, ".opencode", "memory"));
  return names.some((name) => isType(name) || ["archive", "ledger", "private"].includes(name));
}
