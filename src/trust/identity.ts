/**
 * Which project this is, told by what no repository brings: a random id of ours in the git directory, and what this
 * machine has written down under that id. Without git the id lies in `.opencode/strata`, and counts only in the folder
 * for which it was made.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Files } from "../seams/files.js";
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
  /** Only looks: without an id that counts there is none. */
  isBrief?: boolean;
  /** Has this machine written something down under this id, and for this folder? */
  isKnown(id: string, root: string): Promise<"here" | "elsewhere" | "nowhere">;
}

const ID_FILE = "opencode-strata-id";
const ID = /^[0-9a-f]{32}$/;

/** Makes an id where there is none that counts; in a brief look it is empty then. Rejects with the system's error. */
export async function identify({ files, isBrief, isKnown, project }: IdentityOptions): Promise<Identity> {
  const root = (await files.realPath(project)) ?? project;
  const found = await findGitFolder(files, root);
  const git = typeof found === "string" ? undefined : found;
  const path = git ? join(git.common, ID_FILE) : join(root, ".opencode", "strata", ID_FILE);
  const id = await readID(files, path);
  const known = id === undefined ? "nowhere" : await isKnown(id, root);
  // A git directory may have been moved, or have another work tree; a folder without git is another one elsewhere.
  const counts = known === "here" || (known === "elsewhere" && git !== undefined);
  if (id !== undefined && counts) return { id, root, ...(git && { git }) };
  if (isBrief) return { id: "", root, ...(git && { git }) };
  const made = randomBytes(16).toString("hex");
  await files.writeWhole(path, `${made}\n`);
  // Of two that make one at a time both go on with what stands there then.
  return { id: (await readID(files, path)) ?? made, root, ...(git && { git }) };
}

async function readID(files: Files, path: string): Promise<string | undefined> {
  if ((await files.statItself(path))?.kind !== "file") return undefined;
  const text = new TextDecoder().decode((await files.read(path)) ?? new Uint8Array()).trim();
  return ID.test(text) ? text : undefined;
}
