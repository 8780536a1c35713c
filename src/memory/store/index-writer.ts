/**
 * Keeps each folder's `MEMORY.md` current: writes it a moment after the first of several changes, so that many cost one
 * write, and at once on `flush`. Leaves a page alone if a person wrote it.
 */
import { join } from "node:path";
import { formatError } from "../../base/error.js";
import type { Clock } from "../../io/clock.js";
import { type Files, readText } from "../../io/files.js";
import type { Locks } from "../../io/locks.js";
import type { Log } from "../../io/log.js";
import type { Memory } from "../memory.js";
import { rankMemories, type Use } from "../rank.js";
import { formatIndex, INDEX_MARK, type IndexLimits } from "./index-page.js";

export interface IndexWriter {
  /** Schedules a rewrite of this folder's index. */
  touch(place: IndexPlace): void;
  /** Resolves when all touched indexes are written. Never rejects. */
  flush(): Promise<void>;
}

export interface IndexPlace {
  folder: string;
  /** Machine state. */
  state: string;
  /** The memories that belong in it, as they are now. */
  read(): Promise<readonly Memory[]>;
}

export interface IndexWriterOptions {
  clock: Clock;
  files: Files;
  locks: Locks;
  log: Log;
  limits: IndexLimits;
  useOf(id: string): Use | undefined;
}

const DELAY_MS = 1_000;
/** Ratio of a delay to the duration of the previous round. */
const DELAY_SHARE = 10;
/** Limits the delay after a clock change or a hung disk. */
const MOST_MS = 3_000;

export function createIndexWriter(options: IndexWriterOptions): IndexWriter {
  const { clock, files, locks, log, limits, useOf } = options;
  const waiting = new Set<IndexPlace>();
  const reported = new Set<string>();
  let stop: (() => void) | undefined;
  let writing: Promise<void> = Promise.resolve();
  /** Duration of the last round: while thousands of memories change, most of the time is for them. */
  let tookMs = 0;

  return {
    touch(place) {
      waiting.add(place);
      stop ??= clock.after(Math.max(DELAY_MS, DELAY_SHARE * tookMs), () => void flush());
    },
    flush,
  };

  function flush(): Promise<void> {
    stop?.();
    stop = undefined;
    writing = writing.then(async () => {
      const startedMs = clock.now();
      for (const place of [...waiting]) {
        waiting.delete(place);
        await write(place).catch((thrown) =>
          report(`cannot write ${join(place.folder, "MEMORY.md")}: ${formatError(thrown)}`),
        );
      }
      tookMs = Math.min(MOST_MS, Math.max(0, clock.now() - startedMs));
    });
    return writing;
  }

  async function write({ folder, state, read }: IndexPlace): Promise<void> {
    const path = join(folder, "MEMORY.md");
    // Read under the lock: of two concurrent writers, the last has seen both changes.
    await locks.withLock(join(state, "index.lock"), async ({ check }) => {
      const memories = await read();
      const there = await readPage(path);
      if (there === undefined && memories.length === 0) return;
      if (there !== undefined && !there.startsWith(INDEX_MARK)) {
        report(
          `${path} was written by a person, so Strata does not write its index there. Move the file to get an index`,
        );
        return;
      }
      const page = formatIndex(rankMemories(memories, useOf, clock.now()), limits);
      await check();
      if (page !== there) await files.writeWhole(path, page);
    });
  }

  /** Treats a link as a person's page: the index is never written through a link. */
  async function readPage(path: string): Promise<string | undefined> {
    const stat = await files.statItself(path);
    if (!stat) return undefined;
    if (stat.kind !== "file") return "";
    return (await readText(files, path)) ?? "";
  }

  function report(what: string): void {
    if (!reported.has(what)) log.warn("memory", what);
    reported.add(what);
  }
}
