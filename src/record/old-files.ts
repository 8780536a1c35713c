import { join } from "node:path";
import type { Files } from "../seams/files.js";

/** Removes what lies in this folder and was last written before that time. Rejects with the system's error. */
export async function removeOlder(files: Files, folder: string, beforeMs: number): Promise<void> {
  for (const name of await files.list(folder)) {
    const path = join(folder, name);
    const stat = await files.stat(path);
    if (stat && stat.modifiedMs < beforeMs) await files.remove(path);
  }
}
