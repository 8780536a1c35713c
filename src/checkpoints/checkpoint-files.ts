/** Checkpoints on disk, in this machine's record of the project. All calls reject with the system's error. */
import { join } from "node:path";
import { StrataError } from "../error.js";
import { findLaterVersionIn, formatLater } from "../record/version.js";
import { type Files, readText } from "../seams/files.js";
import {
  type Checkpoint,
  formatCheckpoint,
  isAuto,
  nameCheckpoint,
  parseCheckpoint,
  readCheckpointName,
} from "./checkpoint.js";

export interface CheckpointFiles {
  /** Returns the path. */
  write(checkpoint: Checkpoint): Promise<string>;
  /** `undefined` if there is none of this id. @throws StrataError LATER for one of a newer Strata */
  read(id: string): Promise<Checkpoint | undefined>;
  /**
   * At most this many: those that people asked for, then the plugin's own, the newest first in each. One that cannot be
   * read is left out.
   */
  list(most: number): Promise<Checkpoint[]>;
  /** Returns whether there was one. */
  remove(id: string): Promise<boolean>;
}

export interface CheckpointFilesOptions {
  files: Files;
  /** The folder of the project's record. */
  locate(): Promise<string>;
}

export function createCheckpointFiles({ files, locate }: CheckpointFilesOptions): CheckpointFiles {
  return {
    async write(checkpoint) {
      const path = join(await locate(), nameCheckpoint(checkpoint));
      await files.writeWhole(path, formatCheckpoint(checkpoint));
      return path;
    },

    async read(id) {
      const path = await find(id);
      const text = path === undefined ? undefined : await readText(files, path);
      if (path === undefined || text === undefined) return undefined;
      const version = findLaterVersionIn(text);
      if (version !== undefined) throw new StrataError("LATER", formatLater(path, version));
      return parseCheckpoint(text);
    },

    async list(most) {
      const folder = await locate();
      const dated = await Promise.all(
        (await files.list(folder)).map(async (name) => {
          const path = join(folder, name);
          const stat = readCheckpointName(name) === undefined ? undefined : await files.stat(path);
          return stat?.kind === "file"
            ? [{ path, modifiedMs: stat.modifiedMs, rank: isAuto(name) ? 1 : 0 }]
            : [];
        }),
      );
      const newest = dated.flat().sort((a, b) => a.rank - b.rank || b.modifiedMs - a.modifiedMs);
      const found: Checkpoint[] = [];
      for (const { path } of newest.slice(0, most)) {
        const checkpoint = await parseCheckpoint((await readText(files, path)) ?? "");
        if (checkpoint) found.push(checkpoint);
      }
      return found;
    },

    async remove(id) {
      const path = await find(id);
      if (path !== undefined) await files.remove(path);
      return path !== undefined;
    },
  };

  async function find(id: string): Promise<string | undefined> {
    const folder = await locate();
    const name = (await files.list(folder)).find((one) => readCheckpointName(one) === id);
    return name === undefined ? undefined : join(folder, name);
  }
}
