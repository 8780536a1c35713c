/** Where a sync stores its state: see `sync-state.ts`. */
import { join } from "node:path";
import type { Files } from "../io/files.js";
import { locateRecord } from "../project/state-owner.js";
import type { Scope } from "./bare-repository.js";

export interface SyncPlace {
  scope: Scope;
  folder: string;
}

/** Exists if the user has chosen a remote. */
export const SYNC_CONFIG = "sync.json";
/** Folder for the sync of global memories, in the user's state folder. */
const GLOBAL_SYNC = "sync-global";

/** `project` is the one that the memories belong to. Rejects with the system's error. */
export async function locateSync(
  files: Files,
  scope: Scope,
  { project, stateFolder }: { project: string; stateFolder: string },
): Promise<SyncPlace> {
  if (scope === "global") return { scope, folder: join(stateFolder, GLOBAL_SYNC) };
  return { scope, folder: (await locateRecord(files, { project, stateFolder })).folder };
}
