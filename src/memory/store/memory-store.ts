/** The store on disk: four collections behind one set of ids. Its contract is in store.ts, the files in collection.ts. */
import { join } from "node:path";
import { formatError } from "../../base/error.js";
import { anyList, isRecord, number, object, string } from "../../base/shape.js";
import { readText } from "../../io/files.js";
import { createLineLog } from "../../io/json-lines.js";
import type { Folders } from "../../project/folders.js";
import type { MemoryGate } from "../draft.js";
import { type Memory, type MemoryType, memoryTypes, parseID } from "../memory.js";
import { ARCHIVE, splitPath } from "../path.js";
import type { Use } from "../rank.js";
import { createAdoptAll, createChangeAll, createPublishing } from "./changes/change-many.js";
import { type ChangeParts, type Changes, createChanges } from "./changes/changes.js";
import { type Collection, type CollectionOptions, createCollection, findCollection } from "./collection.js";
import { isConflictRecord, nameConflictRecord, readConflictRecords } from "./conflict-log.js";
import type { ExchangeOptions } from "./exchange.js";
import { createIndexWriter, type IndexLimits } from "./index-page.js";
import { rewriteLines, sortByTime } from "./ledger.js";
import { planPlaces } from "./places.js";
import { listItself } from "./scan.js";
import type { Exchange, FileProblem, OpenMemories } from "./store.js";
import { createUndo } from "./undo.js";

export interface MemoryStoreOptions
  extends Pick<CollectionOptions, "clock" | "files" | "instance" | "locks" | "log" | "trust"> {
  folders: Folders;
  /** The user's own, for what holds in all projects. */
  globalFolder: string;
  /** Of each `MEMORY.md`. */
  limits: IndexLimits;
  /** Why this may not be written, such as a secret in it; asked before every write of our own. */
  gate?: MemoryGate;
  /** Types of project memories that go to `private/`. Default: `privateTypes`. */
  privateTypes?: readonly MemoryType[];
}

/** Touches no file until it is asked for something. */
export function createMemoryStore(options: MemoryStoreOptions): OpenMemories {
  const { folders, log, trust } = options;
  const uses = createUses({ ...options, folder: join(folders.memoryState, "uses") });
  const read = (folder: string) => readCurrent(collections, folder);
  const indexes = createIndexWriter({ ...options, useOf: uses.of, read });
  const listeners: ((changed: readonly string[]) => void)[] = [];
  const reported = new Set<string>();
  const collections: Collection[] = planPlaces(options).map((place) => {
    const collection = createCollection({
      ...{ ...options, place },
      ...(place.scope === "project" && { beforeScan: () => moveOld() }),
      onSeen: (ids) => onWritten(collection, ids),
    });
    return collection;
  });
  const moveOld = createMoveOld(options, collections);
  const parts: ChangeParts = { ...options, collections, onWritten, onSaidAgain: (id) => uses.note([id]) };
  const { find, ...changes } = createChanges(parts);
  trust?.onChange(() => {
    for (const collection of collections)
      onWritten(
        collection,
        collection.memories().map(({ id }) => id),
      );
  });

  return {
    ...changes,
    ...createPublishing(parts),
    ...createReads(collections, find),
    ...createAcceptance(options, collections),
    adoptAll: createAdoptAll(parts),
    changeAll: createChangeAll(parts),
    undo: createUndo(collections, onWritten),
    exchange: openExchange({ ...options, collections, onWritten }),
    onChange: (listener) => void listeners.push(listener),
    noteUse: uses.note,
    useOf: uses.of,

    async list({ archived = false } = {}) {
      await uses.load();
      await Promise.all(collections.map(scan));
      const all = collections.flatMap((collection) => collection.memories());
      return archived ? all : all.filter(isCurrent);
    },

    async mendAfterUndo(cause, touched) {
      const mended: string[] = [];
      for (const collection of collections.filter(({ place }) => place.isUndone)) {
        const ids = await collection.mendAfterUndo(cause, touched);
        onWritten(collection, ids);
        mended.push(...ids);
      }
      return mended;
    },

    async onIdle() {
      await uses.onIdle();
      await indexes.flush();
    },
  };

  async function scan(collection: Collection): Promise<void> {
    await collection.scan();
    for (const { path, what } of findProblems(collection)) {
      if (!reported.has(`${path} ${what}`))
        log.warn("memory", `${path} is not used and left as it is: ${what}`);
      reported.add(`${path} ${what}`);
    }
    // Once at the start: the index may lack what a killed instance wrote.
    if (collection.entries().length > 0) indexes.touchFirst(collection.place);
  }

  function onWritten({ place }: Collection, ids: readonly string[]): void {
    if (ids.length === 0) return;
    indexes.touch(place);
    for (const listener of listeners) listener(ids);
  }
}

/** The memories that belong in the index of this folder. */
async function readCurrent(collections: readonly Collection[], folder: string): Promise<readonly Memory[]> {
  const collection = collections.find((one) => one.folder === folder);
  if (!collection) return [];
  await collection.scan();
  return collection.memories().filter(isCurrent);
}

/** Loads the exchange on first use. */
function openExchange(options: ExchangeOptions): Exchange {
  const open = async (): Promise<Exchange> => (await import("./exchange.js")).createExchange(options);
  return {
    read: async (scope) => (await open()).read(scope),
    take: async (scope, lines, given) => (await open()).take(scope, lines, given),
  };
}

/* What the user accepts of the memories that came from elsewhere. */

function createAcceptance(
  { files, folders, trust }: Pick<MemoryStoreOptions, "files" | "folders" | "trust">,
  collections: readonly Collection[],
): Pick<OpenMemories, "accept" | "revoke"> {
  return {
    async accept(ids, why) {
      const waiting = collections.flatMap((collection) => [...collection.foreign()]);
      const taken = new Map(waiting.filter(([id]) => ids === undefined || ids.includes(id)));
      if (taken.size === 0) return [];
      const records = ids === undefined ? await readConflictRecords(files, folders.memory) : [];
      const named = records.map((record) => nameConflictRecord(folders.memory, record));
      await trust?.accept([...taken.values(), ...named], why);
      return collections.flatMap((collection) => collection.memories()).filter(({ id }) => taken.has(id));
    },

    async revoke() {
      const revoked = await trust?.revoke();
      return revoked?.files.filter(({ name }) => !isConflictRecord(name)).length;
    },
  };
}

/* What the store answers without changing anything. */

type Reads = "foreign" | "history" | "isDeciding" | "known" | "locate" | "problems" | "read";

function createReads(collections: readonly Collection[], find: Changes["find"]): Pick<OpenMemories, Reads> {
  let seen: { lists: (readonly Memory[])[]; current: readonly Memory[] } | undefined;

  return {
    read: async (id) => (await find(id))?.memory,
    problems: () => collections.flatMap(findProblems),
    isDeciding: () => collections.some((collection) => collection.isDeciding()),
    foreign: () =>
      collections.flatMap((collection) => collection.memories().filter(({ isForeign }) => isForeign)),

    /** Asked in hooks, so the list is built only after a change. */
    known() {
      const lists = collections.map((collection) => collection.memories());
      if (!seen || lists.some((list, n) => list !== seen?.lists[n]))
        seen = { lists, current: lists.flat().filter(isCurrent) };
      return seen.current;
    },

    async locate(id) {
      const [found, place] = [await find(id), parseID(id)];
      return found && place && join(findCollection(collections, place).folder, found.path);
    },

    async history(id) {
      const place = parseID(id);
      const lines = place ? await findCollection(collections, place).readLedger() : [];
      return sortByTime(lines.filter(({ key }) => key === id));
    },
  };
}

const isCurrent = ({ status }: Memory): boolean => status === "active" || status === "resolved";

function findProblems(collection: Collection): FileProblem[] {
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

interface UseLine {
  at: number;
  ids: string[];
}

const isUse = object<UseLine>({ at: number, ids: anyList });

function createUses({
  clock,
  files,
  log,
  folder,
}: Pick<MemoryStoreOptions, "clock" | "files" | "log"> & { folder: string }) {
  const lines = createLineLog<UseLine>({
    files,
    parse: (value) => (isUse(value) ? { at: value.at, ids: value.ids.filter(string) } : undefined),
  });
  const uses = new Map<string, Use>();
  let loading: Promise<void> | undefined;
  let writing: Promise<void> = Promise.resolve();
  let hasFailed = false;

  return {
    load,
    note(ids: readonly string[]): void {
      if (ids.length === 0) return;
      const line: UseLine = { at: clock.now(), ids: [...ids] };
      const path = join(folder, `${new Date(line.at).toISOString().slice(0, 7)}.jsonl`);
      writing = writing
        // Reads the disk first, so that no use counts twice.
        .then(load)
        .then(() => {
          count(line);
          return lines.append(path, [line]);
        })
        .then(() => {}, report);
    },
    of: (id: string): Use | undefined => uses.get(id),
    /** Resolves when all noted uses are on disk. */
    onIdle: () => writing,
  };

  /** Reads the counts once. Never rejects. */
  function load(): Promise<void> {
    loading ??= readAll().catch(report);
    return loading;
  }

  async function readAll(): Promise<void> {
    for (const name of (await files.list(folder)).filter((one) => one.endsWith(".jsonl")))
      for (const line of (await lines.read(join(folder, name))).records) count(line);
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

/*
 * 0.1.0 kept preferences in their own folder, hidden from git by rules of `.gitignore`: they move to `private/`, with
 * their lines in the ledger there.
 */

/** Matches a rule by which 0.1.0 kept a type out of git, and one by which it let git see a memory of such a type. */
const RULE = new RegExp(`^/(?:${ARCHIVE}/)?(${memoryTypes.join("|")})/\\*$`);
const EXCEPTION = new RegExp(`^!/((?:${ARCHIVE}/)?(?:${memoryTypes.join("|")})/.+)$`);

/** Moves them once. The rules go last: if the process stops before, all is done again. Never rejects. */
function createMoveOld(
  { files, log }: Pick<MemoryStoreOptions, "files" | "log">,
  collections: readonly Collection[],
): () => Promise<void> {
  let moving: Promise<void> | undefined;
  return () => {
    moving ??= moveAll().catch((thrown) =>
      log.warn("memory", `cannot move memories to private/ that git should not see: ${formatError(thrown)}`),
    );
    return moving;
  };

  async function moveAll(): Promise<void> {
    const [shared, hidden] = (["internal", "private"] as const).map((sensitivity) =>
      findCollection(collections, { scope: "project", sensitivity }),
    );
    if (!shared || !hidden) return;
    const ignore = join(shared.place.folder, ".gitignore");
    const text = (await readText(files, ignore)) ?? "";
    const types = new Set(text.split(/\r?\n/).flatMap((line) => RULE.exec(line)?.[1] ?? []));
    if (types.size === 0) return;
    await hidden.place.prepare();
    await shared.change((_, lock) =>
      hidden.change(async () => {
        const lines = text.split("\n");
        const seen = new Set(lines.flatMap((line) => EXCEPTION.exec(line.trim())?.[1] ?? []));
        for (const type of types)
          for (const folder of [type, `${ARCHIVE}/${type}`])
            for (const name of await listItself(files, join(shared.place.folder, folder))) {
              const path = `${folder}/${name}`;
              const to = join(hidden.place.folder, path);
              if (splitPath(path) && !seen.has(path) && !(await files.statItself(to)))
                await files.rename(join(shared.place.folder, path), to);
            }
        await rewriteLines({ files, folder: hidden.place.folder, lock }, (value) => {
          const place = isRecord(value) && typeof value.key === "string" ? parseID(value.key) : undefined;
          const isOld = place?.scope === "project" && place.sensitivity === "internal";
          return isOld && isRecord(value) ? { ...value, key: `private/${value.key}` } : value;
        });
        const kept = lines.filter((line) => !RULE.test(line.trim()) && !EXCEPTION.test(line.trim()));
        await files.writeWhole(ignore, kept.join("\n"));
      }),
    );
  }
}
