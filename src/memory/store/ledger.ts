/**
 * The ledger of one folder of memories: `ledger/2026-11-3f9a1c22.jsonl`, append-only.
 *
 * A file a month and a clone of the repository: two people never write to the same one, so their changes merge without a
 * conflict; two instances of one clone do, a line in one call each. What others have added is read from where one
 * stopped. A line that is no change of a memory is passed over and reported. Links are not followed.
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
  /** The file that a line of this time goes to, without its folder. */
  nameFile(at: string): Promise<string>;
  /** Takes in what has been added since, by whomever. */
  readOn(): Promise<void>;
  /** What the ledger knows to stand in this file, `null` when it is gone; `undefined` when it never heard of it. */
  known(path: string): KnownFile | undefined;
  /** Paths of which it knows. */
  paths(): Iterable<string>;
  /** Every line there is, in the order of their files. */
  readAll(): Promise<LedgerLine[]>;
  /** How far each of its files was read, in bytes. */
  readonly offsets: ReadonlyMap<string, number>;
  /** The same with what it knows, to go on from there after a restart. */
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
  /** What the ids of its memories begin with. */
  prefix: string;
  /** Tells the clones of a repository apart. */
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
        // Shorter than it was: git has put another version in its place.
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
    // All at once: nobody sees what half of them come to.
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

  /** Once for what a file has, in however many pieces it is read. */
  function report(name: string, problems: readonly string[]): void {
    const [first] = problems;
    if (first === undefined || reported.has(`${name} ${first}`)) return;
    reported.add(`${name} ${first}`);
    const more = problems.length === 1 ? "" : `, and ${problems.length - 1} more`;
    log.warn(
      "memory",
      `${join(folder, name)}: lines are passed over${more}. One ${first}. strata validate names each`,
    );
  }

  /** Within one file the order of lines counts, between files the time. */
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

/** Adds lines to a file of the ledger that a folder of memories has, in one call. */
export async function appendToLedger(
  files: Files,
  folder: string,
  name: string,
  lines: readonly LedgerLine[],
): Promise<void> {
  if (lines.length === 0) return;
  // A link in the place of the file is not followed by `appendLine`.
  const obstacle = await findObstacle(files, folder, LEDGER, "folder");
  if (obstacle) throw new StrataError("ENOTWRITTEN", formatObstacle(obstacle));
  await files.appendLine(join(folder, LEDGER, name), lines.map((line) => JSON.stringify(line)).join("\n"));
}
