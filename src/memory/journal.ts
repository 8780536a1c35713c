/**
 * Makes lines of the ledger and the changes of their files one step, also for a process that is killed in the middle.
 *
 *     write the lines down in `pending.json` → append them to the ledger → write the files → remove `pending.json`
 *
 * Whoever gets the lock next and finds a `pending.json` does what is left of it. A file that is by then neither as it
 * was before nor as it was to become has been changed by a person; it stays as it is. All of it happens under the lock.
 */
import { dirname, join } from "node:path";
import { formatError, StrataError } from "../error.js";
import type { HeldLock } from "../lock/locks.js";
import { isRecord } from "../records.js";
import type { Files } from "../seams/files.js";
import { hashOf, type LedgerLine, parseLedgerLine } from "./ledger-line.js";

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
  /** The memories that it is about. */
  folder: string;
  /** Machine state. */
  path: string;
}

/** What stands in `pending.json`. */
export interface Pending {
  lines: readonly LedgerLine[];
  /** Its name alone: the project may have been moved since. */
  ledgerFile: string;
}

export function createJournal({ files, folder, path }: JournalOptions): Journal {
  return {
    isPending: async () => (await files.stat(path)) !== undefined,

    async recover(lock) {
      const bytes = await files.read(path);
      if (!bytes) return;
      const pending = parsePending(new TextDecoder().decode(bytes));
      // Half of it can only be there on a disk that knows no links; then nothing had been begun.
      if (pending) await complete(lock, pending);
      await lock.check();
      await files.remove(path);
    },

    async commit(lock, lines, ledgerFile) {
      const pending: Pending = { lines, ledgerFile };
      await beforehand(async () => {
        await lock.check();
        if (!(await files.create(path, JSON.stringify(pending))))
          throw new StrataError("ENOTWRITTEN", `${path} is in the way; remove it`);
      });
      await beforehand(
        async () => {
          await lock.check();
          await files.appendLine(join(folder, "ledger", ledgerFile), formatLines(lines));
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
    const ledgerPath = join(folder, "ledger", ledgerFile);
    const ledger = new TextDecoder().decode((await files.read(ledgerPath)) ?? new Uint8Array());
    await lock.check();
    const missing = lines.filter((line) => !ledger.includes(JSON.stringify(line)));
    if (missing.length > 0) await files.appendLine(ledgerPath, formatLines(missing));
    for (const [n, line] of lines.entries()) {
      // What a later line has moved on from is done.
      const next = lines.slice(n + 1).find(({ from, path: to }) => (from ?? to) === line.path);
      if (!next || !(await isDone(next))) await apply(lock, line);
      await removeTorn(join(folder, line.path));
    }
  }

  async function isDone({ after, path: to }: LedgerLine): Promise<boolean> {
    return after !== null && (await hashAt(join(folder, to))) === after;
  }

  /** Brings the file from what it was before to what it is to be; `false`, and nothing done, where it is neither. */
  async function apply(
    lock: HeldLock,
    { path: to, from, before, after, contents }: LedgerLine,
  ): Promise<boolean> {
    const target = join(folder, to);
    const there = await hashAt(target);
    await lock.check();
    if (from !== undefined) {
      if (there !== null) return there === after && (await hashAt(join(folder, from))) === null;
      if ((await hashAt(join(folder, from))) !== before) return false;
      await files.rename(join(folder, from), target);
      return true;
    }
    if (after === null && there === before) {
      await files.remove(target);
      return true;
    }
    if (contents === undefined || there !== before) return there === after;
    if (before === null) return files.create(target, contents);
    await files.writeWhole(target, contents);
    return true;
  }

  async function hashAt(file: string): Promise<string | null> {
    const contents = await files.read(file);
    return contents ? hashOf(contents) : null;
  }

  /** What a process that was killed while it wrote this file has left beside it: its name and a number or an id. */
  async function removeTorn(file: string): Promise<void> {
    const torn = /^\.(\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
    const name = file.slice(dirname(file).length + 1);
    for (const other of await files.list(dirname(file))) {
      if (other.startsWith(name) && torn.test(other.slice(name.length)))
        await files.remove(join(dirname(file), other));
    }
  }
}

const isCompromise = (thrown: unknown): boolean =>
  thrown instanceof StrataError && thrown.code === "ECOMPROMISED";

/** For people: "edit of decision/port-8080". */
export function formatBegun(lines: readonly LedgerLine[]): string {
  const keys = [...new Set(lines.map(({ key }) => key))];
  return `${lines[0]?.operation} of ${keys.length > 1 ? `${keys.length} memories` : keys[0]}`;
}

const formatLines = (lines: readonly LedgerLine[]): string =>
  lines.map((line) => JSON.stringify(line)).join("\n");

const unfinished = (lines: readonly LedgerLine[], path: string): string =>
  `${formatBegun(lines)} is begun and kept in ${path}; it is completed with the next change, do not repeat it`;

/** `undefined` for half of one. */
export function parsePending(text: string): Pending | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || typeof value.ledgerFile !== "string" || /[/\\]/.test(value.ledgerFile))
      return undefined;
    const given = Array.isArray(value.lines) ? value.lines : [];
    const lines = given.map(parseLedgerLine).filter((line) => line !== undefined);
    return lines.length > 0 && lines.length === given.length
      ? { lines, ledgerFile: value.ledgerFile }
      : undefined;
  } catch {
    return undefined;
  }
}
