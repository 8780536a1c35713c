/** Checkpoints on disk, in this machine's record of the project. All calls reject with the system's error. */
import { join } from "node:path";
import { StrataError } from "../../base/error.js";
import { type Files, readText } from "../../io/files.js";
import {
  type Checkpoint,
  formatCheckpoint,
  isAuto,
  nameCheckpoint,
  parseCheckpoint,
  readCheckpointName,
} from "./checkpoint.js";

export interface CheckpointFiles {
  /** Returns the path. Removes the plugin's own oldest checkpoints beyond a hundred. */
  write(checkpoint: Checkpoint): Promise<string>;
  /** `undefined` if none has this id. @throws StrataError DAMAGED */
  read(id: string): Promise<Checkpoint | undefined>;
  /**
   * At most `most`: those that people requested, then the plugin's own, each newest first. Skips unreadable
   * ones.
   */
  list(most: number): Promise<Checkpoint[]>;
  /** Returns whether it existed. */
  remove(id: string): Promise<boolean>;
}

export interface CheckpointFilesOptions {
  files: Files;
  /** The folder of the project's record. */
  locate(): Promise<string>;
}

interface Dated {
  path: string;
  modifiedMs: number;
  isAuto: boolean;
}

/** Maximum number of the plugin's own checkpoints; the largest is about 400 kB. */
const MOST_AUTO = 100;

export function createCheckpointFiles({ files, locate }: CheckpointFilesOptions): CheckpointFiles {
  return {
    async write(checkpoint) {
      const path = join(await locate(), nameCheckpoint(checkpoint));
      await files.writeWhole(path, formatCheckpoint(checkpoint));
      if (checkpoint.occasion !== "asked") await removeOldest();
      return path;
    },

    async read(id) {
      const path = await find(id);
      const text = path === undefined ? undefined : await readText(files, path);
      if (path === undefined || text === undefined) return undefined;
      const checkpoint = await parseCheckpoint(text);
      if (checkpoint) return checkpoint;
      throw new StrataError(
        "DAMAGED",
        `${path} is damaged and cannot be read; strata checkpoint --remove ${id} removes it`,
      );
    },

    async list(most) {
      const dated = await listDated();
      const sorted = dated.sort((a, b) => Number(a.isAuto) - Number(b.isAuto) || b.modifiedMs - a.modifiedMs);
      const found: Checkpoint[] = [];
      for (const { path } of sorted.slice(0, most)) {
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

  async function listDated(): Promise<Dated[]> {
    const folder = await locate();
    const dated = await Promise.all(
      (await files.list(folder)).map(async (name) => {
        const path = join(folder, name);
        const stat = readCheckpointName(name) === undefined ? undefined : await files.stat(path);
        return stat?.kind === "file" ? [{ path, modifiedMs: stat.modifiedMs, isAuto: isAuto(name) }] : [];
      }),
    );
    return dated.flat();
  }

  async function removeOldest(): Promise<void> {
    const names = (await files.list(await locate())).filter(isAuto);
    if (names.length <= MOST_AUTO) return;
    const auto = (await listDated()).filter((one) => one.isAuto);
    const sorted = auto.sort((a, b) => b.modifiedMs - a.modifiedMs);
    for (const { path } of sorted.slice(MOST_AUTO)) await files.remove(path);
  }

  async function find(id: string): Promise<string | undefined> {
    const folder = await locate();
    const name = (await files.list(folder)).find((one) => readCheckpointName(one) === id);
    return name === undefined ? undefined : join(folder, name);
  }
}
