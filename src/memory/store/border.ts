/** The memories of one shelf on the border between the user and everyone else: who is who, and what changes make of it. */
import { join } from "node:path";
import type { Files } from "../../seams/files.js";
import type { NamedContents } from "../../trust/record.js";
import type { Trust } from "../../trust/trust.js";
import type { FoundFile } from "../../trust/verdict.js";
import type { Memory } from "../memory.js";
import type { Entries, Entry } from "./entries.js";
import type { LedgerLine } from "./ledger-line.js";

export interface Border {
  /** Before the files are looked at. Never rejects. */
  prepareLook(): Promise<void>;
  /** There are no files; a session takes note of that, so that what comes later is known to be new. Never rejects. */
  noteAbsence(): Promise<void>;
  /** Decides about those of which nothing is known; the paths of all that may count in another way now. */
  settle(entries: Pick<Entries, "all">): Promise<string[]>;
  /** Takes in what other processes have written down since. Never rejects. */
  refresh(): Promise<void>;
  /** Is `settle` under way? */
  isDeciding(): boolean;
  /** Whose the files are that these lines are about to make. Never rejects. */
  own(lines: readonly LedgerLine[]): Promise<void>;
  /** What a note on a change that was begun asks for is the user's only if this machine has written the note. Never rejects. */
  disownUnknown(lines: readonly LedgerLine[]): Promise<void>;
  /** The entry, its memory marked where its contents are foreign. */
  mark<T extends Entry>(entry: T | undefined): T | undefined;
  /** All of them marked; the same list as long as neither the files nor whose they are has changed. */
  memories(entries: Entries): readonly Memory[];
  /** Foreign contents under their names, by the ids of their memories. */
  foreign(entries: Pick<Entries, "all">): ReadonlyMap<string, NamedContents>;
  /** See `Trust`. */
  nameOwner(): Promise<string | undefined>;
}

export interface BorderOptions {
  files: Pick<Files, "statItself">;
  folder: string;
  /** What the ids of this shelf begin with. */
  prefix: string;
  trust?: Trust | undefined;
}

/** Without `trust` all of them are the user's. */
export function createBorder({ files, folder, prefix, trust }: BorderOptions): Border {
  let deciding = 0;
  let settledVersion: number | undefined;
  let marked: { of: readonly Memory[]; version: number; memories: readonly Memory[] } | undefined;

  return {
    mark,
    nameOwner: async () => trust?.nameOwner(prefix),

    async refresh() {
      await trust?.refresh(prefix);
    },

    async prepareLook() {
      await trust?.prepareLook(prefix);
    },

    async noteAbsence() {
      if (!trust?.isWatching) return;
      await trust.prepareLook(prefix);
      await trust.settle(prefix, []);
    },

    async settle(entries) {
      if (!trust) return [];
      const found = await findUndecided(files, folder, entries, { prefix, trust });
      deciding += found.length > 0 ? 1 : 0;
      try {
        await trust.settle(prefix, found);
      } finally {
        deciding -= found.length > 0 ? 1 : 0;
      }
      const before = settledVersion;
      settledVersion = trust.version;
      if (before === undefined || before === settledVersion) return [];
      return entries.all().map(({ path }) => path);
    },

    isDeciding: () => deciding > 0,

    async own(lines) {
      if (!trust) return;
      const { foreign, own } = planOwners(lines, prefix, trust.isOwn);
      const isSettled = settledVersion === trust.version;
      await trust.own(own);
      await trust.disown(foreign);
      // What is written here is told of by whoever writes it.
      if (isSettled) settledVersion = trust.version;
    },

    /** What we have begun ourselves was written down as the user's before. */
    async disownUnknown(lines) {
      const made = lines.flatMap(({ after, path }) =>
        after === null ? [] : [{ name: `${prefix}${path}`, hash: after }],
      );
      await trust?.disown(made);
    },

    memories(entries) {
      const of = entries.memories();
      if (!trust) return of;
      if (marked?.of !== of || marked.version !== trust.version) {
        const readings = entries.all().map((entry) => markForeign(entry, isForeign).reading);
        const memories = readings.flatMap((one) => (one.kind === "memory" ? [one.memory] : []));
        marked = { of, version: trust.version, memories };
      }
      return marked.memories;
    },

    foreign: (entries) =>
      new Map(
        entries
          .all()
          .flatMap(({ hash, path, reading }) =>
            reading.kind === "memory" && hash !== undefined && isForeign({ path, hash })
              ? [[reading.memory.id, { name: `${prefix}${path}`, hash }] as const]
              : [],
          ),
      ),
  };

  function isForeign({ hash, path }: { path: string; hash: string }): boolean {
    return trust !== undefined && !trust.isOwn({ name: `${prefix}${path}`, hash });
  }

  function mark<T extends Entry>(entry: T | undefined): T | undefined {
    return entry && markForeign(entry, isForeign);
  }
}

/** The files that hold a memory and of which nothing is known, with their times. */
async function findUndecided(
  files: Pick<Files, "statItself">,
  folder: string,
  entries: Pick<Entries, "all">,
  { prefix, trust }: { prefix: string; trust: Pick<Trust, "isDecided"> },
): Promise<FoundFile[]> {
  const undecided = entries.all().flatMap(({ hash = "", path, reading }) => {
    const file = { name: `${prefix}${path}`, path: join(folder, path), hash };
    return reading.kind !== "memory" || trust.isDecided(file) ? [] : [file];
  });
  const stats = await Promise.all(undecided.map((file) => files.statItself(file.path)));
  return undecided.flatMap((file, n) => {
    const { changedMs, modifiedMs } = stats[n] ?? {};
    return changedMs === undefined || modifiedMs === undefined ? [] : [{ ...file, changedMs, modifiedMs }];
  });
}

type IsForeign = (file: { path: string; hash: string }) => boolean;

/** The entry, its memory marked where its contents are foreign. */
function markForeign<T extends Entry>(entry: T, isForeign: IsForeign): T {
  const { hash, path, reading } = entry;
  if (reading.kind !== "memory" || hash === undefined || !isForeign({ path, hash })) return entry;
  return { ...entry, reading: { ...reading, memory: { ...reading.memory, isForeign: true } } };
}

/**
 * Whose the files are that lines of the ledger are about to make. The user's is what is written where nothing was or
 * over what is the user's, and what is the user's and moved. What a line takes back has its words from the ledger, which
 * a repository can bring: it is the user's only if it was.
 */
function planOwners(
  lines: readonly LedgerLine[],
  prefix: string,
  isOwn: (file: NamedContents) => boolean,
): { own: NamedContents[]; foreign: NamedContents[] } {
  const own: NamedContents[] = [];
  const foreign: NamedContents[] = [];
  const counts = (name: string, hash: string): boolean =>
    isOwn({ name, hash }) || own.some((one) => one.name === name && one.hash === hash);
  for (const { after, before, contents, from, path, undoes } of lines) {
    if (after === null || (after === before && from === undefined)) continue;
    const file = { name: `${prefix}${path}`, hash: after };
    const wasOwn = before === null ? undoes === undefined : counts(`${prefix}${from ?? path}`, before);
    const isMoved = contents === undefined;
    if (wasOwn && (isMoved || undoes === undefined)) own.push(file);
    else if (!counts(file.name, file.hash)) foreign.push(file);
  }
  return { own, foreign };
}
