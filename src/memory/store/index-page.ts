/** `MEMORY.md`: an overview of one folder's memories, best first, cut at a line to stay within its limits. */
import { join } from "node:path";
import { formatError } from "../../base/error.js";
import { formatCount } from "../../base/format.js";
import { toLine } from "../../base/text.js";
import type { Clock } from "../../io/clock.js";
import { type Files, readPlainText, readText } from "../../io/files.js";
import type { Locks } from "../../io/locks.js";
import type { Log } from "../../io/log.js";
import { joinLines } from "../fields.js";
import type { Memory } from "../memory.js";
import { type RankedPart, rankMemories, type Use } from "../rank.js";

export interface IndexLimits {
  maxLines: number;
  /** Bytes. */
  maxSize: number;
}

/** First line of a generated index: tells it from a file that a person wrote. */
export const INDEX_MARK =
  "<!-- strata: generated from the files in this folder; edit those, this one is overwritten -->";

const LONGEST_LINE = 200;
const LONGEST_TITLE = 100;

export function formatIndex(parts: readonly RankedPart[], limits: IndexLimits): string {
  const all = parts.reduce((sum, { memories }) => sum + memories.length, 0);
  const lines = [INDEX_MARK, "# Memory", "", `${countMemories(all)}, the most important first.`];
  let left = all;
  for (const { heading, memories } of parts.filter((part) => part.memories.length > 0)) {
    const head = ["", `## ${heading}`, ""];
    for (const [n, memory] of memories.entries()) {
      const more = [...(n === 0 ? head : []), formatLine(memory)];
      const isLast = left === 1;
      const end = isLast ? [] : ["", formatLeftOut(left - 1)];
      if (!fits([...lines, ...more, ...end], limits)) return toText([...lines, "", formatLeftOut(left)]);
      lines.push(...more);
      left--;
    }
  }
  return toText(lines);
}

/** The index line of one memory. */
export function formatLine(memory: Memory): string {
  const { title, type, status, content, id } = memory;
  const file = id.replace(/^(global\/)?(private\/)?/, "");
  const state = status === "active" ? type : `${type}, ${status}`;
  const words = findMore(joinLines(content), title);
  const more = words === "" ? "" : `: ${words}`;
  const line = `- [${escapeTitle(title.slice(0, LONGEST_TITLE))}](${formatTarget(`${file}.md`)}) (${state})${more}`;
  return toLine(line, LONGEST_LINE - 1);
}

/** The content without its title, which is often part of it. */
function findMore(content: string, title: string): string {
  const bare = title.replace(/[\s.。!！…]+$/u, "");
  const at = content.toLowerCase().indexOf(bare.toLowerCase());
  if (bare === "" || at === -1) return content;
  const rest = content.slice(at + bare.length).replace(/^[\s,;:.，。；：!！—–-]+/u, "");
  return rest === "" ? "" : `… ${rest}`;
}

/** A link target that stays readable in every script. */
function formatTarget(path: string): string {
  const encoded = encodeURI(path);
  return encoded === path || /[<>\\\n]/.test(path) ? encoded : `<${path}>`;
}

function formatLeftOut(count: number): string {
  return `${countMemories(count)} more: look in the folders beside this file, or search them with memory_recall.`;
}

const countMemories = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? "memory" : "memories"}`;

const escapeTitle = (title: string): string => title.replace(/[[\]]/g, "\\$&");

const toText = (lines: readonly string[]): string => `${lines.join("\n")}\n`;

function fits(lines: readonly string[], { maxLines, maxSize }: IndexLimits): boolean {
  return lines.length <= maxLines && Buffer.byteLength(toText(lines)) <= maxSize;
}

/*
 * Keeps each folder's page current: writes it a moment after the first of several changes, so that many cost one write,
 * and at once on `flush`. Leaves a page alone if a person wrote it.
 */

/** A folder of memories, and that of its machine state. */
interface IndexPlace {
  folder: string;
  state: string;
}

export interface IndexWriterOptions {
  clock: Clock;
  files: Files;
  locks: Locks;
  log: Log;
  limits: IndexLimits;
  /** The memories that belong in the page of this folder, as they were last seen. */
  known(folder: string): readonly Memory[];
  /** The same as they are now. */
  read(folder: string): Promise<readonly Memory[]>;
  useOf(id: string): Use | undefined;
}

const DELAY_MS = 1_000;

const formatPersons = (path: string): string =>
  `${path} was written by a person, so Strata does not write its index there. Move the file to get an index`;

export type IndexWriter = ReturnType<typeof createIndexWriter>;

export function createIndexWriter(options: IndexWriterOptions) {
  const { clock, files, known, limits, locks, log, read, useOf } = options;
  const waiting = new Map<string, IndexPlace>();
  let stop: (() => void) | undefined;
  let writing: Promise<void> = Promise.resolve();

  return { touch, flush };

  /** Schedules a rewrite of this folder's page. */
  function touch(place: IndexPlace): void {
    waiting.set(place.folder, place);
    stop ??= clock.after(DELAY_MS, () => void flush());
  }

  /** Resolves when all touched pages are written. Never rejects. */
  function flush(): Promise<void> {
    stop?.();
    stop = undefined;
    writing = writing.then(async () => {
      for (const place of [...waiting.values()]) {
        waiting.delete(place.folder);
        await write(place).catch((thrown) => {
          // With the next change, or at the end.
          waiting.set(place.folder, place);
          log.warn("memory", `cannot write ${join(place.folder, "MEMORY.md")}: ${formatError(thrown)}`);
        });
      }
    });
    return writing;
  }

  async function write({ folder, state }: IndexPlace): Promise<void> {
    const path = join(folder, "MEMORY.md");
    const format = (memories: readonly Memory[]) =>
      formatIndex(rankMemories(memories, useOf, clock.now()), limits);
    // Who only lists has just read them all: mostly the page says so already.
    if ((await readPlainText(files, path)) === format(known(folder))) return;
    // Read under the lock: of two concurrent writers, the last has seen both changes.
    await locks.withLock(join(state, "index.lock"), async ({ check }) => {
      const memories = await read(folder);
      const stat = await files.statItself(path);
      // A link counts as a person's page: the index is never written through it.
      const there = stat && (stat.kind === "file" ? ((await readText(files, path)) ?? "") : "");
      if (there === undefined && memories.length === 0) return;
      if (there?.startsWith(INDEX_MARK) === false) return log.warn("memory", formatPersons(path));
      const page = format(memories);
      await check();
      if (page !== there) await files.writeWhole(path, page);
    });
  }
}
