/** A collection under its lock: all operations that change a memory file or add to the ledger. */
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import type { HeldLock } from "../../io/locks.js";
import { HIDDEN_LEDGER, parsePath } from "../path.js";
import type { Entries, Looked, Readings } from "./entries.js";
import type { Journal } from "./journal.js";
import type { KeepOut } from "./keep-out.js";
import { appendLines, appendToLedger, formatLine, type Ledger } from "./ledger.js";
import type { Cause, LedgerLine } from "./ledger-line.js";
import type { LineWriter, TransactionStep } from "./line-writer.js";
import type { Ownership } from "./ownership.js";
import type { Received } from "./pending.js";

/** Operations allowed under the lock. */
export interface Transaction {
  /** The file as it is; a person's change to it is entered in the ledger first. */
  open(path: string): Promise<Looked | undefined>;
  /** The same for many files, several at a time; one result per file, in order. */
  openAll(paths: readonly string[]): Promise<(Looked | undefined)[]>;
  names(folder: string): Promise<string[]>;
  findLink(path: string): Promise<string | undefined>;
  /** Overwrites the opened file, or writes a new one; done when it resolves. */
  write(path: string, over: Looked | undefined, contents: string, cause: Cause): Promise<void>;
  /** Moves the opened file to a free path; done when it resolves. */
  move(opened: Looked, to: string, cause: Cause): Promise<void>;
  /**
   * Takes all steps in order, as one change; done when it resolves. `readings` save parsing the written files again.
   */
  changeAll(steps: readonly TransactionStep[], readings?: Readings): Promise<void>;
  /** Removes the opened file, whose versions the ledger keeps; done when it resolves. */
  discard(opened: Looked, cause: Cause): Promise<void>;
  /**
   * Lets git see the opened file and these earlier lines about it. With no file, it prepares the path for one. Done when
   * it resolves.
   */
  publish(
    path: string,
    opened: Looked | undefined,
    lines: readonly LedgerLine[],
    cause: Cause,
  ): Promise<void>;
  /** Takes the file at this path and its history out of git's sight again; done when it resolves. */
  hide(path: string, opened: Looked | undefined, cause: Cause): Promise<void>;
  /** The ledger's last entry about the file at this path, with the ledger file. */
  known: Ledger["known"];
  /** Applies changes of other machines, then our merges, as one change; complete when it resolves. */
  receive(changes: ReceivedChanges): Promise<void>;
}

/** See `Received` in `pending.ts`. */
export interface ReceivedChanges extends Received {
  /** Steps that merge their changes with ours, each with the time that it has to follow. */
  merges: readonly { step: TransactionStep; lastAt: string }[];
  /** The future owners of the files. */
  claims: readonly { path: string; hash: string; isForeign: boolean }[];
}

/** Enters people's changes in the ledger. */
export interface Entering {
  /** Adds a ledger line for each of these files that differs from the ledger. */
  enter(opened: readonly Opened[]): Promise<void>;
}

/** The file just found at this path. */
export interface Opened {
  path: string;
  looked: Looked | undefined;
}

export interface TransactionOptions {
  clock: Clock;
  files: Files;
  folder: string;
  entries: Entries;
  ledger: Ledger;
  lock: HeldLock;
  ownership: Pick<Ownership, "claim" | "mark" | "own">;
  journal: Pick<Journal, "commit" | "receive">;
  write: LineWriter;
  /** Prepares the folder for its first file. */
  prepare(): Promise<void>;
  keepOut?: KeepOut | undefined;
  idOf(path: string): string;
  /** Reads the files and reports changed ones. */
  lookAt(paths: readonly string[]): Promise<(Looked | undefined)[]>;
}

export function openTransaction(options: TransactionOptions): Transaction & Entering {
  const { ownership, entries, files, folder, idOf, journal, keepOut, ledger, lock, lookAt, write } = options;

  return {
    names: entries.names,
    findLink: entries.findLink,
    enter,

    openAll,
    open: async (path) => (await openAll([path]))[0],

    write: (path, over, contents, cause) => commit([{ path, before: over?.hash ?? null, contents, cause }]),
    move: ({ path: from, hash = null }, to, cause) => commit([{ path: to, from, before: hash, cause }]),
    discard: ({ path, hash = null }, cause) => commit([{ path, before: hash, isRemoved: true, cause }]),
    changeAll: commit,
    known: ledger.known,

    receive: createReceive(options, prepare),

    async publish(path, opened, lines, cause) {
      if (!keepOut) return;
      await prepare([]);
      const own = opened ? [lineOf(path, opened, cause)] : [];
      await keepOut.publish(lock, path, [...lines, ...own]);
      await ledger.readOn();
    },

    async hide(path, opened, cause) {
      if (!keepOut) return;
      await keepOut.hide(lock, path, idOf(path));
      await ledger.readOn();
      if (!opened) return;
      const line = lineOf(path, opened, cause);
      await appendLines(files, folder, `${HIDDEN_LEDGER}/${await ledger.nameFile(line.at)}`, [
        formatLine(line),
      ]);
      await ledger.readOn();
    },
  };

  async function openAll(paths: readonly string[]): Promise<(Looked | undefined)[]> {
    const looked = await lookAt(paths);
    await enter(paths.map((path, n) => ({ path, looked: looked[n] })));
    return looked.map(ownership.mark);
  }

  /** A line that changes nothing in the file. */
  function lineOf(path: string, { hash, text }: Looked, cause: Cause): LedgerLine {
    const version = hash ?? null;
    return write.line(ledger, path, cause, { before: version, after: version, contents: text });
  }

  async function prepare(changes: readonly { path: string; isNew: boolean }[]): Promise<void> {
    await options.prepare();
    await keepOut?.begin(lock, changes);
  }

  async function commit(steps: readonly TransactionStep[], readings?: Readings): Promise<void> {
    const lines = write.steps(ledger, steps);
    const foreign = new Set(lines.filter((_, n) => steps[n]?.cause.isForeign));
    const [first] = lines;
    if (!first) return;
    await prepare(lines.map(({ before, path }) => ({ path, isNew: before === null })));
    // Before the files exist: if the process is killed in between, they still count as the user's.
    await ownership.own(lines, foreign);
    await journal.commit(lock, lines, await ledger.nameFile(first.at));
    await lookAgain(options, lines, readings);
  }

  async function enter(opened: readonly Opened[]): Promise<void> {
    const lines: LedgerLine[] = [];
    for (const { path, looked } of opened) {
      const known = ledger.known(path)?.hash ?? null;
      // An unreadable file stays out of the ledger until someone repairs it.
      if (looked?.reading.kind === "problem" || (looked?.hash ?? null) === known) continue;
      if (!parsePath(path)) continue;
      const operation = looked ? (known === null ? "added by hand" : "edited by hand") : "removed by hand";
      const change = { before: known, after: looked?.hash ?? null, contents: looked?.text };
      lines.push(write.line(ledger, path, { operation }, change));
    }
    const [first] = lines;
    if (!first) return;
    await prepare(lines.map(({ path }) => ({ path, isNew: false })));
    await lock.check();
    const place = { files, folder, isKeptOut: keepOut?.has };
    await appendToLedger(place, await ledger.nameFile(first.at), lines);
    await ledger.readOn();
  }
}

/** Applies changes of other machines. */
function createReceive(
  options: TransactionOptions,
  prepare: (changes: readonly { path: string; isNew: boolean }[]) => Promise<void>,
): Transaction["receive"] {
  const { ownership, clock, journal, keepOut, ledger, lock, write } = options;
  return async ({ claims, lines, merges, steps }) => {
    const own = planMerges(write, ledger, merges);
    const applied = [...steps, ...own];
    await prepare(applied.map(({ before, path }) => ({ path, isNew: before === null })));
    // The others already have what they sent, so it need not stay hidden.
    for (const path of new Set(applied.flatMap(({ after, path: to }) => (after === null ? [] : [to]))))
      if (keepOut?.has(path)) await keepOut.publish(lock, path, []);
    await ownership.claim(claims);
    const ledgerFile = await ledger.nameFile(own[0]?.at ?? new Date(clock.now()).toISOString());
    await journal.receive(lock, { lines: own, ledgerFile, received: { lines, steps } });
    await lookAgain(options, applied);
  };
}

/** Reads the files after a change; what cannot be read now is read next time. */
async function lookAgain(
  { entries, ledger }: Pick<TransactionOptions, "entries" | "ledger">,
  lines: readonly LedgerLine[],
  readings?: Readings,
): Promise<void> {
  try {
    // A moved file's content is known from its old path until that is checked.
    const left = lines.flatMap(({ from }) => from ?? []);
    await entries.lookAll([...lines.map(({ path }) => path), ...left], readings);
    await ledger.readOn();
  } catch {
    // The next check reads it.
  }
}

/** The lines of merges, each later than the lines that it merges and than the previous merge. */
function planMerges(
  write: LineWriter,
  ledger: Pick<Ledger, "known">,
  merges: ReceivedChanges["merges"],
): LedgerLine[] {
  const lines: LedgerLine[] = [];
  for (const { lastAt, step } of merges) {
    const [, last = lastAt] = [lastAt, lines.at(-1)?.at ?? lastAt].sort();
    lines.push(write.after(ledger, step, last));
  }
  return lines;
}
