/**
 * What this user's machine knows about a project, stored outside of it, out of reach of any repository:
 *
 *     <state folder>/key                            the key of `own.ts`
 *     <state folder>/projects/<id>/owner.json       owner of the machine state in the project: `state-owner.ts`
 *     <state folder>/projects/<id>/sessions.txt     sessions that ran there: `own.ts`
 *     <state folder>/projects/<id>/candidates.json  what may become a memory; dropped.json, repeats.json, judgements.jsonl: `candidates/`
 *     <state folder>/projects/<id>/context-requests.jsonl  what people asked about contexts: `steering/`
 *     <state folder>/projects/<id>/sync*            the remote of its memories, and its known state: `sync/`
 *     <state folder>/projects/<id>/checkpoint-*.json  states of sessions, and attached-*.json: `checkpoints/`
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Files } from "../io/files.js";

/** Paths of the record. */
export interface ProjectRecord {
  folder: string;
  owner: string;
  lock: string;
  sessions: string;
  candidates: string;
  candidatesLock: string;
  /** Hashes of dropped candidates. */
  dropped: string;
  /** Why messages were kept or not. */
  judgements: string;
  /** What was said in several sessions. */
  repeats: string;
  contextRequests: string;
}

const ID_CHARACTERS = 32;

/** Found by the project's real path: a copy, or another clone of the same repository, is another project. */
export async function locateRecord(
  files: Files,
  { project, stateFolder }: { project: string; stateFolder: string },
): Promise<ProjectRecord> {
  const path = (await files.realPath(project)) ?? project;
  const id = createHash("sha256").update(path).digest("hex").slice(0, ID_CHARACTERS);
  return planRecord(join(stateFolder, "projects", id));
}

/** Is it the name of a project's record folder? */
export const isRecordName = (name: string): boolean => /^[0-9a-f]{32}$/.test(name);

export function planRecord(folder: string): ProjectRecord {
  return {
    folder,
    owner: join(folder, "owner.json"),
    // Beside the folder, which exists only if something is known.
    lock: `${folder}.lock`,
    sessions: join(folder, "sessions.txt"),
    candidates: join(folder, "candidates.json"),
    candidatesLock: join(folder, "candidates.lock"),
    dropped: join(folder, "dropped.json"),
    judgements: join(folder, "judgements.jsonl"),
    repeats: join(folder, "repeats.json"),
    contextRequests: join(folder, "context-requests.jsonl"),
  };
}
