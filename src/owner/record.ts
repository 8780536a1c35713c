/**
 * What this user's machine knows of a project, kept outside of it, where no repository reaches:
 *
 *     <state folder>/key                            the key of `seal.ts`
 *     <state folder>/projects/<id>/owner.json       whose the machine state in the project is: `state-owner.ts`
 *     <state folder>/projects/<id>/sessions.txt     sessions that were had there: `seen-sessions.ts`
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Files } from "../seams/files.js";

/** Where it lies. */
export interface ProjectRecord {
  folder: string;
  owner: string;
  lock: string;
  sessions: string;
}

const ID_CHARACTERS = 32;

/** By the project's real path: a copy, or a clone of the same repository elsewhere, is another project. */
export async function locateRecord(
  files: Files,
  { project, stateFolder }: { project: string; stateFolder: string },
): Promise<ProjectRecord> {
  const path = (await files.realPath(project)) ?? project;
  const id = createHash("sha256").update(path).digest("hex").slice(0, ID_CHARACTERS);
  return planRecord(join(stateFolder, "projects", id));
}

/** Is it the name of such a folder? */
export const isRecordName = (name: string): boolean => /^[0-9a-f]{32}$/.test(name);

export function planRecord(folder: string): ProjectRecord {
  return {
    folder,
    owner: join(folder, "owner.json"),
    // Beside the folder: that one is only there where something is known.
    lock: `${folder}.lock`,
    sessions: join(folder, "sessions.txt"),
  };
}
