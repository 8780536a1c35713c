/**
 * Trust for the memories of one folder: which are the user's, which are foreign, and how changes affect that. A hand edit
 * renews a memory's age once it is known to be the user's.
 */
import { join } from "node:path";
import type { Memory } from "../memory.js";
import type { NamedContents } from "../trust/record.js";
import type { Trust } from "../trust/trust.js";
import type { Ledger, LedgerLine } from "./ledger.js";
import type { Entries, Entry } from "./scan.js";

export interface OwnershipOptions {
  folder: string;
  /** Prefix of this collection's ids. */
  prefix: string;
  /** Without it, all memories are the user's. */
  trust?: Trust | undefined;
  entries: Pick<Entries, "all" | "memories">;
  ledger: Pick<Ledger, "known" | "sizes">;
}

export type Ownership = ReturnType<typeof createOwnership>;
type Made = Pick<LedgerLine, "after" | "path">;

/** Its calls never reject. */
export function createOwnership(options: OwnershipOptions) {
  const { entries, folder, prefix, trust } = options;
  let deciding = 0;
  let reportedVersion: number | undefined;
  const nameAll = (lines: readonly Made[]): NamedContents[] =>
    lines.flatMap(({ after, path }) => (after === null ? [] : [{ name: `${prefix}${path}`, hash: after }]));

  return {
    ...createMarking(options),

    /** True while `classify` is running. */
    isDeciding: () => deciding > 0,
    /** Reads what other processes have decided since. */
    refresh: async () => trust?.refresh(prefix),
    /** Call before files are checked. */
    prepareLook: async () => trust?.prepareLook(prefix),
    /** Marks the files of a pending change as foreign, unless this machine began it. */
    disown: async (lines: readonly LedgerLine[]) => trust?.disown(nameAll(lines)),

    /** Decides whose the undecided files are. Returns the paths of all files whose status may have changed. */
    async classify(): Promise<string[]> {
      if (!trust) return [];
      const all = entries.all().flatMap(({ hash = "", path, reading }) => {
        const file = { name: `${prefix}${path}`, path: join(folder, path), hash };
        return reading.kind === "memory" ? [file] : [];
      });
      const undecided = all.filter((file) => !trust.isDecided(file)).length;
      deciding += undecided;
      await trust.classify(prefix, all);
      deciding -= undecided;
      const before = reportedVersion;
      reportedVersion = trust.version;
      if (before === undefined || before === reportedVersion) return [];
      return entries.all().map(({ path }) => path);
    },

    /** Records the owner of the files that these lines will produce; `foreign` ones are not the user's. */
    async own(lines: readonly LedgerLine[], foreign: ReadonlySet<LedgerLine>): Promise<void> {
      // A moved file keeps its owner.
      const made = lines.filter(({ after, before, contents }) => contents !== undefined && after !== before);
      const owned = new Set<string | null>();
      const isOwned = (hash: string | null): boolean =>
        owned.has(hash) || (hash !== null && trust?.isOwn({ name: prefix, hash }) === true);
      // An undo takes its words from the ledger, which a repository can bring: they are the user's only if they were.
      for (const line of made.filter(({ undoes }) => undoes === undefined))
        if (!foreign.has(line) && (line.before === null || isOwned(line.before))) owned.add(line.after);
      await put(
        made.filter(({ after }) => owned.has(after)),
        made.filter(({ after }) => !isOwned(after)),
      );
    },

    /** Records who owns these files, which other machines wrote. */
    claim: (files: readonly Made[], isForeign: boolean) => (isForeign ? put([], files) : put(files, [])),
  };

  async function put(own: readonly Made[], foreign: readonly Made[]): Promise<void> {
    if (!trust) return;
    const isReported = reportedVersion === trust.version;
    await trust.own(nameAll(own));
    await trust.disown(nameAll(foreign));
    // The writer reports these changes itself.
    if (isReported) reportedVersion = trust.version;
  }
}

/** Marks memories that are foreign, names authors of the user's team, and dates those that a person has edited. */
function createMarking({ entries, ledger, prefix, trust }: OwnershipOptions) {
  let marked: { of: readonly Memory[]; version: string; memories: readonly Memory[] } | undefined;
  return {
    mark: <T extends Entry>(entry: T | undefined): T | undefined => entry && mark(entry),

    /** All memories, marked; the same array while neither files nor trust change. */
    memories(): readonly Memory[] {
      const of = entries.memories();
      const version = `${trust?.version} ${[...ledger.sizes().values()]}`;
      if (marked?.of !== of || marked.version !== version) {
        const readings = entries.all().map((entry) => mark(entry).reading);
        const memories = readings.flatMap((one) => (one.kind === "memory" ? [one.memory] : []));
        marked = { of, version, memories };
      }
      return marked.memories;
    },

    /** Names and hashes of foreign files, by memory id. */
    foreign(): Map<string, NamedContents> {
      const found = new Map<string, NamedContents>();
      for (const { hash = "", path, reading } of entries.all())
        if (reading.kind === "memory" && isForeign(path, hash))
          found.set(reading.memory.id, { name: `${prefix}${path}`, hash });
      return found;
    },
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
    const author = isOthers && hash ? trust?.team.authorOf(hash) : undefined;
    const isEdited = editedAt !== undefined && editedAt > reading.memory.updated;
    // The same object as before tells others that nothing has changed.
    if (!isOthers && !isEdited) return entry;
    const memory = {
      ...reading.memory,
      ...(isOthers && { isForeign: true as const }),
      ...(author !== undefined && { author }),
      ...(isEdited && { updated: editedAt }),
    };
    return { ...entry, reading: { ...reading, memory } };
  }
}
