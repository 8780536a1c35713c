/**
 * The files of one memory folder as they are on disk: read when their size or time changes. No link is followed, and an
 * unreadable file is left alone.
 */
import { join } from "node:path";
import { formatError } from "../../base/error.js";
import { hashOf } from "../../base/hash.js";
import type { Clock } from "../../io/clock.js";
import { decodeText, type FileStat, type Files } from "../../io/files.js";
import type { MemoryGate } from "../draft.js";
import type { Memory, Place } from "../memory.js";
import type { FileReading } from "../memory-file.js";
import { formatPath, isFolderPath, splitPath } from "../path.js";
import { findLink, listPaths } from "./entry-paths.js";

export interface Entry {
  /** Relative to the folder: `decision/port-8080.md`, `archive/decision/port-8080.md`. */
  path: string;
  bytes: number;
  modifiedMs: number;
  /** When it was read: a file written just before may change again with the same size and time. */
  readMs: number;
  /** Absent if the file was not read. */
  hash?: string;
  reading: FileReading;
}

/** An entry with the text of its file. */
export type Looked = Entry & { text?: string };

export interface Entries {
  /** Checks all files. Returns the paths of changed, added and removed ones. */
  scan(): Promise<string[]>;
  /** Reads this one file now; `undefined` if there is none, or the path is not a memory's. */
  look(path: string): Promise<Looked | undefined>;
  /** The same for many files, several at a time. `readings` save parsing files with these contents again. */
  lookAll(paths: readonly string[], readings?: Readings): Promise<(Looked | undefined)[]>;
  /** Paths of possible memories, and of links in their place; reads nothing. */
  paths(): Promise<string[]>;
  /** Number of changed files seen so far. */
  readonly changes: number;
  get(path: string): Entry | undefined;
  all(): readonly Entry[];
  /** The memories among the entries; the same array while none changes. */
  memories(): readonly Memory[];
  /** Names of all files in a folder, memories or not. */
  names(folder: string): Promise<string[]>;
  /** The first part of this path that is a link, starting with the folder itself; `undefined` if none is. */
  findLink(path: string): Promise<string | undefined>;
}

/** By path: the reading of a file with this hash, whatever its time. */
export type Readings = ReadonlyMap<string, { hash: string; reading: FileReading }>;

export interface EntriesOptions {
  clock: Clock;
  files: Files;
  folder: string;
  scope: Place["scope"];
  sensitivity: Place["sensitivity"];
  /** Why a file from a person or git is not used, such as a secret in it. */
  gate?: MemoryGate;
}

/** Precision of file times: a file read sooner after a write is read again. */
const RACY_MS = 100;
/** Number of files read together: they are parsed without a pause, so a turn that begins meanwhile waits for them. */
const AT_A_TIME = 16;
/** A scan begins with a turn, whose first request has priority and takes about this long. */
const GENTLE_MS = 300;
const GENTLY_AT_A_TIME = 3;

export function createEntries(options: EntriesOptions, begin: readonly Entry[] = []): Entries {
  const { clock, files, folder } = options;
  const read = createReader(options);
  let entries = new Map(begin.map((entry) => [entry.path, entry]));
  let memories: readonly Memory[] | undefined;
  let changes = 0;
  let isAppended = false;

  return {
    async scan() {
      const paths = await listPaths(files, folder);
      const changed: string[] = [];
      const found = new Map<string, Entry>();
      const startedMs = clock.now();
      for (let from = 0; from < paths.length; ) {
        const isGentle = clock.now() - startedMs < GENTLE_MS;
        const some = paths.slice(from, from + (isGentle ? GENTLY_AT_A_TIME : AT_A_TIME));
        from += some.length;
        for (const entry of await Promise.all(some.map((path) => lookIfChanged(path)))) {
          if (!entry) continue;
          found.set(entry.path, entry);
          if (!isSameFile(entries.get(entry.path), entry)) changed.push(entry.path);
        }
      }
      for (const path of entries.keys()) if (!found.has(path)) changed.push(path);
      entries = found;
      // In folder order, regardless of the last writer: the gate decides by the first of several.
      if (changed.length > 0 || isAppended) memories = undefined;
      isAppended = false;
      changes += changed.length;
      return changed;
    },

    get changes() {
      return changes;
    },

    look: (path) => lookAt(path, createWayFinder(files, folder)),

    async lookAll(paths, readings) {
      const looked: (Looked | undefined)[] = [];
      for (let from = 0; from < paths.length; from += AT_A_TIME) {
        const findWay = createWayFinder(files, folder);
        const some = paths.slice(from, from + AT_A_TIME);
        looked.push(...(await Promise.all(some.map((path) => lookAt(path, findWay, readings?.get(path))))));
      }
      return looked;
    },

    paths: () => listPaths(files, folder),
    get: (path) => entries.get(path),
    all: () => [...entries.values()],
    memories() {
      memories ??= listMemories(entries.values());
      return memories;
    },
    names: (under) => files.list(join(folder, under)),
    findLink: (path) => findLink(files, folder, path),
  };

  async function lookAt(
    path: string,
    findWay: (path: string) => Promise<Way>,
    known?: Pick<Entry, "hash" | "reading">,
  ): Promise<Looked | undefined> {
    const way = splitPath(path) || isFolderPath(path) ? await findWay(path) : MISSING;
    const looked = way.kind === "clear" ? await look(path, way.stat, known) : undefined;
    if (looked?.hash !== entries.get(path)?.hash) changes++;
    isAppended ||= looked !== undefined && !entries.has(path);
    if (looked) entries.set(path, withoutText(looked));
    else entries.delete(path);
    memories = undefined;
    return way.kind === "blocked" ? formatUnreached(path, way.obstacle) : looked;
  }

  function look(
    path: string,
    stat: FileStat | undefined,
    given?: Pick<Entry, "hash" | "reading">,
  ): Promise<Looked | undefined> {
    const known = entries.get(path) ?? findMoved(entries, path);
    // The same contents and time give the same reading.
    return read(path, stat, given ?? (known?.modifiedMs === stat?.modifiedMs ? known : undefined));
  }

  async function lookIfChanged(path: string): Promise<Entry | undefined> {
    const stat = await files.statItself(join(folder, path));
    const known = entries.get(path);
    if (known && isUntouched(known, stat)) return known;
    const looked = await look(path, stat);
    return looked && withoutText(looked);
  }
}

/** The reading of an archived file that was in use before: only its status differs. */
function findMoved(entries: ReadonlyMap<string, Entry>, path: string): Entry | undefined {
  const parts = splitPath(path);
  const before = parts?.isArchived ? entries.get(formatPath({ ...parts, isArchived: false })) : undefined;
  if (before?.reading.kind !== "memory") return undefined;
  const memory = { ...before.reading.memory, status: "archived" as const };
  return { ...before, path, reading: { ...before.reading, memory } };
}

/** Reads one file. `known` is the reading if the file still has this hash: the gate has passed it. */
type ReadEntry = (
  path: string,
  stat: FileStat | undefined,
  known?: Pick<Entry, "hash" | "reading">,
) => Promise<Looked | undefined>;

function createReader({ clock, files, folder, gate, scope, sensitivity }: EntriesOptions): ReadEntry {
  return async (path, stat, known) => {
    const parts = splitPath(path);
    if (!stat || (!parts && !isFolderPath(path))) return undefined;
    const { bytes, modifiedMs } = stat;
    const entry = { path, bytes, modifiedMs, readMs: clock.now() };
    const unread = (what: string): Looked => ({ ...entry, reading: { kind: "problem", what } });
    if (stat.kind === "link")
      return unread("it is a link, and links are not followed; put the file itself here");
    if (stat.kind !== "file" || !parts) return unread("it is not a regular file");
    // Loaded with the first memory, so that projects without one do not load YAML.
    const { MOST_FILE_BYTES, parseMemoryFile } = await import("../memory-file.js");
    if (bytes > MOST_FILE_BYTES)
      return unread(`it has ${bytes} bytes; a memory has at most ${MOST_FILE_BYTES}`);
    try {
      const contents = await files.read(join(folder, path));
      if (!contents) return undefined;
      const hash = hashOf(contents);
      const decode = (): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(contents);
      if (known?.hash === hash && known.reading.kind === "memory")
        return { ...entry, hash, reading: known.reading, text: decode() };
      const reading = parseMemoryFile(contents, { ...parts, scope, sensitivity, modifiedMs });
      const read = { ...entry, hash, reading };
      if (reading.kind === "problem") return read;
      const text = decode();
      // The gate checks the whole text, comments in the frontmatter included.
      const why = await gate?.({ ...reading.memory, content: text });
      return why === undefined ? { ...read, text } : unread(why);
    } catch (thrown) {
      const what = `it cannot be read: ${formatError(thrown)}`;
      return { ...entry, reading: { kind: "problem", what, isUnread: true } };
    }
  };
}

const listMemories = (entries: Iterable<Entry>): readonly Memory[] =>
  [...entries].flatMap(({ reading }) => (reading.kind === "memory" ? [reading.memory] : []));

/** True if the file cannot have changed since it was read. */
const isUntouched = ({ bytes, modifiedMs, readMs }: Entry, stat: FileStat | undefined): boolean =>
  bytes === stat?.bytes && modifiedMs === stat.modifiedMs && readMs - modifiedMs > RACY_MS;

const MISSING = { kind: "missing" } as const;

function isSameFile(one: Entry | undefined, other: Entry): boolean {
  if (!one || one.hash !== other.hash) return false;
  return other.hash !== undefined || JSON.stringify(one.reading) === JSON.stringify(other.reading);
}

/** A result that is not kept as an entry: `scan` makes none for such a path either. */
function formatUnreached(path: string, obstacle: Obstacle): Looked {
  const reading = { kind: "problem" as const, what: formatObstacle(obstacle) };
  return { path, bytes: 0, modifiedMs: 0, readMs: 0, reading };
}

function withoutText({ text: _, ...entry }: Looked): Entry {
  return entry;
}

/** A path on the way to a file, or the file's own, of the wrong kind: above all a link. */
export interface Obstacle {
  path: string;
  kind: FileStat["kind"];
}

export type Way =
  /** `stat` is of whatever exists at the path. */
  { kind: "clear"; stat: FileStat } | { kind: "missing" } | { kind: "blocked"; obstacle: Obstacle };

/** Checks each folder below `folder` on the way, and the path itself; follows no link. */
export function findWay(files: Looking, folder: string, path: string): Promise<Way> {
  return createWayFinder(files, folder)(path);
}

type Looking = Pick<Files, "statItself">;

/** As `findWay`, for many paths within milliseconds: checks each folder on their ways once. */
export function createWayFinder(files: Looking, folder: string): (path: string) => Promise<Way> {
  const folders = new Map<string, Promise<FileStat | undefined>>();
  return async (path) => {
    const parts = path.split("/");
    for (let depth = 1; ; depth++) {
      const part = join(folder, ...parts.slice(0, depth));
      const isLast = depth === parts.length;
      const stat = await (isLast ? files.statItself(part) : statFolder(part));
      if (!stat) return { kind: "missing" };
      if (isLast) return { kind: "clear", stat };
      if (stat.kind !== "folder") return { kind: "blocked", obstacle: { path: part, kind: stat.kind } };
    }
  };

  function statFolder(part: string): Promise<FileStat | undefined> {
    const known = folders.get(part) ?? files.statItself(part);
    folders.set(part, known);
    return known;
  }
}

/** The first obstacle below `folder` on the way to this file or folder; callers do not read or write behind it. */
export async function findObstacle(
  files: Files,
  folder: string,
  path: string,
  expected: "file" | "folder" = "file",
): Promise<Obstacle | undefined> {
  const way = await findWay(files, folder, path);
  if (way.kind === "blocked") return way.obstacle;
  const isOther = way.kind === "clear" && way.stat.kind !== expected;
  return isOther ? { path: join(folder, path), kind: way.stat.kind } : undefined;
}

/** The contents of this file; `undefined` if it is missing or an obstacle is in the way. */
export async function readWithin(
  files: Files,
  folder: string,
  path: string,
): Promise<Uint8Array | undefined> {
  const way = await findWay(files, folder, path);
  return way.kind === "clear" && way.stat.kind === "file" ? files.read(join(folder, path)) : undefined;
}

/** The same as text. */
export async function readTextWithin(
  files: Files,
  folder: string,
  path: string,
): Promise<string | undefined> {
  const bytes = await readWithin(files, folder, path);
  return bytes && decodeText(bytes);
}

/** Names in this folder; empty if it is a link. */
export async function listItself(files: Files, folder: string): Promise<string[]> {
  return (await files.statItself(folder))?.kind === "folder" ? files.list(folder) : [];
}

/** For people. */
export function formatObstacle({ kind, path }: Obstacle): string {
  if (kind === "link")
    return `${path} is a link, and links are not followed; put the file or folder itself there`;
  return `${path} is ${kind === "file" ? "a file, expected a folder" : "not a regular file"}; rename or remove it`;
}
