/**
 * Identifies a project by what no repository can contain: a random ID in the git directory, and this machine's record
 * under that ID. Without git the ID is in `.opencode/strata` and is valid only in the folder for which it was made, also
 * after that folder has become a repository.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { type Files, readPlainText } from "../../io/files.js";
import { findGitFolder, type GitFolder } from "./git-folder.js";

export interface Identity {
  id: string;
  /** Real path of the project. */
  root: string;
  git?: GitFolder;
}

export interface IdentityOptions {
  files: Files;
  project: string;
  /** Reads only: creates no ID if there is no valid one. */
  isBrief?: boolean;
  /** Has this machine a record under this ID, and for this folder? */
  isKnown(id: string, root: string): Promise<"here" | "elsewhere" | "nowhere">;
  /** Records that this ID belongs to this folder, before the ID is written there. */
  begin(id: string, place: Omit<Identity, "id">): Promise<void>;
}

const ID_FILE = "opencode-strata-id";
const ID = /^[0-9a-f]{32}$/;
const MOST_IDS = 20;

/** Creates an ID if there is no valid one; with `isBrief` the ID is empty then. Rejects with the system's error. */
export async function identify({
  begin,
  files,
  isBrief,
  isKnown,
  project,
}: IdentityOptions): Promise<Identity> {
  const root = (await files.realPath(project)) ?? project;
  const found = await findGitFolder(files, root);
  const git = typeof found === "string" ? undefined : found;
  const plainPath = join(root, ".opencode", "strata", ID_FILE);
  const path = git ? join(git.common, ID_FILE) : plainPath;
  const place = { root, ...(git && { git }) };
  const ids = await readIDs(files, path);
  for (const id of ids) {
    const known = await isKnown(id, root);
    // A git directory may have been moved or have several work trees. Without git, another folder is another project.
    if (known === "here" || (known === "elsewhere" && git !== undefined)) return { id, ...place };
  }
  if (git)
    for (const id of await readIDs(files, plainPath))
      if ((await isKnown(id, root)) === "here") return { id, ...place };
  if (isBrief) return { id: "", ...place };
  const made = randomBytes(16).toString("hex");
  await begin(made, place);
  if (ids.length === 0 && (await files.create(path, `${made}\n`))) return { id: made, ...place };
  const others = await readIDs(files, path);
  // Another process on this machine may have been faster.
  for (const id of others) if ((await isKnown(id, root)) === "here") return { id, ...place };
  // Another user's machine, such as a container, may work in the same folder under an id of its own.
  await files.writeWhole(path, `${[made, ...others].slice(0, MOST_IDS).join("\n")}\n`);
  return { id: made, ...place };
}

async function readIDs(files: Files, path: string): Promise<string[]> {
  return (await readPlainText(files, path))
    .split(/\r?\n/)
    .slice(0, MOST_IDS)
    .filter((line) => ID.test(line));
}
