/**
 * `errors.log`: append-only, written by several processes. It is rotated at a size limit: it replaces `errors.log.1`, so
 * that the total size is bounded and the oldest entries go first. A lock guards the rotation, since two in a row would
 * discard everything. A line appended during the rename ends up in `errors.log.1`, which is read as well.
 *
 * The file is in the project, so anybody may have written it. Each line ends with a mark over its content that only this
 * user's machine can make; lines without a valid mark stay in the file, but are not answered from.
 */
import { basename, dirname, join } from "node:path";
import { StrataError } from "../../src/error.js";
import type { Locks } from "../../src/lock/locks.js";
import type { Seal } from "../../src/owner/seal.js";
import { giveWay, takeLines } from "../../src/record/lines.js";
import { type Files, readText } from "../../src/seams/files.js";
import { type Entry, formatEntry, parseEntry } from "./entry.js";

/** A line of the log. */
export interface LogLine {
  readonly entry: Entry;
  /** Was it written by this user's machine and not changed since? */
  readonly isOwn: boolean;
}

export interface ErrorLog {
  /**
   * All entries, the older file's first, without those appended by this instance since the last read. Returns the same list
   * until the files are changed otherwise. Throws the system's error.
   */
  read(): Promise<readonly LogLine[]>;
  /** Throws the system's error; some entries may then be written. */
  append(entries: readonly Entry[]): Promise<void>;
}

export interface ErrorLogOptions {
  files: Files;
  locks: Locks;
  path: string;
  /** Path of the lock for rotation. */
  lock: string;
  seal: Seal;
  /** Number of entries at which the current file is rotated; default: rotation by size only. */
  maxLines?: number;
}

/** About 700 entries; both files are read in a few milliseconds. */
export const ROTATE_AT_BYTES = 150_000;
/** Entries checked between pauses; more than the plugin's own files have. */
const CHECKED_AT_A_TIME = 2_000;

export function createErrorLog(options: ErrorLogOptions): ErrorLog {
  const { files, locks, path, lock, seal, maxLines = Number.POSITIVE_INFINITY } = options;
  let isIgnored = false;
  /** `count`: number of entries in the current file. */
  let cached: { sizes: Sizes; lines: readonly LogLine[]; count: number } | undefined;

  return {
    async read() {
      const sizes = await readSizes();
      if (!cached || !isSame(cached.sizes, sizes)) {
        const [earlier, current] = [
          await readEntries(files, earlierOf(path)),
          await readEntries(files, path),
        ];
        cached = { sizes, lines: await checkAll([...earlier, ...current]), count: current.length };
      }
      return cached.lines;
    },

    async append(entries) {
      if (entries.length === 0) return;
      if (!isIgnored) await keepLogOutOfGit(files, path);
      isIgnored = true;
      const [before] = await readSizes();
      if (before > ROTATE_AT_BYTES || (cached?.count ?? 0) >= maxLines) await rotate(before);
      for (const entry of entries) await appendEntry(await formatMarked(entry));
    },
  };

  /** Pauses regularly, since a file from a repository may have any number of entries. */
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
    // A different size at the next read means that another process has written, and all is read again.
    if (!cached) return;
    cached.sizes = [cached.sizes[0] + Buffer.byteLength(line) + 1, cached.sizes[1]];
    cached.count++;
  }

  /** Sizes of both files, the current one first. */
  async function readSizes(): Promise<Sizes> {
    return [(await files.stat(path))?.bytes ?? 0, (await files.stat(earlierOf(path)))?.bytes ?? 0];
  }

  /** Does nothing if another process holds the lock. */
  async function rotate(sizeBytes: number): Promise<void> {
    const rename = async (): Promise<void> => {
      // Another process may have rotated before this one got the lock; then the file is smaller.
      if (((await files.stat(path))?.bytes ?? 0) < sizeBytes || sizeBytes === 0) return;
      await files.rename(path, earlierOf(path));
      cached = undefined;
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

/** All entries, the older file's first. Throws the system's error. */
export async function readErrorLog(files: Files, path: string): Promise<Entry[]> {
  return [...(await readEntries(files, earlierOf(path))), ...(await readEntries(files, path))];
}

async function readEntries(files: Files, path: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  await takeLines(files, path, (await files.read(path)) ?? new Uint8Array(), (line) => {
    const entry = parseEntry(line);
    if (entry) entries.push(entry);
  });
  return entries;
}

/** Adds the log to .gitignore: failures of one machine should not be committed. A person's own entry stays. */
async function keepLogOutOfGit(files: Files, path: string): Promise<void> {
  const ignore = join(dirname(path), ".gitignore");
  const name = basename(path);
  const text = (await readText(files, ignore)) ?? "";
  if (!text.includes(name) && !/^\*$/m.test(text)) await files.appendLine(ignore, `/${name}*`);
}
