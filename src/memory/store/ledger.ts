/**
 * The ledger of one folder of memories: `ledger/2026-11-3f9a1c22.jsonl`, append-only.
 *
 * One file per month and clone of the repository: two people never write to the same file, so their changes merge
 * without conflict; two instances of one clone do, one call per append. Reading resumes where it last stopped. Invalid
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
import { findObstacle, formatObstacle, listItself } from "./entries.js";
import { type LedgerLine, readLedgerLine } from "./ledger-line.js";

export interface Ledger {
  /** Name of the ledger file for a line of this time, without its folder. */
  nameFile(at: string): Promise<string>;
  /** Reads the lines that any process has added since the last call. */
  readOn(): Promise<void>;
  /** The file's hash and time by the ledger (hash `null` if removed); `undefined` if it has no line about this path. */
  known(path: string): (KnownFile & { file: string }) | undefined;
  /** Paths that the ledger has lines about. */
  paths(): Iterable<string>;
  /** All lines, in the order of the ledger files, each once. */
  readAll(): Promise<LedgerLine[]>;
  /** Bytes read of each ledger file; the names of files in the hidden folder begin with `private/`. */
  readonly offsets: ReadonlyMap<string, number>;
  /** Offsets and known files, to resume from after a restart. */
  position(): LedgerPosition;
}

export interface KnownFile {
  hash: string | null;
  at: string;
  /** When a person last edited these contents, if Strata has not rewritten them since. */
  editedAt?: string;
}

export interface LedgerPosition {
  offsets: Record<string, number>;
  known: Record<string, KnownFile & { file: string }>;
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

export function createLedger(
  { files, log, folder, hidden, nameClone, prefix }: LedgerOptions,
  begin?: LedgerPosition,
): Ledger {
  const offsets = new Map(Object.entries(begin?.offsets ?? {}));
  const known = new Map(Object.entries(begin?.known ?? {}));
  const reported = new Set<string>();

  return {
    offsets,
    nameFile: async (at) => formatLedgerFile(at, await nameClone()),

    async readOn() {
      for (const { bytes, name } of await listAll()) {
        const offset = offsets.get(name) ?? 0;
        // The file shrank: git has replaced it by another version, or lines have moved to another ledger.
        if (bytes !== offset) await readFrom(name, bytes < offset ? 0 : offset);
      }
    },

    known: (path) => known.get(path),
    paths: () => known.keys(),

    async readAll() {
      const all = new Map<string, LedgerLine>();
      for (const { name } of await listAll())
        for (const line of (await readLines(name, 0)).lines) if (!all.has(line.id)) all.set(line.id, line);
      return [...all.values()];
    },

    position: () => ({ offsets: Object.fromEntries(offsets), known: Object.fromEntries(known) }),
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

  async function readFrom(name: string, offset: number): Promise<void> {
    const { lines, end } = await readLines(name, offset);
    // Applied without an await, so that no caller sees half of them.
    for (const line of lines) applyLine(known, name, line);
    offsets.set(name, end);
  }

  async function readLines(name: string, offset: number): Promise<{ lines: LedgerLine[]; end: number }> {
    const lines: LedgerLine[] = [];
    const problems: string[] = [];
    const isShared = name.startsWith(HIDDEN) || prefix.endsWith(HIDDEN);
    // Begins with the newline before: its absence shows that lines before the offset are gone.
    let isAligned = true;
    let isFirst = offset > 0;
    const end = await takeNewLines(files, pathOf(name), Math.max(0, offset - 1), (text) => {
      if (isFirst) isAligned = text === "";
      isFirst = false;
      if (text.trim() === "") return;
      const value = parseJson(text);
      const reading = readLedgerLine(value, prefix);
      if (reading.kind === "line") lines.push(reading.line);
      else if (!isShared || !isNeighbours(value, prefix)) problems.push(reading.what);
    });
    if (!isAligned) return readLines(name, 0);
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
function applyLine(known: Map<string, KnownFile & { file: string }>, file: string, line: LedgerLine): void {
  const { after, at, from, path } = line;
  const editedAt = findEditedAt(line, known.get(from ?? path));
  const gone = from === undefined ? [] : [{ path: from, hash: null }];
  for (const one of [...gone, { path, hash: after, ...(editedAt !== undefined && { editedAt }) }]) {
    const before = known.get(one.path);
    if (!before || before.file === file || before.at <= at) known.set(one.path, { ...one, at, file });
  }
}

/** A new file states its own dates; a moved one keeps the date of its edit. */
function findEditedAt(
  { after, at, before, by }: LedgerLine,
  known: KnownFile | undefined,
): string | undefined {
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
