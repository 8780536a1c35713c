/**
 * The ledger of one folder of memories: `ledger/2026-11-3f9a1c22.jsonl`, append-only. A line is one change of one memory. It
 * holds the whole file after the change, so the ledger alone restores every file at any time, and undoing a change means
 * restoring the line before it.
 *
 * One file per month and clone of the repository: two people never write to the same file, so their changes merge
 * without conflict; two instances of one clone do, one call per append. A file of another size is read again. Invalid
 * lines are skipped and reported. Links are not followed.
 */

import { join } from "node:path";
import { hashOf } from "../../base/hash.js";
import {
  each,
  either,
  groupBy,
  isVersion,
  object,
  oneOf,
  optional,
  parseJson,
  string,
} from "../../base/shape.js";
import { type Files, readPlainText } from "../../io/files.js";
import { takeNewLines } from "../../io/json-lines.js";
import type { HeldLock } from "../../io/locks.js";
import type { Log } from "../../io/log.js";
import { findPathFault, formatLedgerFile, formatPath, LEDGER, parsePath, quotePath } from "../path.js";
import { listItself } from "./scan.js";

/** The reason for a change, for the ledger. */
export interface Cause {
  operation: string;
  session?: string;
  reason?: string;
  /** Shared by changes made together. */
  run?: string;
  /** Id of the run or ledger line that this change undoes. */
  undoes?: string;
  /** When the user said it, if not now: dates the memory, not the ledger line. */
  saidMs?: number;
  /** Did the contents come with the repository? Then they are not the user's until accepted. Not in the ledger. */
  isForeign?: true;
}

/** The operation that lets git see a memory. */
export const PUBLISH = "publish";

export interface LedgerLine extends Omit<Cause, "saidMs" | "isForeign"> {
  v: 1;
  id: string;
  /** ISO date-time, strictly increasing per file even if the clock is set back. */
  at: string;
  instance: string;
  /** `person`: a detected change by an editor or git. */
  by: "strata" | "person";
  /** The memory's id. */
  key: string;
  /** Path of its file, relative to the ledger's collection. */
  path: string;
  /** Previous path of a moved file. */
  from?: string;
  /** Hash of the file before; `null` if there was none. */
  before: string | null;
  after: string | null;
  /** The file after the change; absent if it was removed or its contents are unchanged. */
  contents?: string;
}

/** One step on a file: write it, move it to a free path, or remove it. */
export interface FileStep {
  path: string;
  /** Path the file is moved from. */
  from?: string;
  /** Hash of the file before; `null` if there is none. */
  before: string | null;
  /** The new contents; absent for a move, `null` if it is removed. */
  contents?: string | null;
}

/** What a line says of a step. */
export function describeStep({ before, contents, from, path }: FileStep) {
  return {
    path,
    before,
    after: typeof contents === "string" ? hashOf(contents) : contents === null ? null : before,
    ...(from !== undefined && { from }),
    ...(typeof contents === "string" && { contents }),
  };
}

/** The result of reading one line. `what` continues a sentence that begins with "line 3". */
export type LineReading = { kind: "line"; line: LedgerLine } | { kind: "problem"; what: string };

/** Reads a line of the ledger whose memories' ids have this prefix. `value` is `undefined` for invalid JSON. */
export function readLedgerLine(value: unknown, prefix: string): LineReading {
  if (!isWhole(value)) return { kind: "problem", what: "cannot be read; its change is lost" };
  const fault = findFault(value, prefix);
  return fault === undefined
    ? { kind: "line", line: value }
    : { kind: "problem", what: `is not a change of a memory and was not applied: ${fault}` };
}

/** ISO date-time in UTC, as ledger lines hold it. */
export function isTime(value: unknown): value is string {
  return string(value) && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value));
}

const isWhole = object<LedgerLine>({
  v: isVersion,
  at: isTime,
  by: oneOf(["strata", "person"]),
  ...each(string, "id", "instance", "key", "path", "operation"),
  ...each(either(string, oneOf([null])), "before", "after"),
  ...each(optional(string), "from", "contents", "run", "undoes"),
});

/** Why a line with these paths is invalid: they lead elsewhere, or belong to another memory. */
function findFault({ from, key, path }: LedgerLine, prefix: string): string | undefined {
  const fault = findPathFault(path) ?? (from === undefined ? undefined : findPathFault(from));
  const parts = parsePath(path);
  if (fault !== undefined || !parts) return fault;
  if (key !== `${prefix}${parts.type}/${parts.name}`)
    return `${quotePath(path)} is not the file of ${quotePath(key)}`;
  const other = formatPath({ ...parts, isArchived: !parts.isArchived });
  if (from === undefined || from === other) return undefined;
  return `${quotePath(from)} cannot move to ${quotePath(path)}: a memory moves between its folder and the archive`;
}

/** The file contents that these lines produce, by path. */
export function replayLedger(lines: readonly LedgerLine[]): Map<string, string> {
  const texts = new Map(
    lines.map(({ after, contents }) => [contents === undefined ? null : after, contents]),
  );
  const files = new Map<string, string>();
  for (const [path, { hash }] of replayHeads(lines)) {
    const text = hash === null ? undefined : texts.get(hash);
    if (text !== undefined) files.set(path, text);
  }
  return files;
}

/**
 * The state of each file after these lines, by path. A line is later than the one that it builds on, so lines are ordered
 * by time, and of two simultaneous changes the later one counts. Of lines with the same time, the one whose `before`
 * matches the file comes first.
 */
function replayHeads(lines: readonly Head[]): Map<string, KnownFile> {
  const known = new Map<string, KnownFile>();
  for (const [, own] of groupByKey(sortByTime(lines))) {
    const left = [...own];
    while (left.length > 0) {
      const fitting = left.findIndex(
        ({ at, before, from, path }) =>
          at === left[0]?.at && (known.get(from ?? path)?.hash ?? null) === before,
      );
      const [line] = left.splice(Math.max(0, fitting), 1);
      if (!line) break;
      const { after, at, from, path } = line;
      const editedAt = findEditedAt(line, known.get(from ?? path));
      if (from !== undefined) known.set(from, { hash: null, at });
      known.set(path, { hash: after, at, ...(editedAt !== undefined && { editedAt }) });
    }
  }
  return known;
}

/** A new file states its own dates; a moved one keeps the date of its edit. */
function findEditedAt({ after, at, before, by }: Head, known: KnownFile | undefined): string | undefined {
  if (after === before) return known?.editedAt;
  return by === "person" && before !== null && after !== null ? at : undefined;
}

/** Oldest first; the sort is stable. */
export function sortByTime<Line extends Head>(lines: readonly Line[]): Line[] {
  return [...lines].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/**
 * True if the host may have made this change attributed to a person: it leaves no file, or contents that occurred there
 * before.
 */
export function mayBeHosts(
  { after, by }: Pick<LedgerLine, "after" | "by">,
  known: ReadonlySet<string>,
): boolean {
  return by === "person" && (after === null || known.has(after));
}

/** Lines by the id of their memory. */
export const groupByKey = <Line extends Head>(lines: readonly Line[]): Map<string, Line[]> =>
  groupBy(lines, ({ key }) => key);

export type Ledger = ReturnType<typeof createLedger>;

export interface KnownFile {
  hash: string | null;
  at: string;
  /** When a person last edited these contents, if Strata has not rewritten them since. */
  editedAt?: string;
}

export interface LedgerOptions {
  files: Files;
  log: Log;
  folder: string;
  /** Prefix of its memories' ids. */
  prefix: string;
  /** Name of this clone of the repository. */
  nameClone: () => Promise<string>;
}

/** A line without its text. */
type Head = Omit<LedgerLine, "contents">;

export function createLedger({ files, log, folder, nameClone, prefix }: LedgerOptions) {
  /** What is known of each ledger file. */
  let read = new Map<string, { bytes: number; heads: readonly Head[] }>();
  let known: ReadonlyMap<string, KnownFile> = new Map();

  return {
    sizes: (): ReadonlyMap<string, number> => new Map([...read].map(([name, { bytes }]) => [name, bytes])),
    /** Name of the ledger file for a line of this time, without its folder. */
    nameFile: async (at: string) => formatLedgerFile(at, await nameClone()),

    /** Reads what any process has changed since the last call. */
    async readOn(): Promise<void> {
      const all = await listFiles(files, folder);
      if (all.length === read.size && all.every(({ bytes, name }) => read.get(name)?.bytes === bytes)) return;
      const now: typeof read = new Map();
      for (const { bytes, name } of all) {
        const there = read.get(name);
        now.set(name, there?.bytes === bytes ? there : await readHeads(name));
      }
      read = now;
      known = replayHeads([...read.values()].flatMap(({ heads }) => heads));
    },

    /** The file's hash and time by the ledger (hash `null` if removed); `undefined` if it has no line about this path. */
    known: (path: string): KnownFile | undefined => known.get(path),
    /** Paths that the ledger has lines about. */
    paths: () => known.keys(),

    /** All lines, in the order of the ledger files, each once. */
    async readAll(): Promise<LedgerLine[]> {
      const all = new Map<string, LedgerLine>();
      for (const { name } of await listFiles(files, folder))
        for (const line of (await readLines(name)).lines) if (!all.has(line.id)) all.set(line.id, line);
      return [...all.values()];
    },
  };

  async function readHeads(name: string): Promise<{ bytes: number; heads: readonly Head[] }> {
    const { end, lines } = await readLines(name);
    return { bytes: end, heads: lines.map(({ contents: _, ...head }) => head) };
  }

  async function readLines(name: string): Promise<{ lines: LedgerLine[]; end: number }> {
    const lines: LedgerLine[] = [];
    const problems: string[] = [];
    const end = await takeNewLines(files, join(folder, name), 0, (text) => {
      if (text.trim() === "") return;
      const value = parseJson(text);
      const reading = readLedgerLine(value, prefix);
      if (reading.kind === "line") lines.push(reading.line);
      else problems.push(reading.what);
    });
    report(name, problems);
    return { lines, end };
  }

  function report(name: string, problems: readonly string[]): void {
    const [first] = problems;
    if (first === undefined) return;
    const more = problems.length === 1 ? "" : `, and ${problems.length - 1} more`;
    log.warn(
      "memory",
      `${join(folder, name)}: invalid lines are skipped${more}. One ${first}. strata check names each`,
    );
  }
}

async function listFiles(files: Files, folder: string): Promise<{ name: string; bytes: number }[]> {
  const found: { name: string; bytes: number }[] = [];
  for (const name of (await listItself(files, folder)).filter((one) => one.endsWith(".jsonl"))) {
    const stat = await files.statItself(join(folder, name));
    if (stat?.kind === "file") found.push({ name, bytes: stat.bytes });
  }
  return found;
}

/** Appends lines to the ledger file of this name in a memory folder, in one call. */
export async function appendToLedger(
  { files, folder }: { files: Files; folder: string },
  name: string,
  lines: readonly string[],
): Promise<void> {
  if (lines.length === 0) return;
  await files.appendLine(join(folder, LEDGER, name), lines.join("\n"));
}

/** Changes lines of a ledger: `change` returns the same value for a line that stays. Call under the lock. Follows no link. */
export async function rewriteLines(
  { files, folder, lock }: { files: Files; folder: string; lock: Pick<HeldLock, "check"> },
  change: (value: unknown) => unknown,
): Promise<void> {
  for (const { name } of await listFiles(files, join(folder, LEDGER))) {
    const lines = (await readPlainText(files, join(folder, LEDGER, name))).split("\n");
    const changed = lines.flatMap((text) => {
      const value = parseJson(text);
      const now = value === undefined ? value : change(value);
      return [now === value ? text : JSON.stringify(now)];
    });
    if (changed.join("\n") === lines.join("\n")) continue;
    await lock.check();
    const path = join(folder, LEDGER, name);
    await files.writeWhole(path, changed.join("\n"));
  }
}
