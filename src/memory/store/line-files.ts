/** Brings the files of memories to what lines of the ledger say. No link is followed. Under the lock. */
import { basename, dirname, join } from "node:path";
import { hashOf } from "../../hash.js";
import type { HeldLock } from "../../lock/locks.js";
import type { Files } from "../../seams/files.js";
import type { LedgerLine } from "./ledger-line.js";
import { findObstacle, findWay } from "./obstacle.js";

export interface LineFiles {
  /** Brings the file from what it was before to what it is to be; `false`, and nothing done, where it is neither. */
  apply(lock: Pick<HeldLock, "check">, line: LedgerLine): Promise<boolean>;
  /** Is the file what the line makes it? */
  isDone(line: LedgerLine): Promise<boolean>;
  /** Removes what a process killed in the middle of writing this file left beside it. */
  removeTorn(path: string): Promise<void>;
}

/** The ending of a torn file's name: a number or an ID. */
const TORN = /^\.(\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export function createLineFiles(files: Files, folder: string): LineFiles {
  return {
    async apply(lock, { path: to, from, before, after, contents }) {
      const target = join(folder, to);
      const there = await hashAt(to);
      await lock.check();
      if (from !== undefined) {
        if (there !== null) return there === after && (await hashAt(from)) === null;
        if ((await hashAt(from)) !== before) return false;
        await files.rename(join(folder, from), target);
        return true;
      }
      if (after === null && there === before) {
        await files.remove(target);
        return true;
      }
      if (contents === undefined || there !== before) return there === after;
      if (before === null) return files.create(target, contents);
      await files.writeWhole(target, contents);
      return true;
    },

    isDone: async ({ after, path: to }) => after !== null && (await hashAt(to)) === after,

    async removeTorn(to) {
      if (await findObstacle(files, folder, to)) return;
      const file = join(folder, to);
      for (const other of await files.list(dirname(file))) {
        if (!other.startsWith(basename(file)) || !TORN.test(other.slice(basename(file).length))) continue;
        const path = join(dirname(file), other);
        if ((await files.statItself(path))?.kind === "file") await files.remove(path);
      }
    },
  };

  /** `null` where there is no file; `undefined`, which no line has, where there can be none of ours. */
  async function hashAt(to: string): Promise<string | null | undefined> {
    const way = await findWay(files, folder, to);
    if (way.kind === "missing") return null;
    if (way.kind === "blocked" || way.stat.kind !== "file") return undefined;
    const contents = await files.read(join(folder, to));
    return contents ? hashOf(contents) : null;
  }
}
