/** Projects that the user's own configuration accepts for good. */
import type { Files } from "../seams/files.js";
import { readRemotes } from "./git-folder.js";
import type { Identity } from "./identity.js";

export interface AcceptedPlaces {
  /** Absolute paths; one that ends in `/*` stands for all folders below. */
  projects: readonly string[];
  /** `host/owner/name`; `host/owner/*` stands for all of an owner's. */
  remotes: readonly string[];
}

/** Is it one of these, by its path or by all of its remotes? */
export async function isAccepted(
  files: Files,
  { projects, remotes }: AcceptedPlaces,
  { git, root }: Identity,
): Promise<boolean> {
  const fits = (wanted: string, given: string): boolean =>
    wanted.endsWith("/*") ? given.startsWith(wanted.slice(0, -1)) : wanted.replace(/\/+$/, "") === given;
  if (projects.some((one) => fits(one, root))) return true;
  if (!git || remotes.length === 0) return false;
  const named = await readRemotes(files, git);
  // What was fetched from any of them may be what is checked out.
  return named.length > 0 && named.every((name) => remotes.some((one) => fits(one.toLowerCase(), name)));
}
