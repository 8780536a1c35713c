import { mkdtemp, readdir, realpath, rm, rmdir, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A temporary folder. */
export interface Scratch {
  readonly path: string;
  /** Removes the folder with its contents. */
  remove(): Promise<void>;
}

/** Creates a folder in the system's temporary folder. */
export async function createScratch(prefix: string): Promise<Scratch> {
  const path = await realpath(await mkdtemp(join(tmpdir(), prefix)));
  // Retries because a process that just wrote here may still hold files open.
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Removes this folder and those in it, as far as they are empty. Follows no link. Never rejects. */
export async function removeEmptyFolders(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeEmptyFolders(join(folder, entry.name));
  await rmdir(folder).catch(() => {});
}

/** Free bytes on the folder's disk; `undefined` if the system does not say. */
export async function readFreeBytes(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
