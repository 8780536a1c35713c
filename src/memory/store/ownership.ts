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
  /** Decides whose the undecided files are. Returns the paths of all files whose status may have changed. */
  classify(entries: Pick<Entries, "all">): Promise<string[]>;
  /** Reads what other processes have decided since. Never rejects. */
  refresh(): Promise<void>;
  /** True while `classify` is running. */
  isDeciding(): boolean;
  /** Records the owner of the files that these lines will produce; `foreign` ones are not the user's. Never rejects. */
  own(lines: readonly LedgerLine[], foreign?: ReadonlySet<LedgerLine>): Promise<void>;
  /** Records who owns these files, which other machines wrote. Never rejects. */
  claim(files: readonly { path: string; hash: string; isForeign: boolean }[]): Promise<void>;
  /** Marks the files of a pending change as foreign, unless this machine wrote the pending file. Never rejects. */
  disownUnknown(lines: readonly LedgerLine[]): Promise<void>;
  /** The entry, its memory marked if its contents are foreign, and dated by its last hand edit. */
  mark<T extends Entry>(entry: T | undefined): T | undefined;
  /** All memories, marked; the same array while neither files nor trust change. */
  memories(entries: Entries): readonly Memory[];
  /** Names and hashes of foreign files, by memory id. */
  foreign(entries: Pick<Entries, "all">): ReadonlyMap<string, NamedContents>;
}

export interface OwnershipOptions {
  files: Pick<Files, "statItself">;
  folder: string;
  /** Prefix of this collection's ids. */
  prefix: string;
  trust?: Trust | undefined;
  ledger: Pick<Ledger, "known" | "offsets">;
}

/** Without `trust`, all memories are the user's. */
export function createOwnership({ files, folder, ledger, prefix, trust }: OwnershipOptions): Ownership {
  let deciding = 0;
  let reportedVersion: number | undefined;
  const marking = createMarking({ ledger, prefix, trust });

  return {
    mark: marking.mark,
    isDeciding: () => deciding > 0,
    refresh: async () => trust?.refresh(prefix),
    prepareLook: async () => trust?.prepareLook(prefix),

    async classify(entries) {
      if (!trust) return [];
      const found = await findUndecided(entries, trust);
      deciding += found.length > 0 ? 1 : 0;
      try {
        await trust.classify(prefix, found);
      } finally {
        deciding -= found.length > 0 ? 1 : 0;
      }
      const before = reportedVersion;
      reportedVersion = trust.version;
      if (before === undefined || before === reportedVersion) return [];
      return entries.all().map(({ path }) => path);
    },

    async own(lines, given = new Set()) {
      // A moved file keeps its owner.
      const made = lines.filter(({ after, before, contents }) => contents !== undefined && after !== before);
      const owned = new Set<string | null>();
      const isOwned = (hash: string | null): boolean =>
        owned.has(hash) || (hash !== null && trust?.isOwn({ name: prefix, hash }) === true);
      // An undo takes its words from the ledger, which a repository can bring: they are the user's only if they were.
      for (const line of made.filter(({ undoes }) => undoes === undefined))
        if (!given.has(line) && (line.before === null || isOwned(line.before))) owned.add(line.after);
      await put(
        made.filter(({ after }) => owned.has(after)),
        made.filter(({ after }) => !isOwned(after)),
      );
    },

    claim: (claimed) =>
      put(
        claimed.filter(({ isForeign }) => !isForeign).map(toChange),
        claimed.filter(({ isForeign }) => isForeign).map(toChange),
      ),

    /** Changes that this machine began are already recorded as the user's. */
    disownUnknown: async (lines) => trust?.disown(nameAll(lines)),

    memories: marking.memories,
    foreign: marking.foreign,
  };

  function nameAll(lines: readonly Pick<LedgerLine, "after" | "path">[]): NamedContents[] {
    return lines.flatMap(({ after, path }) =>
      after === null ? [] : [{ name: `${prefix}${path}`, hash: after }],
    );
  }

  async function put(
    own: readonly Pick<LedgerLine, "after" | "path">[],
    foreign: readonly Pick<LedgerLine, "after" | "path">[],
  ): Promise<void> {
    if (!trust) return;
    const isReported = reportedVersion === trust.version;
    await trust.own(nameAll(own));
    await trust.disown(nameAll(foreign));
    // The writer reports these changes itself.
    if (isReported) reportedVersion = trust.version;
  }

  /** Memory files with undecided trust, with their times. */
  async function findUndecided(
    entries: Pick<Entries, "all">,
    { isDecided }: Pick<Trust, "isDecided">,
  ): Promise<FoundFile[]> {
    const found: FoundFile[] = [];
    for (const { hash = "", path, reading } of entries.all()) {
      const file = { name: `${prefix}${path}`, path: join(folder, path), hash };
      if (reading.kind !== "memory" || isDecided(file)) continue;
      const stat = await files.statItself(file.path);
      if (stat) found.push({ ...file, changedMs: stat.changedMs, modifiedMs: stat.modifiedMs });
    }
    return found;
  }
}

const toChange = ({ hash, path }: { hash: string; path: string }): Pick<LedgerLine, "after" | "path"> => ({
  after: hash,
  path,
});

/** Marks memories that are foreign, and dates those that a person has edited. */
function createMarking({
  ledger,
  prefix,
  trust,
}: Pick<OwnershipOptions, "ledger" | "prefix" | "trust">): Pick<Ownership, "foreign" | "mark" | "memories"> {
  let marked: { of: readonly Memory[]; version: string; memories: readonly Memory[] } | undefined;
  return {
    mark: (entry) => entry && mark(entry),

    memories(entries) {
      const of = entries.memories();
      const version = `${trust?.version} ${[...ledger.offsets.values()]}`;
      if (marked?.of !== of || marked.version !== version) {
        const readings = entries.all().map((entry) => mark(entry).reading);
        const memories = readings.flatMap((one) => (one.kind === "memory" ? [one.memory] : []));
        marked = { of, version, memories };
      }
      return marked.memories;
    },

    foreign: (entries) =>
      new Map(
        entries
          .all()
          .flatMap(({ hash, path, reading }) =>
            reading.kind === "memory" && isForeign(path, hash)
              ? [[reading.memory.id, { name: `${prefix}${path}`, hash: hash ?? "" }] as const]
              : [],
          ),
      ),
  };

  function isForeign(path: string, hash: string | undefined): boolean {
    return hash !== undefined && trust !== undefined && !trust.isOwn({ name: `${prefix}${path}`, hash });
  }

  function mark<T extends Entry>(entry: T): T {
    const { hash, path, reading } = entry;
    if (reading.kind !== "memory") return entry;
    const isOthers = isForeign(path, hash);
    const known = ledger.known(path);
    const editedAt = !isOthers && known?.hash === hash ? known?.editedAt : undefined;
    const memory = {
      ...reading.memory,
      ...(isOthers && { isForeign: true as const }),
      ...(editedAt !== undefined && editedAt > reading.memory.updated && { updated: editedAt }),
    };
    return { ...entry, reading: { ...reading, memory } };
  }
}
