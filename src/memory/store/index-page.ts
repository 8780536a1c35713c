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
import { isCurrent, type Memory } from "../memory.js";
import { type RankedPart, rankMemories, type Use } from "../rank.js";
import type { Collection } from "./collection.js";

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

interface IndexWriterOptions {
  clock: Clock;
  files: Files;
  locks: Locks;
  log: Log;
  limits: IndexLimits;
  useOf(id: string): Use | undefined;
}

const DELAY_MS = 1_000;

const formatPersons = (path: string): string =>
  `${path} was written by a person, so Strata does not write its index there. Move the file to get an index`;

export type IndexWriter = ReturnType<typeof createIndexWriter>;

/** A folder of memories, as its page needs it. */
type Indexed = Pick<Collection, "memories" | "place" | "scan">;

export function createIndexWriter(options: IndexWriterOptions) {
  const { clock, files, limits, locks, log, useOf } = options;
  const waiting = new Set<Indexed>();
  let stop: (() => void) | undefined;
  let writing: Promise<void> = Promise.resolve();

  return { touch, flush };

  /** Schedules a rewrite of this folder's page. */
  function touch(collection: Indexed): void {
    waiting.add(collection);
    stop ??= clock.after(DELAY_MS, () => void flush());
  }

  /** Resolves when all touched pages are written. Never rejects. */
  function flush(): Promise<void> {
    stop?.();
    stop = undefined;
    writing = writing.then(async () => {
      for (const one of [...waiting]) {
        waiting.delete(one);
        await write(one).catch((thrown) => {
          // With the next change, or at the end.
          waiting.add(one);
          log.warn("memory", `cannot write ${join(one.place.folder, "MEMORY.md")}: ${formatError(thrown)}`);
        });
      }
    });
    return writing;
  }

  async function write({ memories, place, scan }: Indexed): Promise<void> {
    const path = join(place.folder, "MEMORY.md");
    const list = (): readonly Memory[] => memories().filter(isCurrent);
    const format = () => formatIndex(rankMemories(list(), useOf, clock.now()), limits);
    // Who only lists has just read them all: mostly the page says so already.
    if ((await readPlainText(files, path)) === format()) return;
    // Read under the lock: of two concurrent writers, the last has seen both changes.
    await locks.withLock(join(place.state, "index.lock"), async ({ check }) => {
      await scan();
      const stat = await files.statItself(path);
      // A link counts as a person's page: the index is never written through it.
      const there = stat && (stat.kind === "file" ? ((await readText(files, path)) ?? "") : "");
      if (there === undefined && list().length === 0) return;
      if (there?.startsWith(INDEX_MARK) === false) return log.warn("memory", formatPersons(path));
      const page = format();
      await check();
      if (page !== there) await files.writeWhole(path, page);
    });
  }
}
