/** Applies ledger lines to memory files. Follows no link. Call under the lock. */
import { basename, dirname, join } from "node:path";
import { hashOf } from "../../hash.js";
import type { HeldLock } from "../../lock/locks.js";
import type { Files } from "../../seams/files.js";
import type { LedgerLine } from "./ledger-line.js";
import { findObstacle, findWay } from "./obstacle.js";

export interface LineFiles {
  /** Applies the line's change; `false`, without effect, if the file matches neither the state before nor after. */
  apply(lock: Pick<HeldLock, "check">, line: LedgerLine): Promise<boolean>;
  /** True if the file is in the state after the line. */
  isDone(line: LedgerLine): Promise<boolean>;
  /** Removes temporary files that a process killed while writing this file left behind. */
  removeTorn(path: string): Promise<void>;
}

/** The suffix of a temporary file: a number or a UUID. */
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

  /** `null` if there is no file; `undefined`, which matches no line, if the path is blocked or not a file. */
  async function hashAt(to: string): Promise<string | null | undefined> {
    const way = await findWay(files, folder, to);
    if (way.kind === "missing") return null;
    if (way.kind === "blocked" || way.stat.kind !== "file") return undefined;
    const contents = await files.read(join(folder, to));
    return contents ? hashOf(contents) : null;
  }
}
