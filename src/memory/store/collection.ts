/**
 * One folder of memories with its ledger: those of the project, the private ones of the project, and the same two for
 * what holds everywhere. Everything that changes a file goes through here, under one lock for all processes.
 *
 *     <folder>/<type>/<name>.md            <state>/lock, pending.json     machine state, may be deleted
 *     <folder>/archive/<type>/<name>.md
 *     <folder>/ledger/….jsonl
 *
 * What differs from the ledger was changed with an editor or by git. It is the truth: it is entered there, as done by a
 * person, before anything else happens to it.
 */
import { join } from "node:path";
import { formatError } from "../../base/error.js";
import type { HeldLock, Locks } from "../../io/locks.js";
import type { Log } from "../../io/log.js";
import { formatPrefix, type Place } from "../memory.js";
import { formatPath, idOf, LEDGER, parsePath, splitPath } from "../path.js";
import type { Trust } from "../trust/trust.js";
import { type Cause, createLedger, type Ledger } from "./ledger.js";
import { createOwnership } from "./ownership.js";
import {
  type CollectionPlace,
  createEntries,
  type Entries,
  type EntriesOptions,
  type Looked,
} from "./scan.js";
import type { Transaction, TransactionOptions } from "./transaction.js";
import type { UndoGuard } from "./undo-guard.js";

export interface CollectionOptions extends Pick<EntriesOptions, "clock" | "files" | "refusesSecrets"> {
  place: CollectionPlace;
  locks: Locks;
  log: Log;
  instance: string;
  /** Tells the user's own words from others; without it all of them are the user's. */
  trust?: Trust | undefined;
  /** Called before each scan. Never rejects. */
  beforeScan?: (() => Promise<void>) | undefined;
  /** Called with the ids of memories that have changed since they were last seen, whoever looks. */
  onSeen?: (ids: readonly string[]) => void;
}

export type Collection = ReturnType<typeof createCollection>;

const LOCK_WAIT_MS = 8_000;

export function createCollection(options: CollectionOptions) {
  const { files, log, place } = options;
  const { folder, state } = place;
  const prefix = formatPrefix(place);
  const entries = createEntries({ ...options, ...place });
  const ledger = openLedger(options, place);
  const ownership = createOwnership({ ...options, folder, prefix, entries, ledger });
  const journal = { files, folder, log, prefix, path: join(state, "pending.json") };
  const { look, see } = createLook(options, place, entries);
  let undoGuard: UndoGuard | undefined;
  const parts = { ...options, entries, ledger, ownership, journal, look };
  const { tryUnderLock, underLock } = createLockedActions(parts);

  return {
    place,
    folder,
    entries: entries.all,
    /** As they were last seen; the same list as long as none has changed. */
    memories: ownership.memories,
    /** True while the ownership of some files is being determined. */
    isDeciding: ownership.isDeciding,
    /** Names and hashes of the files that are not the user's, by the ids of their memories. */
    foreign: ownership.foreign,
    readLedger: ledger.readAll,
    /** Checks the files, and enters people's changes in the ledger. */
    scan: shareNext(scan),
    change,
    /** The file as it is now. */
    look: async (path: string): Promise<Looked | undefined> => ownership.mark(await look(path)),

    /**
     * Reverts what the host's undo has done to these files, absolute, or to any; returns the ids of what was mended.
     * Rejects when the disk fails.
     */
    mendAfterUndo: (cause: Cause, touched?: ReadonlySet<string>): Promise<string[]> =>
      change(async (transaction, lock) => {
        const guard = await openUndoGuard();
        await guard.restoreLedger(lock);
        await ledger.readOn();
        see(await entries.scan());
        const paths = await guard.mend(transaction, { entries, ledger }, { cause, touched });
        return paths.map((path) => idOf(place, path));
      }),
  };

  /** Runs `action` under the lock, after recovering unfinished changes. */
  async function change<T>(action: (transaction: Transaction, lock: HeldLock) => Promise<T>): Promise<T> {
    const done = await underLock(action);
    await keepCopy();
    return done;
  }

  async function openUndoGuard(): Promise<UndoGuard> {
    undoGuard ??= (await import("./undo-guard.js")).createUndoGuard(options);
    return undoGuard;
  }

  async function keepCopy(): Promise<void> {
    if (place.isUndone && options.trust?.isWatching) await (await openUndoGuard()).keepCopy(ledger.sizes());
  }

  async function scan(): Promise<void> {
    await options.beforeScan?.();
    await ownership.prepareLook();
    if (!(await files.statItself(folder))) {
      // A session then knows that later files are new.
      await ownership.classify();
      return see(await entries.scan());
    }
    if (await files.statItself(journal.path)) await tryUnderLock(async () => {});
    const seen = new Set(await entries.scan());
    try {
      await ledger.readOn();
      for (const path of await ownership.classify()) seen.add(path);
    } finally {
      see([...seen]);
    }
    const drift = findDrift(entries, ledger);
    if (drift.length > 0) await tryUnderLock((transaction) => transaction.enter(drift));
    await keepCopy();
  }
}

type LockedParts = Omit<TransactionOptions, "lock"> & Pick<CollectionOptions, "locks" | "log">;

function createLockedActions(parts: LockedParts) {
  const { locks, log, place } = parts;
  return { tryUnderLock, underLock };

  function underLock<T>(action: (transaction: Transaction, lock: HeldLock) => Promise<T>): Promise<T> {
    return locks.withLock(
      join(place.state, "lock"),
      async (lock) => {
        const { beginTransaction } = await import("./transaction.js");
        return action(await beginTransaction({ ...parts, lock }), lock);
      },
      { waitMs: LOCK_WAIT_MS },
    );
  }

  /** Where nothing can be written, memories can still be read. */
  async function tryUnderLock(action: (transaction: Transaction) => Promise<void>): Promise<void> {
    await underLock(action).catch((thrown) => {
      const path = join(place.folder, LEDGER);
      log.warn("memory", `cannot enter in ${path} what was changed by hand: ${formatError(thrown)}`);
    });
  }
}

/** Reports changed memories once each: the next look finds the file as it is known. */
function createLook({ onSeen }: CollectionOptions, place: CollectionPlace, entries: Entries) {
  return { look, see };

  async function look(path: string): Promise<Looked | undefined> {
    const before = entries.get(path)?.hash;
    const looked = await entries.look(path);
    if (looked?.hash !== before) see([path]);
    return looked;
  }

  function see(paths: readonly string[]): void {
    const ids = paths.filter((path) => splitPath(path) !== undefined).map((path) => idOf(place, path));
    if (ids.length > 0) onSeen?.(ids);
  }
}

/** The ledger of the memories at this place. */
export function openLedger({ files, log }: Pick<CollectionOptions, "files" | "log">, place: CollectionPlace) {
  return createLedger({
    ...{ files, log, prefix: formatPrefix(place), nameClone: place.nameClone },
    folder: join(place.folder, LEDGER),
  });
}

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

export function findCollection(
  collections: readonly Collection[],
  { scope, sensitivity }: Pick<Place, "scope" | "sensitivity">,
): Collection {
  const found = collections.find(({ place }) => place.scope === scope && place.sensitivity === sensitivity);
  if (!found) throw new TypeError(`no folder for ${scope} ${sensitivity}`);
  return found;
}

/** The two possible paths of a memory's file, relative to its collection: in use, and archived. */
export function pathsOf(place: Pick<Place, "type" | "name">): [string, string] {
  return [formatPath({ ...place, isArchived: false }), formatPath({ ...place, isArchived: true })];
}
