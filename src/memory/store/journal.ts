/**
 * Makes lines of the ledger and the changes of their files one step, also for a process that is killed in the middle.
 *
 *     write the lines down in `pending.json` → append them to the ledger → write the files → remove `pending.json`
 *
 * Whoever gets the lock next and finds a `pending.json` does what is left of it. A file that is by then neither as it
 * was before nor as it was to become has been changed by a person; it stays as it is, as does what has a link on its way.
 * A `pending.json` that is none is set aside. All of it happens under the lock.
 */
import { join } from "node:path";
import { formatError, StrataError } from "../../error.js";
import type { HeldLock } from "../../lock/locks.js";
import type { Log } from "../../record/log.js";
import type { Files } from "../../seams/files.js";
import { LEDGER } from "../path.js";
import { appendToLedger } from "./ledger.js";
import { type LedgerLine, readLedgerLine } from "./ledger-line.js";
import { createLineFiles } from "./line-files.js";
import { readTextWithin } from "./obstacle.js";
import { type Pending, readPending, setPendingAside } from "./pending.js";

export interface Journal {
  /** Is something left half-done, or being done right now? */
  isPending(): Promise<boolean>;
  /** Does what is left to be done of changes whose process was killed. */
  recover(lock: HeldLock): Promise<void>;
  /**
   * Makes the changes, in their order; they are on disk as a whole when this resolves.
   *
   * @throws StrataError ENOTWRITTEN when it could not be made; nothing was changed.
   * @throws StrataError EUNFINISHED when it was begun and will be completed with the next change.
   */
  commit(lock: HeldLock, lines: readonly LedgerLine[], ledgerFile: string): Promise<void>;
}

export interface JournalOptions {
  files: Files;
  log: Log;
  /** The memories that it is about. */
  folder: string;
  /** What their ids begin with. */
  prefix: string;
  /** Machine state. */
  path: string;
  /** Before anything of what was left half-done is done. Must not reject. */
  beforeRecovery?: (lines: readonly LedgerLine[]) => Promise<void>;
}

export function createJournal(options: JournalOptions): Journal {
  const { beforeRecovery, files, folder, log, path, prefix } = options;
  const { apply, isDone, removeTorn } = createLineFiles(files, folder);

  return {
    isPending: async () => (await files.statItself(path)) !== undefined,

    async recover(lock) {
      const reading = await readPending(files, path, prefix);
      if (!reading) return;
      if (reading.kind === "pending") await complete(lock, reading.pending);
      await lock.check();
      if (reading.kind === "pending") return files.remove(path);
      const aside = await setPendingAside(files, path);
      log.warn(
        "memory",
        `${path} was refused, and nothing of it is done: ${reading.why}; it lies in ${aside}`,
      );
    },

    async commit(lock, lines, ledgerFile) {
      const pending: Pending = { lines, ledgerFile };
      await beforehand(async () => {
        for (const line of lines) refuseOther(line, prefix);
        await lock.check();
        if (!(await files.create(path, JSON.stringify(pending))))
          throw new StrataError("ENOTWRITTEN", `${path} is in the way; remove it`);
      });
      await beforehand(
        async () => {
          await lock.check();
          await appendToLedger(files, folder, ledgerFile, lines);
        },
        () => files.remove(path),
      );
      const left = await finish(lock, lines);
      if (!left) return;
      throw new StrataError(
        "ECHANGED",
        `${join(folder, left.path)} was changed by somebody else at the same moment and stays as it is; read it again, and repeat the change if it is still needed`,
      );
    },
  };

  /** The first change that could not be made, if there is one. */
  async function finish(lock: HeldLock, lines: readonly LedgerLine[]): Promise<LedgerLine | undefined> {
    try {
      let left: LedgerLine | undefined;
      for (const line of lines) if (!(await apply(lock, line))) left ??= line;
      await files.remove(path);
      return left;
    } catch (thrown) {
      if (isCompromise(thrown)) throw thrown;
      throw new StrataError("EUNFINISHED", `${unfinished(lines, path)}: ${formatError(thrown)}`);
    }
  }

  /** Runs what may fail without anything having been changed, and takes back what has been begun. */
  async function beforehand(
    action: () => Promise<void>,
    takeBack = async (): Promise<void> => {},
  ): Promise<void> {
    try {
      await action();
    } catch (thrown) {
      // Whoever has the lock now finds what is pending and completes it.
      if (isCompromise(thrown)) throw thrown;
      await takeBack();
      throw new StrataError(
        "ENOTWRITTEN",
        `cannot write to ${folder}, nothing was changed: ${formatError(thrown)}`,
      );
    }
  }

  async function complete(lock: HeldLock, { lines, ledgerFile }: Pending): Promise<void> {
    await beforeRecovery?.(lines);
    const ledger = (await readTextWithin(files, folder, `${LEDGER}/${ledgerFile}`)) ?? "";
    await lock.check();
    const missing = lines.filter((line) => !ledger.includes(JSON.stringify(line)));
    await appendToLedger(files, folder, ledgerFile, missing);
    for (const [n, line] of lines.entries()) {
      // What a later line has moved on from is done.
      const next = lines.slice(n + 1).find(({ from, path: to }) => (from ?? to) === line.path);
      if (!next || !(await isDone(next))) await apply(lock, line);
      await removeTorn(line.path);
    }
  }
}

/** What could not be read again is not written. */
function refuseOther(line: LedgerLine, prefix: string): void {
  const reading = readLedgerLine(line, prefix);
  if (reading.kind === "problem") throw new StrataError("ENOTWRITTEN", `the line ${reading.what}`);
}

const isCompromise = (thrown: unknown): boolean =>
  thrown instanceof StrataError && thrown.code === "ECOMPROMISED";

/** For people: "edit of decision/port-8080". */
export function formatBegun(lines: readonly LedgerLine[]): string {
  const keys = [...new Set(lines.map(({ key }) => key))];
  return `${lines[0]?.operation} of ${keys.length > 1 ? `${keys.length} memories` : keys[0]}`;
}

const unfinished = (lines: readonly LedgerLine[], path: string): string =>
  `${formatBegun(lines)} is begun and kept in ${path}; it is completed with the next change, do not repeat it`;
