/**
 * Trust for the memories of one folder: which are the user's, which are foreign, and how changes affect that. A hand edit
 * renews a memory's age once it is known to be the user's.
 */
import { join } from "node:path";
import type { Files } from "../../io/files.js";
import type { Memory } from "../memory.js";
import type { FoundFile } from "../trust/place.js";
import type { NamedContents } from "../trust/record.js";
import type { Trust } from "../trust/trust.js";
import type { Ledger } from "./ledger.js";
import type { LedgerLine } from "./ledger-line.js";
import type { Entries, Entry } from "./scan.js";

export interface Ownership {
  /** Call before files are checked. Never rejects. */
  prepareLook(): Promise<void>;
  /** Records that there are no files, so that a session knows later ones are new. Never rejects. */
  noteAbsence(): Promise<void>;
  /** Decides whose the undecided files are. Returns the paths of all files whose status may have changed. */
  settle(entries: Pick<Entries, "all">): Promise<string[]>;
  /** Reads what other processes have decided since. Never rejects. */
  refresh(): Promise<void>;
  /** True while `settle` is running. */
  isDeciding(): boolean;
  /** Records the owner of the files that these lines will produce; `foreign` ones are not the user's. Never rejects. */
  own(lines: readonly LedgerLine[], foreign?: ReadonlySet<LedgerLine>): Promise<void>;
  /** Records who owns these files, which other machines wrote. Never rejects. */
  claim(files: readonly { path: string; hash: string; isForeign: boolean }[]): Promise<void>;
  /** Marks the files of a pending change as foreign, unless this machine wrote the pending file. Never rejects. */
  disownUnknown(lines: readonly LedgerLine[]): Promise<void>;
  /** The entry, its memory marked if its contents are foreign or git ignores its file, and dated by its last hand edit. */
  mark<T extends Entry>(entry: T | undefined): T | undefined;
  /** All memories, marked; the same array while neither files, trust nor the rules for git change. */
  memories(entries: Entries): readonly Memory[];
  /** Names and hashes of foreign files, by memory id. */
  foreign(entries: Pick<Entries, "all">): ReadonlyMap<string, NamedContents>;
  /** See `Trust`. */
  nameOwner(): Promise<string | undefined>;
}

export interface OwnershipOptions {
  files: Pick<Files, "statItself">;
  folder: string;
  /** Prefix of this collection's ids. */
  prefix: string;
  trust?: Trust | undefined;
  /** The ledger, once it is loaded. */
  ledger?: (() => Pick<Ledger, "known" | "offsets"> | undefined) | undefined;
}

/** Without `trust`, all memories are the user's. */
export function createOwnership({ files, folder, ledger, prefix, trust }: OwnershipOptions): Ownership {
  let deciding = 0;
  let settledVersion: number | undefined;
  const marking = createMarking({ ledger, prefix, trust });
  const { isForeign, mark } = marking;

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
      await trust?.prepareLook(prefix);
      await trust?.settle(prefix, []);
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

    async own(lines, given = new Set()) {
      if (!trust) return;
      const { foreign, own } = planOwners(lines, { prefix, foreign: given, isOwn: trust.isOwn });
      const isSettled = settledVersion === trust.version;
      await trust.own(own);
      await trust.disown(foreign);
      // The writer reports these changes itself.
      if (isSettled) settledVersion = trust.version;
    },

    async claim(claimed) {
      if (!trust) return;
      const isSettled = settledVersion === trust.version;
      const name = (wanted: boolean): NamedContents[] =>
        claimed.flatMap(({ hash, isForeign, path }) =>
          isForeign === wanted ? [{ name: `${prefix}${path}`, hash }] : [],
        );
      await trust.own(name(false));
      await trust.disown(name(true));
      if (isSettled) settledVersion = trust.version;
    },

    /** Changes that this machine began are already recorded as the user's. */
    async disownUnknown(lines) {
      const made = lines.flatMap(({ after, path }) =>
        after === null ? [] : [{ name: `${prefix}${path}`, hash: after }],
      );
      await trust?.disown(made);
    },

    memories: marking.memories,

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
}

type Marking = Pick<Ownership, "mark" | "memories"> & { isForeign: IsForeign };

/** Marks memories that are foreign, or that git ignores, and dates those that a person has edited. */
function createMarking({ ledger, prefix, trust }: Omit<OwnershipOptions, "files" | "folder">): Marking {
  let marked: { of: readonly Memory[]; version: string; memories: readonly Memory[] } | undefined;
  const isForeign: IsForeign = ({ hash, path }) =>
    trust !== undefined && !trust.isOwn({ name: `${prefix}${path}`, hash });

  return {
    isForeign,
    mark: (entry) => entry && mark(entry),

    memories(entries) {
      const of = entries.memories();
      const version = `${trust?.version} ${[...(ledger?.()?.offsets.values() ?? [])]}`;
      if (marked?.of !== of || marked.version !== version) {
        const readings = entries.all().map((entry) => mark(entry).reading);
        const memories = readings.flatMap((one) => (one.kind === "memory" ? [one.memory] : []));
        marked = { of, version, memories };
      }
      return marked.memories;
    },
  };

  function mark<T extends Entry>(entry: T): T {
    const { hash, path, reading } = entry;
    if (reading.kind !== "memory") return entry;
    const isOthers = hash !== undefined && isForeign({ path, hash });
    const known = ledger?.()?.known(path);
    const editedAt = !isOthers && known?.hash === hash ? known?.editedAt : undefined;
    const memory = {
      ...reading.memory,
      ...(isOthers && { isForeign: true as const }),
      ...(editedAt !== undefined && editedAt > reading.memory.updated && { updated: editedAt }),
    };
    return { ...entry, reading: { ...reading, memory } };
  }
}

/** Memory files with undecided trust, with their times. */
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

/**
 * Decides whose the files are that ledger lines will produce. A new file is the user's, and so is one that replaces or
 * moves the user's file. An undo takes its words from the ledger, which a repository can bring: the result is the
 * user's only if these contents already were.
 */
function planOwners(
  lines: readonly LedgerLine[],
  {
    foreign: given,
    isOwn,
    prefix,
  }: {
    prefix: string;
    /** Lines whose contents came with the repository. */
    foreign: ReadonlySet<LedgerLine>;
    isOwn(file: NamedContents): boolean;
  },
): { own: NamedContents[]; foreign: NamedContents[] } {
  const own: NamedContents[] = [];
  const foreign: NamedContents[] = [];
  const planned = new Set<string>();
  const counts = (name: string, hash: string): boolean =>
    isOwn({ name, hash }) || planned.has(`${hash} ${name}`);
  const take = (file: NamedContents): void => {
    own.push(file);
    planned.add(`${file.hash} ${file.name}`);
  };
  for (const line of lines) {
    const { after, before, contents, from, path, undoes } = line;
    if (after === null || (after === before && from === undefined)) continue;
    const file = { name: `${prefix}${path}`, hash: after };
    const wasOwn = before === null ? undoes === undefined : counts(`${prefix}${from ?? path}`, before);
    const isMoved = contents === undefined;
    if (given.has(line) && !isMoved) {
      if (!counts(file.name, file.hash)) foreign.push(file);
    } else if (wasOwn && (isMoved || undoes === undefined)) take(file);
    else if (!counts(file.name, file.hash)) foreign.push(file);
  }
  return { own, foreign };
}
