/** The store on disk: four collections behind one set of ids. The contract stands in store.ts, the files in shelf.ts. */
import { join } from "node:path";
import { formatError } from "../../base/error.js";
import { anyList, number, object, string } from "../../base/shape.js";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import { createLineLog } from "../../io/json-lines.js";
import type { Locks } from "../../io/locks.js";
import type { Log } from "../../io/log.js";
import type { Folders } from "../../project/folders.js";
import type { MemoryGate } from "../draft.js";
import { type Memory, parseID } from "../memory.js";
import type { Use } from "../rank.js";
import type { Trust } from "../trust/trust.js";
import { createChangeAll, isOn, type Standing } from "./change-all.js";
import { type Changes, createChanges } from "./changes/changes.js";
import { createCollection } from "./collection.js";
import { isConflictRecord, nameConflictRecord, readConflictRecords } from "./conflict-log.js";
import type { ExchangeOptions } from "./exchange/exchange.js";
import { createIndexWriter } from "./index-writer.js";
import { type KeepOutOptions, openKeepOut } from "./keep-out.js";
import { sortByTime } from "./ledger-line.js";
import { planPlaces } from "./places.js";
import type { Exchange, FileProblem, OpenMemories } from "./store.js";
import { createUndo } from "./undo.js";

export interface MemoryStoreOptions extends Omit<KeepOutOptions, "files"> {
  clock: Clock;
  files: Files;
  locks: Locks;
  log: Log;
  folders: Folders;
  /** The user's own, for what holds in all projects. */
  globalFolder: string;
  instance: string;
  /** Of each `MEMORY.md`. */
  limits: { maxLines: number; maxSize: number };
  /** Why this may not be written, such as a secret in it; asked before every write of our own. */
  gate?: MemoryGate;
  /** Tells the user's own words from others; without it all of them are his. */
  trust?: Trust;
}

/** Touches no file until it is asked for something. */
export function createMemoryStore(options: MemoryStoreOptions): OpenMemories {
  const { clock, files, log, folders, trust } = options;
  const uses = createUses({ clock, files, log, folder: join(folders.memoryState, "uses") });
  const indexes = createIndexWriter({ ...options, useOf: uses.of });
  const listeners: ((changed: readonly string[]) => void)[] = [];
  const report = createProblemReport(log);
  const indexed = new Set<Standing>();
  const standings: Standing[] = planPlaces(options).map((place) => {
    const keepOut = openKeepOut(options, place);
    const collection = createCollection({
      ...options,
      ...place,
      keepOut,
      onSeen: (ids) => onChanged(standing, ids),
    });
    const read = async (): Promise<Memory[]> => {
      await collection.scan();
      const isHere = ({ isKeptOut }: Memory): boolean => !isKeptOut || collection.isKeptOut("MEMORY.md");
      return collection.memories().filter(isCurrent).filter(isHere);
    };
    const index = { folder: place.folder, state: place.state, read };
    const standing: Standing = { place, collection, index, ...(keepOut && { keepOut }) };
    return standing;
  });
  function onChanged(standing: Standing, ids: readonly string[]): void {
    indexes.touch(standing.index);
    tell(ids);
  }
  trust?.onChange(() => {
    for (const standing of standings) indexes.touch(standing.index);
    tell(standings.flatMap(({ collection }) => collection.memories().map(({ id }) => id)));
  });
  const onSaidAgain = (id: string): void => uses.note([id]);
  const changes = createChanges({ ...options, standings, onWritten: onChanged, onSaidAgain });
  const reads = createReads(standings, changes.find);

  return {
    ...reads,
    read: async (id) => (await changes.find(id))?.memory,

    async list({ archived = false } = {}) {
      await uses.load();
      await Promise.all(standings.map(scan));
      return archived ? standings.flatMap(({ collection }) => collection.memories()) : reads.known();
    },

    remember: changes.remember,
    update: changes.update,
    archive: changes.archive,
    restore: changes.restore,
    changeAll: createChangeAll({ ...options, standings, onWritten: onChanged }),
    undo: createUndo({ standings, onWritten: onChanged }),
    adopt: changes.adopt,
    adoptAll: changes.adoptAll,
    discard: changes.discard,
    publish: changes.publish,
    exchange: openExchange({ clock, files, folder: folders.memory, standings, trust, onWritten: onChanged }),
    onChange: (listener) => void listeners.push(listener),
    noteUse: uses.note,
    useOf: uses.of,

    ...createAcceptance({ files, folder: folders.memory, standings, trust }),

    async mendAfterUndo(cause, touched) {
      const mended: string[] = [];
      for (const standing of standings.filter(({ place }) => place.isUndone)) {
        const ids = await standing.collection.mendAfterUndo(cause, touched);
        onChanged(standing, ids);
        mended.push(...ids);
      }
      return mended;
    },

    async onIdle() {
      await uses.onIdle();
      await indexes.flush();
    },
  };

  async function scan(standing: Standing): Promise<void> {
    await standing.collection.scan();
    for (const problem of findProblems(standing)) report(problem);
    // Once at the start: the index may lack what a killed instance wrote.
    const isFirst = !indexed.has(standing);
    indexed.add(standing);
    if (isFirst && standing.collection.entries().length > 0) indexes.touch(standing.index);
  }

  function tell(changed: readonly string[]): void {
    if (changed.length > 0) for (const listener of listeners) listener(changed);
  }
}

/** Loads the exchange on first use. */
function openExchange(options: ExchangeOptions): Exchange {
  const open = async (): Promise<Exchange> =>
    (await import("./exchange/exchange.js")).createExchange(options);
  return {
    read: async (scope) => (await open()).read(scope),
    take: async (scope, lines, given) => (await open()).take(scope, lines, given),
  };
}

/** Logs each problem once. */
function createProblemReport(log: Log): (problem: FileProblem) => void {
  const reported = new Set<string>();
  return ({ path, what }) => {
    const key = `${path} ${what}`;
    if (!reported.has(key)) log.warn("memory", `${path} is not used and left as it is: ${what}`);
    reported.add(key);
  };
}

/* What the user takes for their own of the memories that came from elsewhere. */

export interface AcceptanceOptions {
  files: Files;
  /** `.opencode/memory` of the project. */
  folder: string;
  standings: readonly Standing[];
  trust: Pick<Trust, "accept" | "revoke"> | undefined;
}

export function createAcceptance(options: AcceptanceOptions): Pick<OpenMemories, "accept" | "revoke"> {
  const { files, folder, standings, trust } = options;
  return {
    async accept(ids, why) {
      const waiting = new Map(standings.flatMap(({ collection }) => [...collection.foreign()]));
      const taken = [...waiting].filter(([id]) => ids === undefined || ids.includes(id));
      const records = ids === undefined ? await readConflictRecords(files, folder) : [];
      const named = records.map(({ hash, path }) => nameConflictRecord(folder, { hash, path }));
      if (taken.length === 0) return [];
      await trust?.accept([...taken.map(([, file]) => file), ...named], why);
      const accepted = new Set(taken.map(([id]) => id));
      return standings
        .flatMap(({ collection }) => collection.memories())
        .filter(({ id }) => accepted.has(id));
    },

    async revoke() {
      const revoked = await trust?.revoke();
      return revoked?.files.filter(({ name }) => !isConflictRecord(name)).length;
    },
  };
}

/* What the store answers from its collections without changing them. */

type Reads = Pick<OpenMemories, "foreign" | "history" | "isDeciding" | "known" | "locate" | "problems">;

/** `find` is the one of `Changes`. */
export function createReads(standings: readonly Standing[], find: Changes["find"]): Reads {
  let seen: { lists: (readonly Memory[])[]; current: readonly Memory[] } | undefined;

  return {
    problems: () => standings.flatMap(findProblems),
    isDeciding: () => standings.some(({ collection }) => collection.isDeciding()),
    foreign: () =>
      standings.flatMap(({ collection }) => collection.memories().filter(({ isForeign }) => isForeign)),

    /** Asked in hooks, so the list is built only after a change. */
    known() {
      const lists = standings.map(({ collection }) => collection.memories());
      if (!seen || lists.some((list, n) => list !== seen?.lists[n]))
        seen = { lists, current: lists.flat().filter(isCurrent) };
      return seen.current;
    },

    async locate(id) {
      const [found, standing] = [await find(id), standingOf(id)];
      return found && standing && join(standing.place.folder, found.path);
    },

    async history(id) {
      const standing = standingOf(id);
      const lines = (await standing?.collection.readLedger()) ?? [];
      return sortByTime(lines.filter(({ key }) => key === id));
    },
  };

  function standingOf(id: string): Standing | undefined {
    const place = parseID(id);
    return place && standings.find((one) => isOn(one, place));
  }
}

export const isCurrent = ({ status }: Memory): boolean => status === "active" || status === "resolved";

export function findProblems({ collection }: Standing): FileProblem[] {
  return collection
    .entries()
    .flatMap(({ path, reading }) =>
      reading.kind === "problem" ? [{ path: join(collection.folder, path), what: reading.what }] : [],
    );
}

/*
 * Counts how often each memory was shown or asked for: `uses/2026-11.jsonl`, machine state, one line per use. Reading a
 * memory never changes its file, so mere use never shows up in git.
 */

export interface Uses {
  /** Reads the counts once. Never rejects. */
  load(): Promise<void>;
  note(ids: readonly string[]): void;
  of(id: string): Use | undefined;
  /** Resolves when all noted uses are on disk. */
  onIdle(): Promise<void>;
}

export interface UsesOptions {
  clock: Clock;
  files: Files;
  log: Log;
  folder: string;
}

interface UseLine {
  at: number;
  ids: string[];
}

export function createUses({ clock, files, log, folder }: UsesOptions): Uses {
  const lines = createLineLog({ files, parse: parseUse });
  const uses = new Map<string, Use>();
  let loading: Promise<void> | undefined;
  let writing: Promise<void> = Promise.resolve();
  let hasFailed = false;

  return {
    load() {
      loading ??= load().catch(report);
      return loading;
    },
    note(ids) {
      const line: UseLine = { at: clock.now(), ids: [...ids] };
      if (line.ids.length === 0) return;
      const path = join(folder, `${new Date(line.at).toISOString().slice(0, 7)}.jsonl`);
      // Read the disk first, so that no use counts twice.
      loading ??= load().catch(report);
      const read = loading;
      writing = writing
        .then(() => read)
        .then(() => {
          count(line);
          return lines.append(path, [line]);
        })
        .then(() => {}, report);
    },
    of: (id) => uses.get(id),
    onIdle: () => writing,
  };

  async function load(): Promise<void> {
    for (const name of await files.list(folder)) {
      if (!name.endsWith(".jsonl")) continue;
      const { records } = await lines.read(join(folder, name));
      for (const line of records) count(line);
    }
  }

  function count({ at, ids }: UseLine): void {
    for (const id of ids) {
      const { count = 0, lastMs = 0 } = uses.get(id) ?? {};
      uses.set(id, { count: count + 1, lastMs: Math.max(lastMs, at) });
    }
  }

  function report(thrown: unknown): void {
    if (!hasFailed) log.warn("memory", `cannot count uses in ${folder}: ${formatError(thrown)}`);
    hasFailed = true;
  }
}

const isUse = object<UseLine>({ at: number, ids: anyList });

function parseUse(value: unknown): UseLine | undefined {
  return isUse(value) ? { at: value.at, ids: value.ids.filter(string) } : undefined;
}
