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
import { formatError } from "../../error.js";
import type { HeldLock, Locks } from "../../lock/locks.js";
import type { Log } from "../../record/log.js";
import type { NamedContents } from "../../trust/record.js";
import type { Trust } from "../../trust/trust.js";
import { formatID, formatPrefix } from "../id.js";
import type { Memory } from "../memory.js";
import { LEDGER, parsePath, splitPath } from "../path.js";
import { createBorder } from "./border.js";
import { type Desk, type Entering, type Opened, openDesk } from "./desk.js";
import { createEntries, type Entries, type EntriesOptions, type Entry, type Looked } from "./entries.js";
import { createJournal } from "./journal.js";
import { readKnown, writeKnown } from "./known-files.js";
import { createLedger, type Ledger } from "./ledger.js";
import { createLedgerCopy } from "./ledger-copy.js";
import type { Cause, LedgerLine } from "./ledger-line.js";
import { createLineWriter } from "./line-writer.js";
import { findPutBack } from "./put-back.js";

export interface ShelfOptions extends EntriesOptions {
  locks: Locks;
  log: Log;
  instance: string;
  /** Machine state of this shelf. */
  state: string;
  /** Names this clone of the repository; the same for all its instances. */
  nameClone: () => Promise<string>;
  /** Makes the folder ready for its first file. */
  prepare: () => Promise<void>;
  /** Does the host's undo reach it? Not what git ignores, nor what lies outside of the project. */
  isUndone?: boolean;
  /** Tells the user's own words from others; without it all of them are his. */
  trust?: Trust | undefined;
  /** Is given the ids of memories that are others now than they were at the last look, whoever looks. */
  onSeen?: (ids: readonly string[]) => void;
}

export interface Shelf {
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
  change<T>(action: (desk: Desk) => Promise<T>): Promise<T>;
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
}

/** So many changed files make it worth while to write down what was read. */
const WORTH_KEEPING = 200;
const LINES_AT_A_TIME = 200;
const LOCK_WAIT_MS = 8_000;

export function createShelf(options: ShelfOptions): Shelf {
  const { files, locks, log, folder, state, nameClone, prepare } = options;
  const prefix = formatPrefix(options);
  const border = createBorder({ ...options, prefix });
  const journal = createJournal({
    ...{ files, folder, log, prefix },
    path: join(state, "pending.json"),
    beforeRecovery: border.disownUnknown,
  });
  const ledgerFolder = join(folder, LEDGER);
  const write = createLineWriter({ ...options, idOf });
  const copy = createLedgerCopy({ files, ledger: ledgerFolder, folder: join(state, LEDGER) });
  let loading: Promise<Loaded> | undefined;
  let scanning: Promise<void> | undefined;
  let loaded: Loaded | undefined;
  let hasWarned = false;

  const shelf: Shelf = {
    folder,
    entries: () => loaded?.entries.all() ?? [],
    memories: () => (loaded ? border.memories(loaded.entries) : NONE),
    look: async (path) => border.mark(await lookAt((await load()).entries, path)),

    isDeciding: border.isDeciding,
    foreign: () => (loaded ? border.foreign(loaded.entries) : new Map()),
    readLedger: async () => (await load()).ledger.readAll(),

    /** Two who ask at a time wait for one look; one who asks later gets a later one. */
    scan() {
      scanning ??= scan().finally(() => {
        scanning = undefined;
      });
      return scanning;
    },

    async change(action) {
      const done = await withDesk(action);
      await keepCopy();
      return done;
    },

    async mendAfterUndo(cause, touched) {
      const { entries, ledger } = await load();
      const mended = await withDesk(async (desk, lock) => {
        for (const [name, lines] of await copy.findMissing()) {
          await lock.check();
          await files.appendLine(join(ledgerFolder, name), lines.join("\n"));
        }
        await ledger.readOn();
        see(await entries.scan());
        const found = findPutBack(await ledger.readAll(), {
          now: new Date(options.clock.now()).toISOString(),
          isTouched: (path) => touched?.has(join(folder, path)) ?? true,
          hashAt: (path) => (entries.get(path) ? entries.get(path)?.hash : null),
        });
        await desk.swap(
          found.map(({ before, contents, path }) =>
            contents === null ? { path, before, isRemoved: true, cause } : { path, before, contents, cause },
          ),
        );
        return found.map(({ path }) => idOf(path));
      });
      await keepCopy();
      return mended;
    },

    idOf,
  };
  return shelf;

  function idOf(path: string): string {
    const parts = splitPath(path);
    return parts ? formatID({ ...options, ...parts }) : path;
  }

  async function withDesk<T>(action: (desk: Desk & Entering, lock: HeldLock) => Promise<T>): Promise<T> {
    const { entries, ledger } = await load();
    return locks.withLock(
      join(state, "lock"),
      async (lock) => {
        await journal.recover(lock);
        await ledger.readOn();
        await border.refresh();
        const look = (path: string): Promise<Looked | undefined> => lookAt(entries, path);
        const known = { files, folder, border, journal, write, prepare };
        return action(openDesk({ ...known, entries, ledger, lock, lookAt: look }), lock);
      },
      { waitMs: LOCK_WAIT_MS },
    );
  }

  async function load(): Promise<Loaded> {
    loading ??= (async () => {
      const owner = await border.nameOwner();
      const known = await readKnown(files, join(state, "known.jsonl"), { owner, prefix });
      const ledger = createLedger({ files, log, folder: ledgerFolder, nameClone, prefix }, known?.position);
      loaded = { entries: createEntries(options, known?.entries), ledger };
      return loaded;
    })();
    // A disk that could not be read now may be read later.
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  }

  async function scan(): Promise<void> {
    if (!(await files.statItself(folder))) {
      await border.noteAbsence();
      if (loaded) see(await loaded.entries.scan());
      return;
    }
    await border.prepareLook();
    const { entries, ledger } = await load();
    if (await journal.isPending()) await tryChange(async () => {});
    const changed = await entries.scan();
    const seen = new Set(changed);
    try {
      await ledger.readOn();
      for (const path of await border.settle(entries)) seen.add(path);
    } finally {
      see([...seen]);
    }
    const strange = findDrift(entries, ledger);
    if (strange.length > 0) await tryChange((desk) => enterAll(desk, entries, strange));
    await keepCopy();
    if (changed.length >= WORTH_KEEPING) await keep(entries, ledger);
  }

  /** Of what the host's undo could reach. Without it nothing is lost but the way back. */
  async function keepCopy(): Promise<void> {
    if (!options.isUndone || !options.trust?.isWatching) return;
    try {
      if (loaded) await copy.follow(loaded.ledger.offsets);
    } catch (thrown) {
      log.debug("memory", `cannot copy ${ledgerFolder}: ${formatError(thrown)}`);
    }
  }

  async function lookAt(entries: Entries, path: string): Promise<Looked | undefined> {
    const before = entries.get(path)?.hash;
    const looked = await entries.look(path);
    if (looked?.hash !== before) see([path]);
    return looked;
  }

  /** A change is found by one look only: what comes after finds the file as it is known. */
  function see(paths: readonly string[]): void {
    const ids = paths.filter((path) => splitPath(path) !== undefined).map(idOf);
    if (ids.length > 0) options.onSeen?.(ids);
  }

  /** Who cannot write can still read. */
  async function tryChange(action: (desk: Desk & Entering) => Promise<void>): Promise<void> {
    try {
      await withDesk(action);
    } catch (thrown) {
      const what = `cannot enter in ${ledgerFolder} what was changed by hand: ${formatError(thrown)}`;
      if (!hasWarned) log.warn("memory", what);
      hasWarned = true;
    }
  }

  async function enterAll(desk: Entering, entries: Entries, paths: readonly string[]): Promise<void> {
    for (let from = 0; from < paths.length; from += LINES_AT_A_TIME) {
      const opened: Opened[] = [];
      for (const path of paths.slice(from, from + LINES_AT_A_TIME))
        opened.push({ path, looked: await lookAt(entries, path) });
      await desk.enter(opened);
    }
  }

  async function keep(entries: Entries, ledger: Ledger): Promise<void> {
    try {
      const owner = await border.nameOwner();
      if (options.trust && owner === undefined) return;
      await writeKnown(files, join(state, "known.jsonl"), {
        entries: entries.all(),
        position: ledger.position(),
        owner,
      });
    } catch (thrown) {
      log.debug("memory", `cannot keep what was read: ${formatError(thrown)}`);
    }
  }
}

const NONE: readonly Memory[] = [];

interface Loaded {
  entries: Entries;
  ledger: Ledger;
}

/** Paths of files that are others than the ledger knows, and of those that it knows and that are gone. Pure. */
function findDrift(entries: Entries, ledger: Ledger): string[] {
  const changed = entries
    .all()
    .filter(({ path, hash, reading }) => reading.kind === "memory" && ledger.known(path)?.hash !== hash)
    .map(({ path }) => path)
    .filter((path) => parsePath(path) !== undefined);
  const gone = [...ledger.paths()].filter((path) => !entries.get(path) && ledger.known(path)?.hash !== null);
  return [...changed, ...gone];
}
