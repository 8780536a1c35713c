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
import { formatError } from "../error.js";
import type { HeldLock, Locks } from "../lock/locks.js";
import type { Log } from "../record/log.js";
import type { NamedContents } from "../trust/record.js";
import type { Trust } from "../trust/trust.js";
import { createBorder } from "./border.js";
import { createEntries, type Entries, type EntriesOptions, type Entry, type Looked } from "./entries.js";
import { formatID, formatPrefix } from "./id.js";
import { createJournal } from "./journal.js";
import { readKnown, writeKnown } from "./known-files.js";
import { appendToLedger, createLedger, type Ledger } from "./ledger.js";
import type { LedgerLine } from "./ledger-line.js";
import { createLineWriter, type DeskStep } from "./line-writer.js";
import type { Memory } from "./memory.js";
import { LEDGER, parsePath, splitPath } from "./path.js";
import type { Cause } from "./store.js";
import { findStrange } from "./strange.js";

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
  /** Tells the user's own words from others; without it all of them are his. */
  trust?: Trust | undefined;
}

export interface Shelf {
  readonly folder: string;
  /** Looks at the files; the ids of memories that are others now. Enters what a person has done in the ledger. */
  scan(): Promise<string[]>;
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
  idOf(path: string): string;
}

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
  let loading: Promise<Loaded> | undefined;
  let scanning: Promise<string[]> | undefined;
  let loaded: Loaded | undefined;
  let hasWarned = false;

  const shelf: Shelf = {
    folder,
    entries: () => loaded?.entries.all() ?? [],
    memories: () => (loaded ? border.memories(loaded.entries) : NONE),
    look: async (path) => border.mark(await (await load()).entries.look(path)),

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
      const { entries, ledger } = await load();
      return locks.withLock(
        join(state, "lock"),
        async (lock) => {
          await journal.recover(lock);
          await ledger.readOn();
          await border.refresh();
          return action(openDesk(entries, ledger, lock));
        },
        { waitMs: LOCK_WAIT_MS },
      );
    },

    idOf,
  };
  return shelf;

  function idOf(path: string): string {
    const parts = splitPath(path);
    return parts ? formatID({ ...options, ...parts }) : path;
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

  async function scan(): Promise<string[]> {
    if (!(await files.statItself(folder))) {
      await border.noteAbsence();
      return loaded ? (await loaded.entries.scan()).map(shelf.idOf) : [];
    }
    await border.prepareLook();
    const { entries, ledger } = await load();
    if (await journal.isPending()) await tryChange(async () => {});
    const changed = await entries.scan();
    await ledger.readOn();
    const settled = await border.settle(entries);
    const strange = findStrange(entries, ledger);
    if (strange.length > 0) await tryChange((desk) => enterAll(desk, entries, strange));
    if (changed.length >= WORTH_KEEPING) await keep(entries, ledger);
    return [...new Set([...changed, ...settled].map(shelf.idOf))];
  }

  /** Who cannot write can still read. */
  async function tryChange(action: (desk: Desk & Entering) => Promise<void>): Promise<void> {
    try {
      await shelf.change((desk) => action(desk as Desk & Entering));
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
        opened.push({ path, looked: await entries.look(path) });
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

  function openDesk(entries: Entries, ledger: Ledger, lock: HeldLock): Desk & Entering {
    return {
      names: entries.names,
      findLink: entries.findLink,
      enter,

      async open(path) {
        const looked = await entries.look(path);
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

    /** Enters in the ledger which of these files are others than it knows. */
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
}

const NONE: readonly Memory[] = [];

interface Entering {
  enter(opened: readonly Opened[]): Promise<void>;
}

/** What was found under this path just now. */
interface Opened {
  path: string;
  looked: Looked | undefined;
}

interface Loaded {
  entries: Entries;
  ledger: Ledger;
}
