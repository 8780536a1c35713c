/** The store on disk: four shelves behind one set of ids. The contract stands in store.ts, the files in shelf.ts. */

import { join } from "node:path";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import type { Locks } from "../../io/locks.js";
import type { Log } from "../../io/log.js";
import type { Folders } from "../../project/folders.js";
import type { Memory } from "../memory.js";
import type { MemoryGate } from "../secret-gate.js";
import type { Exchange, FileProblem, OpenMemories } from "../store.js";
import type { Trust } from "../trust/trust.js";
import { createAcceptance } from "./acceptance.js";
import { createChanges } from "./changes/changes.js";
import type { ExchangeOptions } from "./exchange/exchange.js";
import { createIndexWriter } from "./index-writer.js";
import { type KeepOutOptions, openKeepOut } from "./keep-out.js";
import { createReads, findProblems, isCurrent } from "./memory-reads.js";
import { planPlaces } from "./places.js";
import { createShelf } from "./shelf.js";
import type { Standing } from "./standing.js";
import { createSwap } from "./swap.js";
import { createUndo } from "./undo.js";
import { createUses } from "./uses.js";

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
    const shelf = createShelf({ ...options, ...place, keepOut, onSeen: (ids) => onChanged(standing, ids) });
    const read = async (): Promise<Memory[]> => {
      await shelf.scan();
      const isHere = ({ isKeptOut }: Memory): boolean => !isKeptOut || shelf.isKeptOut("MEMORY.md");
      return shelf.memories().filter(isCurrent).filter(isHere);
    };
    const index = { folder: place.folder, state: place.state, read };
    const standing: Standing = { place, shelf, index, ...(keepOut && { keepOut }) };
    return standing;
  });
  function onChanged(standing: Standing, ids: readonly string[]): void {
    indexes.touch(standing.index);
    tell(ids);
  }
  trust?.onChange(() => {
    for (const standing of standings) indexes.touch(standing.index);
    tell(standings.flatMap(({ shelf }) => shelf.memories().map(({ id }) => id)));
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
      return archived ? standings.flatMap(({ shelf }) => shelf.memories()) : reads.known();
    },

    remember: changes.remember,
    update: changes.update,
    archive: changes.archive,
    restore: changes.restore,
    swap: createSwap({ ...options, standings, onWritten: onChanged }),
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
        const ids = await standing.shelf.mendAfterUndo(cause, touched);
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
    await standing.shelf.scan();
    for (const problem of findProblems(standing)) report(problem);
    // Once at the start: the index may lack what a killed instance wrote.
    const isFirst = !indexed.has(standing);
    indexed.add(standing);
    if (isFirst && standing.shelf.entries().length > 0) indexes.touch(standing.index);
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
