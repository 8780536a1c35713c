/**
 * The file system, with what is ours kept apart from what is not. For a path of ours (own-folders.ts):
 *
 *     a folder on it leads out   nothing is there to read, and what would write throws EELSEWHERE
 *     a link is in its place     nothing is there to read; what writes puts our own file there, and the link is gone
 *
 * Either way nothing behind the link is looked at or changed, and `report` is told once. Other paths, such as the files
 * of the project and its configuration, are as they were: their links are followed.
 */
import { randomUUID } from "node:crypto";
import { dirname } from "node:path";
import { StrataError } from "./error.js";
import { findOwnFolder, findOwnPlace, findWayOut, formatWayOut, type WayOut } from "./own-folders.js";
import type { Clock } from "./seams/clock.js";
import type { FileStat, Files } from "./seams/files.js";

export interface OwnFilesOptions {
  files: Files;
  clock: Clock;
  /** Where links of the user's may lead to; asked only when one is found. */
  listLinked(this: void): Promise<readonly string[]>;
  report(this: void, message: string): void;
}

/** What is written in one go is looked at once. A link that is planted is found out about by the next. */
const LOOK_LASTS_MS = 100;
/** A repository may bring thousands of links; so many are told of. */
const MOST_REPORTS = 50;

export function createOwnFiles(options: OwnFilesOptions): Files {
  const { clock, files, listLinked } = options;
  const looks = new Map<string, { atMs: number; found: Promise<WayOut | undefined> }>();
  const reported = new Set<string>();

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
      await refuseWayOut(path);
      await files.writeWhole(path, contents, given);
    },

    async create(path, contents) {
      await refuseWayOut(path);
      if (await files.create(path, contents)) return true;
      return (await clearLink(path)) && files.create(path, contents);
    },

    async appendLine(path, line) {
      await refuseWayOut(path);
      try {
        await files.appendLine(path, line);
      } catch (thrown) {
        if (!isLoop(thrown) || !(await clearLink(path))) throw thrown;
        await files.appendLine(path, line);
      }
    },

    async rename(from, to) {
      if (await leadsOut(dirname(from))) return;
      await refuseWayOut(to);
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
      return await read({ links: "refused" });
    } catch (thrown) {
      if (!isLoop(thrown)) throw thrown;
      reportLink(path);
      return undefined;
    }
  }

  /** A folder that the user has linked on purpose is a folder. */
  async function statOwn(path: string): Promise<FileStat | undefined> {
    if (await leadsOut(dirname(path))) return undefined;
    const stat = await files.statItself(path);
    if (stat?.kind !== "link" || !isPart(path) || (await leadsOut(path))) return stat;
    return files.stat(path);
  }

  async function refuseWayOut(path: string): Promise<void> {
    const out = await look(dirname(path));
    if (out) throw new StrataError("EELSEWHERE", formatWayOut(out));
  }

  async function leadsOut(folder: string): Promise<boolean> {
    return (await look(folder)) !== undefined;
  }

  async function look(folder: string): Promise<WayOut | undefined> {
    if (!findOwnFolder(folder)) return undefined;
    const nowMs = clock.now();
    const known = looks.get(folder);
    if (known && Math.abs(nowMs - known.atMs) < LOOK_LASTS_MS) return known.found;
    const found = findWayOut(files, folder, listLinked);
    looks.set(folder, { atMs: nowMs, found });
    try {
      const out = await found;
      if (out) report(out.folder, formatWayOut(out));
      return out;
    } catch (thrown) {
      looks.delete(folder);
      throw thrown;
    }
  }

  /**
   * Makes room for a file of ours. Somebody else may have done so meanwhile and have a file there by now: that is put
   * back, since only a link may go.
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

  function reportLink(path: string): void {
    report(
      path,
      `${path} is a link and no file of ours: it is not read, and the next write puts a file there`,
    );
  }

  function report(path: string, message: string): void {
    if (reported.has(path) || reported.size >= MOST_REPORTS) return;
    reported.add(path);
    options.report(message);
  }
}

/** Is it one of the folders that a person may keep elsewhere as a whole? */
function isPart(path: string): boolean {
  const top = findOwnPlace(path)?.top;
  return top !== undefined && (dirname(path) === top || dirname(dirname(path)) === top);
}

const isLoop = (thrown: unknown): boolean => (thrown as { code?: unknown }).code === "ELOOP";
