/** The user's state folder after this machine has worked in the project. */
import { locateRecord, type ProjectRecord } from "../../src/project/state-owner.js";
import { PROJECT, STATE } from "./fake-host.js";
import type { MemoryFiles } from "./memory-files.js";

const ID = "3f0c7a52-6a0e-4f6b-9c39-0d6a3c1f2b11";

export const STATE_FOLDER = `${PROJECT}/.opencode/strata/state`;

export function recordOf(files: MemoryFiles, project = PROJECT): Promise<ProjectRecord> {
  return locateRecord(files, { project, stateFolder: STATE });
}

/** Marks the project's current machine state as written by this machine. */
export async function ownState(files: MemoryFiles): Promise<void> {
  const { owner } = await recordOf(files);
  await files.writeWhole(owner, JSON.stringify({ v: 1, id: ID, path: PROJECT }));
  await files.writeWhole(`${STATE_FOLDER}/owner`, `${ID}\n`);
}

/** Marks these sessions as ones of this machine. */
export async function haveSeen(files: MemoryFiles, ...sessionIDs: string[]): Promise<void> {
  const { sessions } = await recordOf(files);
  for (const id of sessionIDs) await files.appendLine(sessions, id);
}
