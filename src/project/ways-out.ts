/** Tells which of Strata's folders lead out of the project, and reports each link once. */
import { StrataError } from "../base/error.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import { findOwnFolder, findWayOut, formatWayOut, type WayOut } from "./own-folders.js";

export interface WaysOut {
  /** Throws the system's error if the folder cannot be read. */
  leadsOut(folder: string): Promise<boolean>;
  /** @throws EELSEWHERE if the folder leads out. */
  refuse(folder: string): Promise<void>;
  /** Reports a link in place of a Strata file. */
  reportLink(path: string): void;
}

export interface WaysOutOptions {
  files: Pick<Files, "realPath" | "statItself">;
  clock: Clock;
  /** Folders to which the user's links may lead; called only if there is a link. */
  listLinked(this: void): Promise<readonly string[]>;
  report(this: void, message: string): void;
}

/** Writes in quick succession check once. A link created meanwhile is seen at the next check. */
const LOOK_LASTS_MS = 100;
/** A repository may contain thousands of links. */
const MOST_REPORTS = 50;

export function createWaysOut({ clock, files, listLinked, report }: WaysOutOptions): WaysOut {
  const looks = new Map<string, { atMs: number; found: Promise<WayOut | undefined> }>();
  const reported = new Set<string>();

  return {
    leadsOut: async (folder) => (await look(folder)) !== undefined,

    async refuse(folder) {
      const out = await look(folder);
      if (out) throw new StrataError("EELSEWHERE", formatWayOut(out));
    },

    reportLink(path) {
      reportOnce(
        path,
        `${path} is a link, expected a file of Strata: it is not read, and the next write replaces it by a file`,
      );
    },
  };

  async function look(folder: string): Promise<WayOut | undefined> {
    if (!findOwnFolder(folder)) return undefined;
    const nowMs = clock.now();
    const known = looks.get(folder);
    if (known && Math.abs(nowMs - known.atMs) < LOOK_LASTS_MS) return known.found;
    const found = findWayOut(files, folder, listLinked);
    looks.set(folder, { atMs: nowMs, found });
    try {
      const out = await found;
      if (out) reportOnce(out.folder, formatWayOut(out));
      return out;
    } catch (thrown) {
      looks.delete(folder);
      throw thrown;
    }
  }

  function reportOnce(path: string, message: string): void {
    if (reported.has(path) || reported.size >= MOST_REPORTS) return;
    reported.add(path);
    report(message);
  }
}
