/**
 * `errors.log`: append-only, several processes at once. Over its size it becomes `errors.log.1`, in the place of the
 * one before, so that both together are bounded and the oldest entries go first. Who may do that is decided by a lock,
 * since two who did it one after the other would leave nothing. A line that lands in the file while it is renamed is
 * in `errors.log.1`, which is read as well.
 *
 * The file lies in the project, so that anybody may have written what stands in it. Each line ends with a mark over all
 * of it that only this user's machine can make; one without it, or that was changed since, stays and is nobody's answer.
 */
import { basename, dirname, join } from "node:path";
import { StrataError } from "../../../src/error.js";
import type { Locks } from "../../../src/lock/locks.js";
import type { Seal } from "../../../src/owner/seal.js";
import { giveWay, takeLines } from "../../../src/record/lines.js";
import { type Files, readText } from "../../../src/seams/files.js";
import { type Entry, formatEntry, parseEntry } from "./entry.js";

/** A line as it stands there. */
export interface LogLine {
  readonly entry: Entry;
  /** Has this user's machine written it, and nobody changed it? */
  readonly isOwn: boolean;
}

export interface ErrorLog {
  /**
   * All entries, the oldest file's first, but for those that were appended here since: the list is another one only
   * when the files were changed otherwise. Throws the system's error.
   */
  read(): Promise<readonly LogLine[]>;
  /** Throws the system's error; some of the entries may have been written then. */
  append(entries: readonly Entry[]): Promise<void>;
}

export interface ErrorLogOptions {
  files: Files;
  locks: Locks;
  path: string;
  /** The lock that decides who turns it over. */
  lock: string;
  seal: Seal;
}

/** Some 700 entries; both files are read in a few milliseconds. */
export const TURN_OVER_BYTES = 150_000;
/** More than our own files have. */
const CHECKED_AT_A_TIME = 2_000;

export function createErrorLog({ files, locks, path, lock, seal }: ErrorLogOptions): ErrorLog {
  let isIgnored = false;
  let cached: { sizes: Sizes; lines: readonly LogLine[] } | undefined;

  return {
    async read() {
      const sizes = await readSizes();
      if (!cached || !isSame(cached.sizes, sizes))
        cached = { sizes, lines: await checkAll(await readErrorLog(files, path)) };
      return cached.lines;
    },

    async append(entries) {
      if (entries.length === 0) return;
      if (!isIgnored) await keepLogOutOfGit(files, path);
      isIgnored = true;
      const [before] = await readSizes();
      if (before > TURN_OVER_BYTES) await turnOver();
      for (const entry of entries) await appendEntry(await formatMarked(entry));
    },
  };

  /** A file that a repository brings may have any number of them. */
  async function checkAll(entries: readonly Entry[]): Promise<LogLine[]> {
    const lines: LogLine[] = [];
    for (let from = 0; from < entries.length; from += CHECKED_AT_A_TIME) {
      if (from > 0) await giveWay(files, path);
      lines.push(...(await Promise.all(entries.slice(from, from + CHECKED_AT_A_TIME).map(check))));
    }
    return lines;
  }

  async function check(entry: Entry): Promise<LogLine> {
    return { entry, isOwn: entry.mark !== undefined && entry.mark === (await markOf(entry)) };
  }

  async function formatMarked(entry: Entry): Promise<string> {
    return formatEntry({ ...entry, mark: await markOf(entry) });
  }

  function markOf({ mark: _, ...entry }: Entry): Promise<string> {
    return seal.mark(`errors.log\n${formatEntry(entry)}`);
  }

  async function appendEntry(line: string): Promise<void> {
    await files.appendLine(path, line);
    // What this adds up to is known; were it more, somebody else has written, and all is read again.
    if (cached) cached.sizes = [cached.sizes[0] + Buffer.byteLength(line) + 1, cached.sizes[1]];
  }

  /** Of both files, the one in use first. */
  async function readSizes(): Promise<Sizes> {
    return [(await files.stat(path))?.bytes ?? 0, (await files.stat(earlierOf(path)))?.bytes ?? 0];
  }

  /** Whoever does not get the lock leaves it to the one who has it. */
  async function turnOver(): Promise<void> {
    const rename = async (): Promise<void> => {
      // Somebody else may have done it while this one came to the lock.
      if (((await files.stat(path))?.bytes ?? 0) > TURN_OVER_BYTES) await files.rename(path, earlierOf(path));
    };
    try {
      await locks.withLock(lock, rename, { waitMs: 0 });
    } catch (thrown) {
      if (!(thrown instanceof StrataError) || thrown.code !== "ELOCKED") throw thrown;
    }
  }
}

type Sizes = readonly [bytes: number, earlierBytes: number];

const isSame = (one: Sizes, other: Sizes): boolean => one[0] === other[0] && one[1] === other[1];

const earlierOf = (path: string): string => `${path}.1`;

/** All entries, the oldest file's first. Throws the system's error. */
export async function readErrorLog(files: Files, path: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const one of [earlierOf(path), path])
    await takeLines(files, one, (await files.read(one)) ?? new Uint8Array(), (line) => {
      const entry = parseEntry(line);
      if (entry) entries.push(entry);
    });
  return entries;
}

/** What failed on one machine is nothing to commit. A person's own line about it stays. */
async function keepLogOutOfGit(files: Files, path: string): Promise<void> {
  const ignore = join(dirname(path), ".gitignore");
  const name = basename(path);
  const text = (await readText(files, ignore)) ?? "";
  if (!text.includes(name) && !/^\*$/m.test(text)) await files.appendLine(ignore, `/${name}*`);
}
