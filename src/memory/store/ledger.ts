/**
 * The ledger of one folder of memories: `ledger/2026-11-3f9a1c22.jsonl`, append-only.
 *
 * One file per month and clone of the repository: two people never write to the same file, so their changes merge
 * without conflict; two instances of one clone do, one call per append. A file of another size is read again. Invalid
 * lines are skipped and reported. Links are not followed.
 *
 * When a publishing is undone, its lines go, so a file may become shorter.
 */
import { join } from "node:path";
import { parseJson } from "../../base/shape.js";
import { type Files, readPlainText } from "../../io/files.js";
import { takeNewLines } from "../../io/json-lines.js";
import type { HeldLock } from "../../io/locks.js";
import type { Log } from "../../io/log.js";
import { formatLedgerFile, LEDGER } from "../path.js";

import { type LedgerLine, readLedgerLine } from "./ledger-line.js";
import { listItself } from "./scan.js";

export type Ledger = ReturnType<typeof createLedger>;

export interface KnownFile {
  hash: string | null;
  at: string;
  /** The ledger file that says so. */
  file: string;
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
  const reported = new Set<string>();
  let known: ReadonlyMap<string, KnownFile> = new Map();

  return {
    /** Bytes read of each ledger file. */
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
      known = applyHeads(read);
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

  /** Reports each file's problem once, however often it is read. */
  function report(name: string, problems: readonly string[]): void {
    const [first] = problems;
    if (first === undefined || reported.has(`${name} ${first}`)) return;
    reported.add(`${name} ${first}`);
    const more = problems.length === 1 ? "" : `, and ${problems.length - 1} more`;
    log.warn(
      "memory",
      `${join(folder, name)}: invalid lines are skipped${more}. One ${first}. strata check names each`,
    );
  }
}

/** Within one ledger file the order of lines decides, between files the time. */
function applyHeads(read: ReadonlyMap<string, { heads: readonly Head[] }>): Map<string, KnownFile> {
  const known = new Map<string, KnownFile>();
  for (const [file, { heads }] of read)
    for (const line of heads) {
      const { after, at, from, path } = line;
      const editedAt = findEditedAt(line, known.get(from ?? path));
      const gone = from === undefined ? [] : [{ path: from, hash: null }];
      const there = { path, hash: after, ...(editedAt !== undefined && { editedAt }) };
      for (const { path: of, ...one } of [...gone, there]) {
        const before = known.get(of);
        if (!before || before.file === file || before.at <= at) known.set(of, { ...one, at, file });
      }
    }
  return known;
}

/** A new file states its own dates; a moved one keeps the date of its edit. */
function findEditedAt({ after, at, before, by }: Head, known: KnownFile | undefined): string | undefined {
  if (after === before) return known?.editedAt;
  return by === "person" && before !== null && after !== null ? at : undefined;
}

async function listFiles(files: Files, folder: string): Promise<{ name: string; bytes: number }[]> {
  const found: { name: string; bytes: number }[] = [];
  for (const name of (await listItself(files, folder)).filter((one) => one.endsWith(".jsonl"))) {
    const stat = await files.statItself(join(folder, name));
    if (stat?.kind === "file") found.push({ name, bytes: stat.bytes });
  }
  return found;
}

export interface LedgerPlace {
  files: Files;
  /** Folder of the memories. */
  folder: string;
}

/** Appends lines to the ledger file of this name in a memory folder, in one call. */
export async function appendToLedger(
  { files, folder }: LedgerPlace,
  name: string,
  lines: readonly string[],
): Promise<void> {
  if (lines.length === 0) return;
  await files.appendLine(join(folder, LEDGER, name), lines.join("\n"));
}

export interface LedgerRewrite {
  files: Files;
  /** Holds the ledger's folder. */
  folder: string;
  lock: Pick<HeldLock, "check">;
}

/**
 * Changes lines of a ledger: `change` returns the same value for a line that stays, and nothing for one that goes. Call
 * under the lock. Follows no link.
 */
export async function rewriteLines(
  { files, folder, lock }: LedgerRewrite,
  change: (value: unknown) => unknown,
): Promise<void> {
  for (const { name } of await listFiles(files, join(folder, LEDGER))) {
    const lines = (await readPlainText(files, join(folder, LEDGER, name))).split("\n");
    const changed = lines.flatMap((text) => {
      const value = parseJson(text);
      const now = value === undefined ? value : change(value);
      if (now === value) return [text];
      return now === undefined ? [] : [JSON.stringify(now)];
    });
    if (changed.join("\n") === lines.join("\n")) continue;
    await lock.check();
    const path = join(folder, LEDGER, name);
    if (changed.every((text) => text === "")) await files.remove(path);
    else await files.writeWhole(path, changed.join("\n"));
  }
}
