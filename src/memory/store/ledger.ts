/**
 * The ledger of one folder of memories: `ledger/2026-11-3f9a1c22.jsonl`, append-only.
 *
 * One file per month and clone of the repository: two people never write to the same file, so their changes merge
 * without conflict; two instances of one clone do, one call per append. Reading resumes where it last stopped. Invalid
 * lines are skipped and reported. Links are not followed.
 */
import { join } from "node:path";
import { StrataError } from "../../error.js";
import { takeNewLines } from "../../record/lines.js";
import type { Log } from "../../record/log.js";
import { parseJson } from "../../records.js";
import type { Files } from "../../seams/files.js";
import { formatLedgerFile, LEDGER } from "../path.js";
import { type LedgerLine, readLedgerLine } from "./ledger-line.js";
import { findObstacle, formatObstacle, listItself } from "./obstacle.js";

export interface Ledger {
  /** Name of the ledger file for a line of this time, without its folder. */
  nameFile(at: string): Promise<string>;
  /** Reads the lines that any process has added since the last call. */
  readOn(): Promise<void>;
  /** The file's hash and time by the ledger (hash `null` if removed); `undefined` if it has no line about this path. */
  known(path: string): KnownFile | undefined;
  /** Paths that the ledger has lines about. */
  paths(): Iterable<string>;
  /** All lines, in the order of the ledger files. */
  readAll(): Promise<LedgerLine[]>;
  /** Bytes read of each ledger file. */
  readonly offsets: ReadonlyMap<string, number>;
  /** Offsets and known files, to resume from after a restart. */
  position(): LedgerPosition;
}

export interface KnownFile {
  hash: string | null;
  at: string;
}

export interface LedgerPosition {
  offsets: Record<string, number>;
  known: Record<string, KnownFile & { file: string }>;
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

export function createLedger(
  { files, log, folder, nameClone, prefix }: LedgerOptions,
  begin?: LedgerPosition,
): Ledger {
  const offsets = new Map(Object.entries(begin?.offsets ?? {}));
  const known = new Map(Object.entries(begin?.known ?? {}));
  const reported = new Set<string>();

  return {
    offsets,
    nameFile: async (at) => formatLedgerFile(at, await nameClone()),

    async readOn() {
      for (const { bytes, name } of await listFiles(files, folder)) {
        const offset = offsets.get(name) ?? 0;
        // The file shrank: git has replaced it by another version.
        if (bytes !== offset) await readFrom(name, bytes < offset ? 0 : offset);
      }
    },

    known: (path) => known.get(path),
    paths: () => known.keys(),

    async readAll() {
      const all: LedgerLine[] = [];
      for (const { name } of await listFiles(files, folder))
        for (const line of (await readLines(name, 0)).lines) all.push(line);
      return all;
    },

    position: () => ({ offsets: Object.fromEntries(offsets), known: Object.fromEntries(known) }),
  };

  async function readFrom(name: string, offset: number): Promise<void> {
    const { lines, end } = await readLines(name, offset);
    // Applied without an await, so that no caller sees half of them.
    for (const line of lines) take(name, line);
    offsets.set(name, end);
  }

  async function readLines(name: string, offset: number): Promise<{ lines: LedgerLine[]; end: number }> {
    const lines: LedgerLine[] = [];
    const problems: string[] = [];
    const end = await takeNewLines(files, join(folder, name), offset, (text) => {
      if (text.trim() === "") return;
      const reading = readLedgerLine(parseJson(text), prefix);
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
      `${join(folder, name)}: invalid lines are skipped${more}. One ${first}. strata validate names each`,
    );
  }

  /** Within one ledger file the order of lines decides, between files the time. */
  function take(file: string, { path, from, at, after }: LedgerLine): void {
    const gone = from === undefined ? [] : [{ path: from, hash: null }];
    for (const one of [...gone, { path, hash: after }]) {
      const before = known.get(one.path);
      if (!before || before.file === file || before.at <= at)
        known.set(one.path, { hash: one.hash, at, file });
    }
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

/** Appends lines to a ledger file of a memory folder, in one call. */
export async function appendToLedger(
  files: Files,
  folder: string,
  name: string,
  lines: readonly LedgerLine[],
): Promise<void> {
  if (lines.length === 0) return;
  // `appendLine` follows no link at the file itself.
  const obstacle = await findObstacle(files, folder, LEDGER, "folder");
  if (obstacle) throw new StrataError("ENOTWRITTEN", formatObstacle(obstacle));
  await files.appendLine(join(folder, LEDGER, name), lines.map((line) => JSON.stringify(line)).join("\n"));
}
