/** The store on disk: four collections behind one set of ids. Its contract is in store.ts, the files in collection.ts. */
import { join } from "node:path";
import { formatError } from "../../base/error.js";
import { anyList, isRecord, number, object, string } from "../../base/shape.js";
import { readText } from "../../io/files.js";
import { createLineLog } from "../../io/json-lines.js";
import type { Folders } from "../../project/folders.js";
import { isCurrent, isWaiting, type Memory, type MemoryType, memoryTypes, parseID } from "../memory.js";
import { ARCHIVE, splitPath } from "../path.js";
import type { Use } from "../rank.js";
import type { AllChanges } from "./changes/change-many.js";
import {
  type Collection,
  type CollectionOptions,
  createCollection,
  findCollection,
  pathsOf,
} from "./collection.js";
import type { IndexLimits, IndexWriter } from "./index-page.js";
import { rewriteLines, sortByTime } from "./ledger.js";
import { listItself, planPlaces } from "./scan.js";
import type { Exchange, FileProblem, OpenMemories } from "./store.js";

export interface MemoryStoreOptions
  extends Pick<CollectionOptions, "clock" | "files" | "instance" | "locks" | "log" | "trust"> {
  folders: Folders;
  /** The user's own, for what holds in all projects. */
  globalFolder: string;
  /** Of each `MEMORY.md`. */
  limits: IndexLimits;
  /** Types of project memories that go to `private/`. Default: `privateTypes`. */
  privateTypes?: readonly MemoryType[];
}

/** Touches no file until it is asked for something. */
export function createMemoryStore(options: MemoryStoreOptions): OpenMemories {
  const { folders, log, trust } = options;
  const uses = createUses({ ...options, folder: join(folders.memoryState, "uses") });
  let indexes: Promise<IndexWriter> | undefined;
  const listeners: ((changed: readonly string[]) => void)[] = [];
  const reported = new Set<string>();
  const touched = new Set<Collection>();
  const collections: Collection[] = planPlaces(options).map((place) => {
    const collection = createCollection({
      ...{ ...options, place, refusesSecrets: true },
      ...(place.scope === "project" && { beforeScan: () => moveOld() }),
      onSeen: (ids) => onWritten(collection, ids),
    });
    return collection;
  });
  const moveOld = createMoveOld(options, collections);
  const parts = { ...options, collections, onWritten, onSaidAgain: (id: string) => uses.note([id]) };
  trust?.onChange(() => {
    for (const collection of collections)
      onWritten(
        collection,
        collection.memories().map(({ id }) => id),
      );
  });

  return {
    ...openLater<AllChanges, (typeof CHANGES)[number]>(CHANGES, async () =>
      (await import("./changes/change-many.js")).createAllChanges(parts),
    ),
    ...createReads(collections),
    exchange: openLater<Exchange, keyof Exchange>(["read", "take"], async () =>
      (await import("./exchange.js")).createExchange(parts),
    ),
    onChange: (listener) => void listeners.push(listener),
    ...(trust && { team: trust.team }),
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
      await (await indexes)?.flush();
    },
  };

  function touchIndex(collection: Collection): void {
    indexes ??= import("./index-page.js").then((module) =>
      module.createIndexWriter({ ...options, useOf: uses.of }),
    );
    void indexes.then((writer) => writer.touch(collection));
  }

  async function scan(collection: Collection): Promise<void> {
    await collection.scan();
    for (const { path, what } of findProblems(collection)) {
      if (!reported.has(`${path} ${what}`))
        log.warn("memory", `${path} is not used and left as it is: ${what}`);
      reported.add(`${path} ${what}`);
    }
    // Once at the start: the index may lack what a killed instance wrote.
    if (collection.entries().length === 0 || touched.has(collection)) return;
    touched.add(collection);
    touchIndex(collection);
  }

  function onWritten(collection: Collection, ids: readonly string[]): void {
    if (ids.length === 0) return;
    touchIndex(collection);
    for (const listener of listeners) listener(ids);
  }
}

/** Loaded with the first of them: most commands only read. */
const CHANGES = [
  ...(["remember", "update", "archive", "restore", "discard"] as const),
  ...(["publish", "adoptAll", "changeAll", "undo", "accept", "revoke"] as const),
];

/** These calls of something whose code is loaded, and which is opened, with the first of them. */
export function openLater<T, Name extends keyof T>(
  names: readonly Name[],
  open: () => Promise<T>,
): Pick<T, Name> {
  let opening: Promise<T> | undefined;
  const call =
    (name: Name) =>
    async (...given: unknown[]): Promise<unknown> => {
      opening ??= open();
      return ((await opening)[name] as (...given: unknown[]) => unknown)(...given);
    };
  return Object.fromEntries(names.map((name) => [name, call(name)])) as Pick<T, Name>;
}

/* What the store answers without changing anything. */

type Reads = "foreign" | "history" | "isDeciding" | "known" | "locate" | "problems" | "read";

function createReads(collections: readonly Collection[]): Pick<OpenMemories, Reads> {
  let seen: { lists: (readonly Memory[])[]; current: readonly Memory[] } | undefined;

  return {
    read: async (id) => (await find(id))?.memory,
    problems: () => collections.flatMap(findProblems),
    isDeciding: () => collections.some((collection) => collection.isDeciding()),
    foreign: () => collections.flatMap((collection) => collection.memories().filter(isWaiting)),

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

  /** The memory as its file is now, and its path in the collection. */
  async function find(id: string): Promise<{ memory: Memory; path: string } | undefined> {
    const place = parseID(id);
    if (!place) return undefined;
    const collection = findCollection(collections, place);
    for (const path of pathsOf(place)) {
      const reading = (await collection.look(path))?.reading;
      if (reading?.kind === "memory") return { memory: reading.memory, path };
    }
    return undefined;
  }
}

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

type UsesOptions = Pick<MemoryStoreOptions, "clock" | "files" | "log"> & { folder: string };

function createUses({ clock, files, folder, log }: UsesOptions) {
  const lines = createLineLog<UseLine>({
    files,
    parse: (value) => (isUse(value) ? { at: value.at, ids: value.ids.filter(string) } : undefined),
  });
  const uses = new Map<string, Use>();
  let loading: Promise<void> | undefined;
  let writing: Promise<void> = Promise.resolve();

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
    log.warn("memory", `cannot count uses in ${folder}: ${formatError(thrown)}`);
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
