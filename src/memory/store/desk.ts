/** A shelf under its lock: everything that changes a file of memory, or enters one in the ledger. */
import type { HeldLock } from "../../lock/locks.js";
import type { Files } from "../../seams/files.js";
import { parsePath } from "../path.js";
import type { Border } from "./border.js";
import type { Entries, Looked } from "./entries.js";
import type { Journal } from "./journal.js";
import { appendToLedger, type Ledger } from "./ledger.js";
import type { Cause, LedgerLine } from "./ledger-line.js";
import type { DeskStep, LineWriter } from "./line-writer.js";

/** What may be done under the lock. */
export interface Desk {
  /** The file as it is, what a person has done to it entered in the ledger. */
  open(path: string): Promise<Looked | undefined>;
  names(folder: string): Promise<string[]>;
  findLink(path: string): Promise<string | undefined>;
  /** Writes over what was opened, or where nothing was; done when it resolves. */
  write(path: string, over: Looked | undefined, contents: string, cause: Cause): Promise<void>;
  /** Moves what was opened to where nothing is; done when it resolves. */
  move(opened: Looked, to: string, cause: Cause): Promise<void>;
  /** All of these in their order, as one step; done when it resolves. */
  swap(steps: readonly DeskStep[]): Promise<void>;
  /** Removes what was opened, whose every version the ledger has; done when it resolves. */
  discard(opened: Looked, cause: Cause): Promise<void>;
}

/** For what a person has done to files. */
export interface Entering {
  /** Enters in the ledger which of these files are others than it knows. */
  enter(opened: readonly Opened[]): Promise<void>;
}

/** What was found under this path just now. */
export interface Opened {
  path: string;
  looked: Looked | undefined;
}

export interface DeskOptions {
  files: Files;
  folder: string;
  entries: Entries;
  ledger: Ledger;
  lock: HeldLock;
  border: Pick<Border, "mark" | "own">;
  journal: Pick<Journal, "commit">;
  write: LineWriter;
  /** Makes the folder ready for its first file. */
  prepare(): Promise<void>;
  /** Reads the file as it is, and tells when it is another one than before. */
  lookAt(path: string): Promise<Looked | undefined>;
}

export function openDesk(options: DeskOptions): Desk & Entering {
  const { border, entries, files, folder, journal, ledger, lock, lookAt, prepare, write } = options;

  return {
    names: entries.names,
    findLink: entries.findLink,
    enter,

    async open(path) {
      const looked = await lookAt(path);
      await enter([{ path, looked }]);
      return border.mark(looked);
    },

    write: (path, over, contents, cause) => commit([{ path, before: over?.hash ?? null, contents, cause }]),
    move: ({ path: from, hash = null }, to, cause) => commit([{ path: to, from, before: hash, cause }]),
    discard: ({ path, hash = null }, cause) => commit([{ path, before: hash, isRemoved: true, cause }]),
    swap: commit,
  };

  async function commit(steps: readonly DeskStep[]): Promise<void> {
    const lines = write.steps(ledger, steps);
    const [first] = lines;
    if (!first) return;
    await prepare();
    // Before the files are there: who is killed in between has not lost the user's word.
    await border.own(lines);
    await journal.commit(lock, lines, await ledger.nameFile(first.at));
    try {
      for (const { from, path } of lines) {
        await entries.look(path);
        if (from !== undefined) await entries.look(from);
      }
      await ledger.readOn();
    } catch {
      // It is done; what could not be read just now is read with the next look.
    }
  }

  async function enter(opened: readonly Opened[]): Promise<void> {
    const lines: LedgerLine[] = [];
    for (const { path, looked } of opened) {
      const known = ledger.known(path)?.hash ?? null;
      // What cannot be read stays out of it until somebody has mended it.
      if (looked?.reading.kind === "problem" || (looked?.hash ?? null) === known) continue;
      if (!parsePath(path)) continue;
      const operation = looked ? (known === null ? "added by hand" : "edited by hand") : "removed by hand";
      const change = { before: known, after: looked?.hash ?? null, contents: looked?.text };
      lines.push(write.line(ledger, path, { operation }, change));
    }
    const [first] = lines;
    if (!first) return;
    await prepare();
    await lock.check();
    await appendToLedger(files, folder, await ledger.nameFile(first.at), lines);
    await ledger.readOn();
  }
}
