/** Applies ledger lines to memory files. Follows no link. Call under the lock. */
import { basename, dirname, join } from "node:path";
import { hashOf } from "../../base/hash.js";
import { settleAll } from "../../base/settle-all.js";
import type { Files } from "../../io/files.js";
import type { HeldLock } from "../../io/locks.js";
import type { LedgerLine } from "./ledger-line.js";
import { createWayFinder, findObstacle, type Way } from "./obstacle.js";

export interface LineFiles {
  /**
   * Applies the changes of lines about different files concurrently. Per line: `false`, without effect, if its file
   * matches neither the state before nor after. If one fails, rejects after all have ended.
   */
  apply(lock: Pick<HeldLock, "check">, lines: readonly LedgerLine[]): Promise<boolean[]>;
  /** True for each line whose file is in the state after the line. */
  areDone(lines: readonly LedgerLine[]): Promise<boolean[]>;
  /** Removes temporary files that a process killed while writing these files left behind. */
  removeTorn(paths: readonly string[]): Promise<void>;
}

/** The suffix of a temporary file: a number or a UUID. */
const TORN = /^(.*)\.(?:\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/s;

/** `null` if there is no file; `undefined`, which matches no line, if the path is blocked or not a file. */
type Hash = string | null | undefined;

export function createLineFiles(files: Files, folder: string): LineFiles {
  return {
    async apply(lock, lines) {
      const hashAt = createHashing();
      const found = await settleAll(
        lines.map(async ({ from, path }) => ({
          there: await hashAt(path),
          source: from === undefined ? null : await hashAt(from),
        })),
      );
      await lock.check();
      return settleAll(lines.map((line, n) => applyOne(line, found[n])));
    },

    async areDone(lines) {
      const hashAt = createHashing();
      const found = await Promise.all(lines.map(({ path }) => hashAt(path)));
      return lines.map(({ after }, n) => after !== null && found[n] === after);
    },

    async removeTorn(paths) {
      const folders = new Map<string, Set<string>>();
      for (const path of new Set(paths)) {
        if (await findObstacle(files, folder, path)) continue;
        const names = folders.get(dirname(path)) ?? new Set();
        folders.set(dirname(path), names.add(basename(path)));
      }
      for (const [under, names] of folders)
        for (const name of await files.list(join(folder, under))) {
          const [, own] = TORN.exec(name) ?? [];
          const path = join(folder, under, name);
          if (own === undefined || !names.has(own)) continue;
          if ((await files.statItself(path))?.kind === "file") await files.remove(path);
        }
    },
  };

  async function applyOne(
    { path: to, from, before, after, contents }: LedgerLine,
    { source, there }: { there?: Hash; source?: Hash } = {},
  ): Promise<boolean> {
    const target = join(folder, to);
    if (from !== undefined) {
      if (there !== null) return there === after && source === null;
      if (source !== before) return false;
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
  }

  function createHashing(): (path: string) => Promise<Hash> {
    const findWay = createWayFinder(files, folder);
    return async (path) => hashOn(path, await findWay(path));
  }

  async function hashOn(path: string, way: Way): Promise<Hash> {
    if (way.kind === "missing") return null;
    if (way.kind === "blocked" || way.stat.kind !== "file") return undefined;
    const contents = await files.read(join(folder, path));
    return contents ? hashOf(contents) : null;
  }
}
