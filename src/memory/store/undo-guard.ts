/**
 * Reverts what the host's undo has done to the files and the ledger of a memory folder.
 *
 * OpenCode restores every file that changed while an undone turn ran, no matter who changed it, and so drops ledger lines
 * unrelated to that turn. A copy of the ledger is machine state, which git ignores and the host therefore leaves alone. A
 * ledger only grows: lines that only the copy has are missing from the ledger.
 */
import { join } from "node:path";
import { formatError } from "../../base/error.js";
import { hashOf } from "../../base/hash.js";
import type { Clock } from "../../io/clock.js";
import { type Files, readPlainText } from "../../io/files.js";
import type { HeldLock } from "../../io/locks.js";
import type { Log } from "../../io/log.js";
import { LEDGER } from "../path.js";
import {
  type Cause,
  type FileStep,
  type Ledger,
  type LedgerLine,
  mayBeHosts,
  replayLedger,
  sortByTime,
} from "./ledger.js";
import { type CollectionPlace, type Entries, listItself } from "./scan.js";
import type { Transaction } from "./transaction.js";

export interface UndoGuardOptions {
  clock: Clock;
  files: Files;
  log: Log;
  place: CollectionPlace;
}

export type UndoGuard = ReturnType<typeof createUndoGuard>;

export function createUndoGuard({ clock, files, log, place }: UndoGuardOptions) {
  const ledgerFolder = join(place.folder, LEDGER);
  const copyFolder = join(place.state, LEDGER);
  /** Bytes of each ledger file when last copied. */
  const copied = new Map<string, number>();

  return {
    /** Copies the ledger, given the size of each of its files. Never rejects: without the copy only the way back is lost. */
    async keepCopy(sizes: ReadonlyMap<string, number>): Promise<void> {
      try {
        for (const [name, bytes] of sizes) {
          if (copied.get(name) === bytes) continue;
          await appendMissing(ledgerFolder, copyFolder, name);
          copied.set(name, bytes);
        }
      } catch (thrown) {
        log.debug("memory", `cannot copy ${ledgerFolder}: ${formatError(thrown)}`);
      }
    },

    /** Appends to the ledger what only its copy has. Rejects when the disk fails. */
    async restoreLedger(lock: Pick<HeldLock, "check">): Promise<void> {
      for (const name of (await listItself(files, copyFolder)).filter((one) => one.endsWith(".jsonl"))) {
        await lock.check();
        await appendMissing(copyFolder, ledgerFolder, name);
      }
    },

    /** Mends these files, absolute, or any; returns the paths of what was mended. Rejects when the disk fails. */
    async mend(
      transaction: Pick<Transaction, "changeAll">,
      { entries, ledger }: { entries: Entries; ledger: Ledger },
      { cause, touched }: { cause: Cause; touched: ReadonlySet<string> | undefined },
    ): Promise<string[]> {
      const found = findPutBack(await ledger.readAll(), {
        now: new Date(clock.now()).toISOString(),
        isTouched: (path) => touched?.has(join(place.folder, path)) ?? true,
        hashAt: (path) => (entries.get(path) ? entries.get(path)?.hash : null),
      });
      await transaction.changeAll(found.map((step) => ({ ...step, cause })));
      return found.map(({ path }) => path);
    },
  };

  async function appendMissing(from: string, to: string, name: string): Promise<void> {
    const known = new Set(await readLines(join(to, name)));
    const missing = (await readLines(join(from, name))).filter((line) => !known.has(line));
    if (missing.length > 0) await files.appendLine(join(to, name), missing.join("\n"));
  }

  /** Whole lines only: the last may be half written. */
  async function readLines(path: string): Promise<string[]> {
    const text = await readPlainText(files, path);
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    return whole.split("\n").filter((line) => line !== "");
  }
}

/** Lines so young may be the host's undo, entered by a look as a person's change before the undo was known. */
const RECENT_MS = 60_000;

interface Present {
  /** ISO date-time. */
  now: string;
  isTouched(path: string): boolean;
  /** Hash of the present file; `null` if there is none, `undefined` if unknown. */
  hashAt(path: string): string | null | undefined;
}

/**
 * Steps that bring back memories which the host's undo restored to an earlier state. The host writes an older version of a
 * file, or removes the file, as a person could. Two signs tell the host: the file is among the touched ones, and its
 * present contents occurred there before. `lines` are all lines before the undo and those added since. Pure.
 */
function findPutBack(lines: readonly LedgerLine[], { hashAt, isTouched, now }: Present): FileStep[] {
  const isRecent = ({ at }: LedgerLine): boolean => Date.parse(now) - Date.parse(at) < RECENT_MS;
  const versions = new Map<string, Set<string>>();
  const hostLines = new Set<LedgerLine>();
  const sorted = sortByTime(lines);
  for (const line of sorted) {
    const known = versions.get(line.path) ?? new Set();
    versions.set(line.path, known);
    if (isTouched(line.path) && isRecent(line) && mayBeHosts(line, known)) hostLines.add(line);
    else for (const hash of [line.before, line.after]) if (hash !== null) known.add(hash);
    if (line.from !== undefined && line.before !== null) versions.get(line.from)?.add(line.before);
  }
  const wanted = replayLedger(sorted.filter((line) => !hostLines.has(line)));
  const found: FileStep[] = [];
  for (const [path, known] of versions) {
    const before = hashAt(path);
    const contents = wanted.get(path) ?? null;
    if (before === undefined || !isTouched(path)) continue;
    if (before === (contents === null ? null : hashOf(contents))) continue;
    if (before === null || known.has(before)) found.push({ path, before, contents });
  }
  return found;
}
