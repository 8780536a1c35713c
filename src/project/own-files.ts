/**
 * `Files` that never follows a link out of the project on Strata's own paths (own-folders.ts):
 *
 *     a parent folder leads out   reads find nothing, writes throw EELSEWHERE
 *     the path itself is a link   reads find nothing, a write replaces the link by a file
 *
 * Either way nothing behind the link is read or changed, and `report` is called once. Other paths, such as the
 * project's files and its configuration, follow links as usual.
 */
import { randomUUID } from "node:crypto";
import { dirname } from "node:path";
import { StrataError } from "../base/error.js";
import type { Clock } from "../io/clock.js";
import type { FileStat, Files } from "../io/files.js";
import { findOwnFolder, findOwnPlace, findWayOut, formatWayOut, type WayOut } from "./own-folders.js";

export type OwnFilesOptions = WaysOutOptions & { files: Files };

export function createOwnFiles(options: OwnFilesOptions): Files {
  const { files } = options;
  const { leadsOut, refuse, reportLink } = createWaysOut(options);

  return {
    read: (path, given) => readOwn(path, given, (asked) => files.read(path, asked)),
    readFrom: (path, offset, given) => readOwn(path, given, (asked) => files.readFrom(path, offset, asked)),

    async stat(path) {
      if (!findOwnPlace(path)) return files.stat(path);
      const stat = await statOwn(path);
      if (stat?.kind === "link") reportLink(path);
      return stat?.kind === "link" ? undefined : stat;
    },

    async statItself(path) {
      return findOwnPlace(path) ? statOwn(path) : files.statItself(path);
    },

    realPath: (path) => files.realPath(path),
    list: async (folder) => ((await leadsOut(folder)) ? [] : files.list(folder)),

    async writeWhole(path, contents, given) {
      await refuse(dirname(path));
      await files.writeWhole(path, contents, given);
    },

    async create(path, contents) {
      await refuse(dirname(path));
      if (await files.create(path, contents)) return true;
      return (await clearLink(path)) && files.create(path, contents);
    },

    async appendLine(path, line) {
      await refuse(dirname(path));
      try {
        await files.appendLine(path, line);
      } catch (thrown) {
        if (!isLoop(thrown) || !(await clearLink(path))) throw thrown;
        await files.appendLine(path, line);
      }
    },

    async rename(from, to) {
      if (await leadsOut(dirname(from))) return;
      await refuse(dirname(to));
      await files.rename(from, to);
    },

    async touch(path, timeMs) {
      if (!(await leadsOut(dirname(path)))) await files.touch(path, timeMs);
    },

    async remove(path) {
      if (!(await leadsOut(dirname(path)))) await files.remove(path);
    },
  };

  async function readOwn(
    path: string,
    given: Parameters<Files["read"]>[1],
    read: (asked: Parameters<Files["read"]>[1]) => Promise<Uint8Array | undefined>,
  ): Promise<Uint8Array | undefined> {
    if (!findOwnPlace(path)) return read(given);
    if (await leadsOut(dirname(path))) return undefined;
    try {
      return await read({ ...given, links: "refused" });
    } catch (thrown) {
      if (!isLoop(thrown)) throw thrown;
      reportLink(path);
      return undefined;
    }
  }

  /** A folder that the user linked on purpose counts as a folder. */
  async function statOwn(path: string): Promise<FileStat | undefined> {
    const stat = await files.statItself(path);
    // What is not there needs no further look, and some files are asked about with every request.
    if (!stat || (await leadsOut(dirname(path)))) return undefined;
    if (stat.kind !== "link" || !isPart(path) || (await leadsOut(path))) return stat;
    return files.stat(path);
  }

  /**
   * Removes a link from the path of a Strata file. If another process has replaced the link by a file meanwhile, that
   * file is put back: only links are removed.
   */
  async function clearLink(path: string): Promise<boolean> {
    if (!findOwnPlace(path) || (await files.statItself(path))?.kind !== "link") return false;
    reportLink(path);
    const aside = `${path}.${randomUUID()}`;
    await files.rename(path, aside);
    if ((await files.statItself(aside))?.kind === "file") {
      const contents = await files.read(aside);
      if (contents) await files.create(path, contents);
    }
    await files.remove(aside);
    return true;
  }
}

/** Is the path one of the folders that a person may keep elsewhere? */
function isPart(path: string): boolean {
  const top = findOwnPlace(path)?.top;
  return top !== undefined && (dirname(path) === top || dirname(dirname(path)) === top);
}

const isLoop = (thrown: unknown): boolean => (thrown as { code?: unknown }).code === "ELOOP";

/* Tells which of Strata's folders lead out of the project, and reports each link once. */

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
