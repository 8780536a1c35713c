/**
 * The folders of memories, and the files of one as they are on disk: read when their size or time changes. No link is
 * followed, and an unreadable file is left alone.
 */

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { formatError, StrataError } from "../../base/error.js";
import { hashOf } from "../../base/hash.js";
import type { Clock } from "../../io/clock.js";
import { type FileStat, type Files, readText } from "../../io/files.js";
import { type Folders, hideFromGit, hidesAll, TORN_RULE } from "../../project/folders.js";
import { type Memory, memoryTypes, type Place } from "../memory.js";
import type { FileReading } from "../memory-file.js";
import { ARCHIVE, isMemoryFile, splitPath } from "../path.js";

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

export type Entries = ReturnType<typeof createEntries>;

export interface EntriesOptions {
  clock: Clock;
  files: Files;
  folder: string;
  scope: Place["scope"];
  sensitivity: Place["sensitivity"];
  /** A file that holds a secret is a problem. */
  refusesSecrets: boolean;
}

/** Precision of file times: a file read sooner after a write is read again. */
const RACY_MS = 100;
/** Number of files read together: they are parsed without a pause, so a turn that begins meanwhile waits for them. */
const AT_A_TIME = 16;

export function createEntries(options: EntriesOptions) {
  const { files, folder } = options;
  const read = createReader(options);
  let entries = new Map<string, Entry>();
  let memories: readonly Memory[] | undefined;

  return {
    /** Checks all files. Returns the paths of changed, added and removed ones. */
    async scan(): Promise<string[]> {
      const paths = await listPaths(files, folder);
      const changed: string[] = [];
      const found = new Map<string, Entry>();
      for (let from = 0; from < paths.length; from += AT_A_TIME) {
        const some = paths.slice(from, from + AT_A_TIME).map((path) => lookIfChanged(path));
        for (const entry of await Promise.all(some)) {
          if (!entry) continue;
          found.set(entry.path, entry);
          if (!isSameFile(entries.get(entry.path), entry)) changed.push(entry.path);
        }
      }
      for (const path of entries.keys()) if (!found.has(path)) changed.push(path);
      // In folder order, regardless of the last writer: the gate decides by the first of several.
      const isOrdered = [...entries.keys()].join() === [...found.keys()].join();
      if (changed.length > 0 || !isOrdered) memories = undefined;
      entries = found;
      return changed;
    },

    /** Reads this one file now; `undefined` if there is none, or the path is not a memory's. */
    async look(path: string): Promise<Looked | undefined> {
      if (!splitPath(path)) return undefined;
      const way = await findWay(files, folder, path);
      const looked = way.kind === "clear" ? await read(path, way.stat, entries.get(path)) : undefined;
      if (looked?.reading !== entries.get(path)?.reading) memories = undefined;
      if (looked) entries.set(path, withoutText(looked));
      else entries.delete(path);
      if (way.kind !== "blocked") return looked;
      // `scan` makes no entry for a path behind a link either.
      const reading = { kind: "problem" as const, what: formatObstacle(way.obstacle) };
      return { path, bytes: 0, modifiedMs: 0, readMs: 0, reading };
    },

    get: (path: string): Entry | undefined => entries.get(path),
    all: (): readonly Entry[] => [...entries.values()],
    /** The memories among the entries; the same array while none changes. */
    memories(): readonly Memory[] {
      memories ??= [...entries.values()].flatMap(({ reading }) =>
        reading.kind === "memory" ? [reading.memory] : [],
      );
      return memories;
    },
  };

  async function lookIfChanged(path: string): Promise<Entry | undefined> {
    const stat = await files.statItself(join(folder, path));
    const known = entries.get(path);
    if (known && isUntouched(known, stat)) return known;
    const looked = await read(path, stat, known);
    return looked && withoutText(looked);
  }
}

/** Reads one file. `known` is what it was: the same contents and time give the same reading. */
function createReader({ clock, files, folder, refusesSecrets, scope, sensitivity }: EntriesOptions) {
  return async (
    path: string,
    stat: FileStat | undefined,
    known: Entry | undefined,
  ): Promise<Looked | undefined> => {
    const parts = splitPath(path);
    if (!stat || !parts) return undefined;
    const { bytes, modifiedMs } = stat;
    const entry = { path, bytes, modifiedMs, readMs: clock.now() };
    const unread = (what: string): Looked => ({ ...entry, reading: { kind: "problem", what } });
    if (stat.kind === "link")
      return unread("it is a link, and links are not followed; put the file itself here");
    if (stat.kind !== "file") return unread("it is not a regular file");
    // With the first memory: projects without one load neither YAML nor the rules for secrets.
    const { MOST_FILE_BYTES, parseMemoryFile, refuseFile } = await import("../memory-file.js");
    if (bytes > MOST_FILE_BYTES)
      return unread(`it has ${bytes} bytes; a memory has at most ${MOST_FILE_BYTES}`);
    try {
      const contents = await files.read(join(folder, path));
      if (!contents) return undefined;
      const hash = hashOf(contents);
      const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(contents);
      if (known?.hash === hash && known.modifiedMs === modifiedMs && known.reading.kind === "memory")
        return { ...entry, hash, reading: known.reading, text };
      const reading = parseMemoryFile(contents, { ...parts, scope, sensitivity, modifiedMs });
      if (reading.kind === "problem") return { ...entry, hash, reading };
      const why = refusesSecrets ? refuseFile(reading.memory, text) : undefined;
      return why === undefined ? { ...entry, hash, reading, text } : unread(why);
    } catch (thrown) {
      const what = `it cannot be read: ${formatError(thrown)}`;
      return { ...entry, reading: { kind: "problem", what, isUnread: true } };
    }
  };
}

/** True if the file cannot have changed since it was read. */
const isUntouched = ({ bytes, modifiedMs, readMs }: Entry, stat: FileStat | undefined): boolean =>
  bytes === stat?.bytes && modifiedMs === stat.modifiedMs && readMs - modifiedMs > RACY_MS;

function isSameFile(one: Entry | undefined, other: Entry): boolean {
  if (!one || one.hash !== other.hash) return false;
  return other.hash !== undefined || JSON.stringify(one.reading) === JSON.stringify(other.reading);
}

function withoutText({ text: _, ...entry }: Looked): Entry {
  return entry;
}

/* Where memories may be. Reads no file and follows no link. */

/** Paths of possible memories, in the type folders and the archive. */
export async function listPaths(
  files: Pick<Files, "list" | "statItself">,
  folder: string,
): Promise<string[]> {
  const paths: string[] = [];
  const types: readonly string[] = memoryTypes;
  const inUse = await listItself(files, folder);
  const archived = inUse.includes(ARCHIVE) ? await listItself(files, join(folder, ARCHIVE)) : [];
  for (const [root, names] of Object.entries({ "": inUse, [`${ARCHIVE}/`]: archived }))
    for (const type of names.filter((one) => types.includes(one)))
      for (const name of await listItself(files, join(folder, root, type)))
        if (isMemoryFile(name)) paths.push(`${root}${type}/${name}`);
  return paths;
}

/** A path on the way to a file, or the file's own, of the wrong kind: above all a link. */
export interface Obstacle {
  path: string;
  kind: FileStat["kind"];
}

export type Way =
  /** `stat` is of whatever exists at the path. */
  { kind: "clear"; stat: FileStat } | { kind: "missing" } | { kind: "blocked"; obstacle: Obstacle };

type Looking = Pick<Files, "statItself">;

/** Checks each folder below `folder` on the way, and the path itself; follows no link. */
export async function findWay(files: Looking, folder: string, path: string): Promise<Way> {
  const parts = path.split("/");
  for (let depth = 1; ; depth++) {
    const part = join(folder, ...parts.slice(0, depth));
    const stat = await files.statItself(part);
    if (!stat) return { kind: "missing" };
    if (depth === parts.length) return { kind: "clear", stat };
    if (stat.kind !== "folder") return { kind: "blocked", obstacle: { path: part, kind: stat.kind } };
  }
}

/** Names in this folder; empty if it is a link. */
export async function listItself(
  files: Pick<Files, "list" | "statItself">,
  folder: string,
): Promise<string[]> {
  return (await files.statItself(folder))?.kind === "folder" ? files.list(folder) : [];
}

/** For people. */
function formatObstacle({ kind, path }: Obstacle): string {
  if (kind === "link")
    return `${path} is a link, and links are not followed; put the file or folder itself there`;
  return `${path} is ${kind === "file" ? "a file, expected a folder" : "not a regular file"}; rename or remove it`;
}

/* The folders of memories, and their preparation for a first file. */

/** One of the four memory folders. */
export interface CollectionPlace extends Pick<Place, "scope" | "sensitivity"> {
  folder: string;
  /** Folder of its machine state. */
  state: string;
  /** Called before every change. */
  prepare(): Promise<void>;
  /** Does the host's undo reach its files? */
  isUndone: boolean;
  /** The clone's name, shared by all instances in this copy of the project. */
  nameClone(): Promise<string>;
}

/** `globalFolder`: the user's folder for memories of all projects. */
export function planPlaces(given: {
  files: Files;
  folders: Folders;
  globalFolder: string;
}): CollectionPlace[] {
  const { files, folders, globalFolder } = given;
  const isOwn = folders.memoryProject === folders.project;
  const roots = [
    { scope: "project", memory: folders.memory, strata: join(folders.memoryProject, ".opencode", "strata") },
    { scope: "global", memory: join(globalFolder, "memory"), strata: join(globalFolder, "strata") },
  ] as const;
  return roots.flatMap(({ memory, scope, strata }) =>
    (["internal", "private"] as const).map((sensitivity): CollectionPlace => {
      const isHidden = sensitivity === "private";
      const folder = isHidden ? join(memory, "private") : memory;
      const state = join(strata, "state", "memory");
      return {
        ...{ scope, sensitivity, folder, state: join(state, sensitivity) },
        isUndone: isOwn && scope === "project" && !isHidden,
        nameClone: () => readClone(files, join(state, "clone")),
        async prepare() {
          await hideFromGit(files, strata);
          await (isHidden ? prepareHidden(files, folder) : prepareInternal(files, folder));
        },
      };
    }),
  );
}

/**
 * Git ignores the index, which every machine generates, and half-written files, and merges ledgers by keeping the lines
 * of both sides. It changes no line end, as it does on Windows: every memory would have been changed by a checkout.
 */
async function prepareInternal(files: Files, folder: string): Promise<void> {
  await hideFromGit(files, folder, ["MEMORY.md", TORN_RULE]);
  const path = join(folder, ".gitattributes");
  const rules = ["ledger/*.jsonl", "DREAMS.md", ".gitignore"].map((one) => `${one} merge=union\n`);
  if (!(await files.statItself(path))) await files.create(path, `* -text\n${rules.join("")}`);
}

/** Ensures that git ignores the whole folder before anything is written to it. */
async function prepareHidden(files: Files, folder: string): Promise<void> {
  const path = join(folder, ".gitignore");
  await hideFromGit(files, folder);
  if (hidesAll((await readText(files, path)) ?? "")) return;
  throw new StrataError(
    "ENOTPRIVATE",
    `expected ${path} to keep the whole folder out of git with the line *, which is missing; restore that line to save private memories again`,
  );
}

async function readClone(files: Files, path: string): Promise<string> {
  if (!(await files.statItself(path))) await files.create(path, randomUUID().slice(0, 8));
  const name = ((await readText(files, path)) ?? "").trim();
  return /^[0-9a-f]{8}$/.test(name) ? name : "unnamed";
}
