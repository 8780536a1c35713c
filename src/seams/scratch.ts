import { mkdtemp, realpath, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of one's own for a while. */
export interface Scratch {
  readonly path: string;
  /** Removes it with everything in it. */
  remove(): Promise<void>;
}

/** Makes a folder among the system's temporary ones. */
export async function createScratch(prefix: string): Promise<Scratch> {
  const path = await realpath(await mkdtemp(join(tmpdir(), prefix)));
  // A process that was writing here a moment ago may still hold files open.
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Bytes free on the disk that a folder is on; `undefined` where the system does not say. */
export async function readFreeBytes(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
