/**
 * The ledger of one folder of memories: `ledger/2026-11-3f9a1c22.jsonl`, append-only.
 *
 * A file a month and a clone of the repository: two people never write to the same one, so their changes merge without a
 * conflict; two instances of one clone do, a line in one call each. What others have added is read from where one
 * stopped. A line that cannot be read is passed over and reported.
 */
import { join } from "node:path";
import type { Log } from "../record/log.js";
import type { Files } from "../seams/files.js";
import { type LedgerLine, parseLedgerLine } from "./ledger-line.js";

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
  /** How far it was read, to go on from there after a restart. */
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
  /** Tells the clones of a repository apart. */
  nameClone: () => Promise<string>;
}

export function createLedger(
  { files, log, folder, nameClone }: LedgerOptions,
  begin?: LedgerPosition,
): Ledger {
  const offsets = new Map(Object.entries(begin?.offsets ?? {}));
  const known = new Map(Object.entries(begin?.known ?? {}));
  const reported = new Set<string>();

  return {
    nameFile: async (at) => `${at.slice(0, 7)}-${await nameClone()}.jsonl`,

    async readOn() {
      for (const name of await listFiles()) {
        const offset = offsets.get(name) ?? 0;
        const bytes = (await files.statItself(join(folder, name)))?.bytes ?? 0;
        // Shorter than it was: git has put another version in its place.
        if (bytes !== offset) await readFrom(name, bytes < offset ? 0 : offset);
      }
    },

    known: (path) => known.get(path),
    paths: () => known.keys(),

    async readAll() {
      const all: LedgerLine[] = [];
      for (const name of await listFiles()) {
        const bytes = (await files.read(join(folder, name))) ?? new Uint8Array();
        all.push(...parse(name, bytes, 0).lines);
      }
      return all;
    },

    position: () => ({ offsets: Object.fromEntries(offsets), known: Object.fromEntries(known) }),
  };

  async function listFiles(): Promise<string[]> {
    return (await files.list(folder)).filter((name) => name.endsWith(".jsonl"));
  }

  async function readFrom(name: string, offset: number): Promise<void> {
    const bytes = (await files.readFrom(join(folder, name), offset)) ?? new Uint8Array();
    const { lines, end } = parse(name, bytes, offset);
    for (const line of lines) take(name, line);
    offsets.set(name, end);
  }

  /** Whole lines only: the last one may still be being written. */
  function parse(name: string, bytes: Uint8Array, offset: number): { lines: LedgerLine[]; end: number } {
    const length = bytes.lastIndexOf(0x0a) + 1;
    const texts = new TextDecoder().decode(bytes.subarray(0, length)).split("\n");
    const lines = texts.filter((text) => text.trim() !== "").map((text) => parseLedgerLine(parseJson(text)));
    const lost = lines.filter((line) => line === undefined).length;
    const what = `${join(folder, name)}: ${lost} lines cannot be read, passed over`;
    if (lost > 0 && !reported.has(what)) log.warn("memory", what);
    if (lost > 0) reported.add(what);
    return { lines: lines.filter((line) => line !== undefined), end: offset + length };
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
