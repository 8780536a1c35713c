/**
 * One folder of memories with its ledger: those of the project, the private ones of the project, and the same two for
 * what holds everywhere. Everything that changes a file goes through here, under one lock for all processes.
 *
 *     <folder>/<type>/<name>.md            <state>/lock, pending.json     machine state, may be deleted
 *     <folder>/archive/<type>/<name>.md    <state>/known.jsonl            what was read, so that a start need not read it
 *     <folder>/ledger/….jsonl
 *
 * What differs from the ledger was changed with an editor or by git. It is the truth: it is entered there, as done by a
 * person, before anything else happens to it.
 */
import { join } from "node:path";
import { formatError } from "../../base/error.js";
import type { HeldLock, Locks } from "../../io/locks.js";
import type { Log } from "../../io/log.js";
import { formatID, formatPrefix, type Memory } from "../memory.js";
import { LEDGER, parsePath, splitPath } from "../path.js";
import type { NamedContents } from "../trust/record.js";
import type { Trust } from "../trust/trust.js";
import { type CollectionLoading, createCollectionLoading } from "./collection-loading.js";
import type { Entries, EntriesOptions, Entry, Looked } from "./entries.js";
import { createJournal, type Journal } from "./journal.js";
import type { KeepOut } from "./keep-out.js";
import type { Ledger } from "./ledger.js";
import type { Cause, LedgerLine } from "./ledger-line.js";
import { createLineWriter } from "./line-writer.js";
import { createOwnership, type Ownership } from "./ownership.js";
import { type Entering, type Opened, openTransaction, type Transaction } from "./transaction.js";
import { createUndoGuard } from "./undo-guard.js";

export interface CollectionOptions extends EntriesOptions {
  locks: Locks;
  log: Log;
  instance: string;
  /** Machine state of this collection. */
  state: string;
  /** Names this clone of the repository; the same for all its instances. */
  nameClone: () => Promise<string>;
  /** Makes the folder ready for its first file. */
  prepare: () => Promise<void>;
  /** Does the host's undo reach it? Not what git ignores, nor what lies outside of the project. */
  isUndone?: boolean;
  /** Tells the user's own words from others; without it all of them are his. */
  trust?: Trust | undefined;
  /** Decides which memories git ignores; without it all memories of the collection are alike. */
  keepOut?: KeepOut | undefined;
  /** See `CollectionPlace`. */
  keepsOut?: true;
  /** Is given the ids of memories that are others now than they were at the last look, whoever looks. */
  onSeen?: (ids: readonly string[]) => void;
}

export interface Collection {
  readonly folder: string;
  /** Looks at the files, and enters in the ledger what a person has done. */
  scan(): Promise<void>;
  entries(): readonly Entry[];
  /** As they were last seen; the same list as long as none has changed. */
  memories(): readonly Memory[];
  /** Is it being asked whose some files are? */
  isDeciding(): boolean;
  /** The contents under their names that are not the user's, by the ids of their memories. */
  foreign(): ReadonlyMap<string, NamedContents>;
  /** Runs `action` under the lock, when everything half-done is done. */
  change<T>(action: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** The file as it is now. */
  look(path: string): Promise<Looked | undefined>;
  /** All lines of its ledger. */
  readLedger(): Promise<LedgerLine[]>;
  /**
   * Makes undone what the host's undo has done to these files, absolute, or to any; the ids of what was mended. Rejects
   * when the disk fails.
   */
  mendAfterUndo(cause: Cause, touched?: ReadonlySet<string>): Promise<string[]>;
  idOf(path: string): string;
  /** Does git ignore the file at this path, by the rules last read? */
  isKeptOut(path: string): boolean;
}

/** With this many changed files it is worth writing down what was read. */
const WORTH_KEEPING = 200;
const LINES_AT_A_TIME = 200;
const LOCK_WAIT_MS = 8_000;

export function createCollection(options: CollectionOptions): Collection {
  const { files, keepOut, log, folder, state } = options;
  const prefix = formatPrefix(options);
  const ownership = createOwnership({ ...options, prefix, ledger: () => loading.current()?.ledger });
  const path = join(state, "pending.json");
  const beforeRecovery = ownership.disownUnknown;
  const isKeptOut = (path: string): boolean => keepOut?.has(path) ?? false;
  const journal = createJournal({ files, folder, log, prefix, path, isKeptOut, beforeRecovery });
  const loading = createCollectionLoading({ ...options, nameOwner: ownership.nameOwner, prefix });
  const { load } = loading;
  const { idOf, lookIn, see } = createSight(options);
  const withTransaction = createTransactions(options, { ownership, idOf, journal, load, lookIn });
  const undoGuard = createUndoGuard({ ...options, idOf });
  const warn = createWarnOnce(log, join(folder, LEDGER));
  let keptChanges = 0;

  return {
    folder,
    entries: () => loading.read((entries) => entries.all()) ?? [],
    memories: () => loading.read(ownership.memories) ?? NONE,
    look: async (path) => ownership.mark((await lookIn((await load()).entries)([path]))[0]),

    isDeciding: ownership.isDeciding,
    foreign: () => loading.read(ownership.foreign) ?? new Map(),
    readLedger: async () => (await load()).ledger.readAll(),

    scan: shareNext(scan),

    change,

    async mendAfterUndo(cause, touched) {
      const loaded = await load();
      return change(async (transaction, lock) => {
        await undoGuard.restoreLedger(lock);
        await loaded.ledger.readOn();
        see(await loaded.entries.scan());
        return undoGuard.mend(transaction, loaded, { cause, touched });
      });
    },

    idOf,
    isKeptOut,
  };

  async function change<T>(action: (transaction: Transaction, lock: HeldLock) => Promise<T>): Promise<T> {
    const done = await withTransaction(action);
    await undoGuard.keepCopy(loading.current()?.ledger);
    return done;
  }

  async function scan(): Promise<void> {
    if (!(await files.statItself(folder))) {
      await ownership.noteAbsence();
      see((await loading.current()?.entries.scan()) ?? []);
      return;
    }
    await ownership.prepareLook();
    await keepOut?.look();
    const { entries, ledger } = await load();
    if (await journal.isPending()) await tryChange(async () => {});
    const changed = await entries.scan();
    const seen = new Set(changed);
    try {
      await ledger.readOn();
      for (const path of await ownership.settle(entries)) seen.add(path);
    } finally {
      see([...seen]);
    }
    const drift = findDrift(entries, ledger);
    if (drift.length > 0) await tryChange((transaction) => enterAll(transaction, drift, lookIn(entries)));
    await undoGuard.keepCopy(ledger);
    if (entries.changes - keptChanges >= WORTH_KEEPING) {
      keptChanges = entries.changes;
      await loading.keep();
    }
  }

  /** Where nothing can be written, memories can still be read. */
  async function tryChange(
    action: (transaction: Transaction & Entering, lock: HeldLock) => Promise<void>,
  ): Promise<void> {
    await withTransaction(action).catch(warn);
  }
}

const NONE: readonly Memory[] = [];

/** A call during a run waits for the next run: the current one may have read a file before the caller changed it. */
function shareNext(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  return () => {
    next ??= startAfter(running);
    return next;
  };

  async function startAfter(earlier: Promise<void> | undefined): Promise<void> {
    await earlier?.catch(() => {});
    running = next;
    next = undefined;
    await run();
  }
}

interface TransactionParts extends Pick<ReturnType<typeof createSight>, "idOf" | "lookIn"> {
  ownership: Ownership;
  journal: Journal;
  load: CollectionLoading["load"];
}

/** Runs an action under the lock of the collection, when everything half-done is done. */
function createTransactions(
  options: CollectionOptions,
  { ownership, idOf, journal, load, lookIn }: TransactionParts,
) {
  const { clock, files, folder, keepOut, locks, prepare, state } = options;
  const write = createLineWriter({ ...options, idOf });
  return async <T>(
    action: (transaction: Transaction & Entering, lock: HeldLock) => Promise<T>,
  ): Promise<T> => {
    const { entries, ledger } = await load();
    return locks.withLock(
      join(state, "lock"),
      async (lock) => {
        await keepOut?.look();
        await journal.recover(lock);
        await ledger.readOn();
        await ownership.refresh();
        const known = { clock, files, folder, ownership, journal, keepOut, write, prepare, idOf };
        return action(openTransaction({ ...known, entries, ledger, lock, lookAt: lookIn(entries) }), lock);
      },
      { waitMs: LOCK_WAIT_MS },
    );
  };
}

type LookAt = (paths: readonly string[]) => Promise<(Looked | undefined)[]>;

/** What was found is told as memories, once for each change: the next look finds the file as it is known. */
function createSight(options: Pick<CollectionOptions, "onSeen" | "scope" | "sensitivity">) {
  return { idOf, lookIn, see };

  function idOf(path: string): string {
    const parts = splitPath(path);
    return parts ? formatID({ ...options, ...parts }) : path;
  }

  function lookIn(entries: Entries): LookAt {
    return async (paths) => {
      const before = paths.map((path) => entries.get(path)?.hash);
      const looked = await entries.lookAll(paths);
      see(paths.filter((_, n) => looked[n]?.hash !== before[n]));
      return looked;
    };
  }

  function see(paths: readonly string[]): void {
    const ids = paths.filter((path) => splitPath(path) !== undefined).map(idOf);
    if (ids.length > 0) options.onSeen?.(ids);
  }
}

async function enterAll(transaction: Entering, paths: readonly string[], lookAt: LookAt): Promise<void> {
  for (let from = 0; from < paths.length; from += LINES_AT_A_TIME) {
    const some = paths.slice(from, from + LINES_AT_A_TIME);
    const looked = await lookAt(some);
    await transaction.enter(some.map((path, n): Opened => ({ path, looked: looked[n] })));
  }
}

function createWarnOnce(log: Log, ledger: string): (thrown: unknown) => void {
  let hasWarned = false;
  return (thrown) => {
    const what = `cannot enter in ${ledger} what was changed by hand: ${formatError(thrown)}`;
    if (!hasWarned) log.warn("memory", what);
    hasWarned = true;
  };
}

/** Paths of files that differ from what the ledger knows, and of those it knows that are gone. */
function findDrift(entries: Entries, ledger: Ledger): string[] {
  const changed = entries
    .all()
    .filter(({ path, hash, reading }) => reading.kind === "memory" && ledger.known(path)?.hash !== hash)
    .map(({ path }) => path)
    .filter((path) => parsePath(path) !== undefined);
  const gone = [...ledger.paths()].filter((path) => !entries.get(path) && ledger.known(path)?.hash !== null);
  return [...changed, ...gone];
}
