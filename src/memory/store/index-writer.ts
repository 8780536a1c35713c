/**
 * Keeps `MEMORY.md` of each folder as its files are: written a moment after the last change, so that many changes cost
 * one writing, and again when somebody waits for it. A page that a person has written under this name is left alone.
 */
import { join } from "node:path";
import { formatError } from "../../error.js";
import type { Locks } from "../../lock/locks.js";
import type { Log } from "../../record/log.js";
import type { Clock } from "../../seams/clock.js";
import { type Files, readText } from "../../seams/files.js";
import type { Memory } from "../memory.js";
import { rankMemories, type Use } from "../rank.js";
import { formatIndex, INDEX_MARK, type IndexLimits } from "./index-page.js";

export interface IndexWriter {
  /** The index of this folder is to be written anew. */
  touch(place: IndexPlace): void;
  /** Resolves when those that were touched are written. Never rejects. */
  flush(): Promise<void>;
}

export interface IndexPlace {
  folder: string;
  /** Machine state. */
  state: string;
  /** Those that belong in it, as they are now. */
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

export function createIndexWriter(options: IndexWriterOptions): IndexWriter {
  const { clock, files, locks, log, limits, useOf } = options;
  const waiting = new Set<IndexPlace>();
  const reported = new Set<string>();
  let stop: (() => void) | undefined;
  let writing: Promise<void> = Promise.resolve();

  return {
    touch(place) {
      waiting.add(place);
      stop ??= clock.after(DELAY_MS, () => void flush());
    },
    flush,
  };

  function flush(): Promise<void> {
    stop?.();
    stop = undefined;
    writing = writing.then(async () => {
      for (const place of [...waiting]) {
        waiting.delete(place);
        await write(place).catch((thrown) =>
          report(`cannot write ${join(place.folder, "MEMORY.md")}: ${formatError(thrown)}`),
        );
      }
    });
    return writing;
  }

  async function write({ folder, state, read }: IndexPlace): Promise<void> {
    const path = join(folder, "MEMORY.md");
    // Read under the lock: of two who write at a time the last one has seen what both have changed.
    await locks.withLock(join(state, "index.lock"), async ({ check }) => {
      const memories = await read();
      const there = await readPage(path);
      if (there === undefined && memories.length === 0) return;
      if (there !== undefined && !there.startsWith(INDEX_MARK)) {
        report(`${path} was written by a person and stays; no index is kept there. Move it, and one is made`);
        return;
      }
      const page = formatIndex(rankMemories(memories, useOf, clock.now()), limits);
      await check();
      if (page !== there) await files.writeWhole(path, page);
    });
  }

  /** The text of a link is nobody's page: it is not written through. */
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
