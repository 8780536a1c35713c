/** Projects that the user's own configuration always trusts. */
import type { Files } from "../../io/files.js";
import { readRemotes } from "./git-folder.js";
import type { Identity } from "./identity.js";

export interface AcceptedPlaces {
  /** Absolute paths; one that ends in `/*` matches all folders below. */
  projects: readonly string[];
  /** `host/owner/name`; `host/owner/*` matches all repositories of an owner. */
  remotes: readonly string[];
}

/** Is the project accepted, by its path or by all of its remotes? */
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
  // The checked-out files may come from any of them.
  return named.length > 0 && named.every((name) => remotes.some((one) => fits(one.toLowerCase(), name)));
}
