/**
 * The ledger of one folder of memories: `ledger/2026-11-3f9a1c22.jsonl`, append-only.
 *
 * One file per month and clone of the repository: two people never write to the same file, so their changes merge
 * without conflict; two instances of one clone do, one call per append. A file of another size is read again. Invalid
 * lines are skipped and reported. Links are not followed.
 *
 * Lines of memories that git ignores are in `private/ledger`, in files of the same names. A published memory's lines move
 * here, so a file may become shorter.
 */
import { dirname, join } from "node:path";
import { StrataError } from "../../base/error.js";
import { isRecord, parseJson } from "../../base/shape.js";
import type { Files } from "../../io/files.js";
import { takeNewLines } from "../../io/json-lines.js";
import type { Log } from "../../io/log.js";
import { formatPrefix, parseID } from "../memory.js";
import { formatLedgerFile, HIDDEN_LEDGER, LEDGER } from "../path.js";

import { type LedgerLine, readLedgerLine } from "./ledger-line.js";
import { findObstacle, formatObstacle, listItself } from "./scan.js";

export interface Ledger {
  /** Name of the ledger file for a line of this time, without its folder. */
  nameFile(at: string): Promise<string>;
  /** Reads what any process has changed since the last call. */
  readOn(): Promise<void>;
  /** The file's hash and time by the ledger (hash `null` if removed); `undefined` if it has no line about this path. */
  known(path: string): KnownFile | undefined;
  /** Paths that the ledger has lines about. */
  paths(): Iterable<string>;
  /** All lines, in the order of the ledger files, each once. */
  readAll(): Promise<LedgerLine[]>;
  /** Bytes read of each ledger file; the names of files in the hidden folder begin with `private/`. */
  readonly offsets: ReadonlyMap<string, number>;
}

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
  /** Folder of the ledger with the lines of memories that git ignores. */
  hidden?: string | undefined;
  /** Prefix of its memories' ids. */
  prefix: string;
  /** Name of this clone of the repository. */
  nameClone: () => Promise<string>;
}

/** A line without its text. */
type Head = Omit<LedgerLine, "contents">;

export function createLedger({ files, log, folder, hidden, nameClone, prefix }: LedgerOptions): Ledger {
  const offsets = new Map<string, number>();
  const heads = new Map<string, Head[]>();
  const reported = new Set<string>();
  let known: ReadonlyMap<string, KnownFile> = new Map();

  return {
    offsets,
    nameFile: async (at) => formatLedgerFile(at, await nameClone()),

    async readOn() {
      const all = await listAll();
      const changed = all.filter(({ bytes, name }) => offsets.get(name) !== bytes);
      const there = new Set(all.map(({ name }) => name));
      const gone = [...offsets.keys()].filter((name) => !there.has(name));
      if (changed.length === 0 && gone.length === 0) return;
      for (const { name } of changed) {
        const { end, lines } = await readLines(name);
        heads.set(
          name,
          lines.map(({ contents: _, ...head }) => head),
        );
        offsets.set(name, end);
      }
      for (const name of gone) {
        heads.delete(name);
        offsets.delete(name);
      }
      known = applyHeads(heads);
    },

    known: (path) => known.get(path),
    paths: () => known.keys(),

    async readAll() {
      const all = new Map<string, LedgerLine>();
      for (const { name } of await listAll())
        for (const line of (await readLines(name)).lines) if (!all.has(line.id)) all.set(line.id, line);
      return [...all.values()];
    },
  };

  async function listAll(): Promise<{ name: string; bytes: number }[]> {
    const own = await listFiles(files, folder);
    const others = hidden === undefined ? [] : await listFiles(files, hidden);
    return [...own, ...others.map(({ bytes, name }) => ({ name: `${HIDDEN}${name}`, bytes }))];
  }

  function pathOf(name: string): string {
    return hidden !== undefined && name.startsWith(HIDDEN)
      ? join(hidden, name.slice(HIDDEN.length))
      : join(folder, name);
  }

  async function readLines(name: string): Promise<{ lines: LedgerLine[]; end: number }> {
    const lines: LedgerLine[] = [];
    const problems: string[] = [];
    const isShared = name.startsWith(HIDDEN) || prefix.endsWith(HIDDEN);
    const end = await takeNewLines(files, pathOf(name), 0, (text) => {
      if (text.trim() === "") return;
      const value = parseJson(text);
      const reading = readLedgerLine(value, prefix);
      if (reading.kind === "line") lines.push(reading.line);
      else if (!isShared || !isNeighbours(value, prefix)) problems.push(reading.what);
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
      `${pathOf(name)}: invalid lines are skipped${more}. One ${first}. strata check names each`,
    );
  }
}

/** Within one ledger file the order of lines decides, between files the time. */
function applyHeads(heads: ReadonlyMap<string, readonly Head[]>): Map<string, KnownFile> {
  const known = new Map<string, KnownFile>();
  for (const [file, lines] of heads)
    for (const line of lines) {
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

const HIDDEN = "private/";

/**
 * True for a line in the ledger that two folders share, `private/ledger`, about a memory of the other folder: a private
 * one, or one that git ignores.
 */
export function isNeighbours(value: unknown, prefix: string): boolean {
  const place = isRecord(value) && typeof value.key === "string" ? parseID(value.key) : undefined;
  if (!place) return false;
  const sensitivity = place.sensitivity === "private" ? "internal" : "private";
  return formatPrefix({ ...place, sensitivity }) === prefix;
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
  /** True if the lines about the memory at this path belong in the hidden ledger. */
  isKeptOut?: ((path: string) => boolean) | undefined;
}

/** Appends lines to the ledger files of this name in a memory folder, in one call each. */
export async function appendToLedger(
  { files, folder, isKeptOut }: LedgerPlace,
  name: string,
  lines: readonly LedgerLine[],
): Promise<void> {
  const hidden = lines.filter(({ path }) => isKeptOut?.(path));
  const shared = lines.filter(({ path }) => !isKeptOut?.(path));
  await appendLines(files, folder, `${HIDDEN_LEDGER}/${name}`, hidden.map(formatLine));
  await appendLines(files, folder, `${LEDGER}/${name}`, shared.map(formatLine));
}

export const formatLine = (line: LedgerLine): string => JSON.stringify(line);

/** Appends lines to the ledger file at this path below the folder. */
export async function appendLines(
  files: Files,
  folder: string,
  path: string,
  lines: readonly string[],
): Promise<void> {
  if (lines.length === 0) return;
  // `appendLine` follows no link at the file itself.
  const obstacle = await findObstacle(files, folder, dirname(path), "folder");
  if (obstacle) throw new StrataError("ENOTWRITTEN", formatObstacle(obstacle));
  await files.appendLine(join(folder, path), lines.join("\n"));
}
