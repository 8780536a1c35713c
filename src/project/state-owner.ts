/**
 * Detects machine state in `.opencode/strata/state` that came with a clone or an archive. What all sessions of a project
 * share there (counts, leases, instances) leads to text and actions, so it is used only if this machine wrote it. Other
 * state is stored by session ID; IDs are random, so a repository cannot contain state of a session that runs here.
 *
 * The file `owner` there holds a random ID for each machine that works with it; this machine's own record has its ID and
 * the project's path.
 *
 *     first use      nothing shared is there, or this machine's ID stands in `owner`: it is ours
 *                    an ID of ours stands there whose path no longer exists: the project was moved, it is ours
 *                    otherwise all that is shared is moved to `state.foreign-<n>`, which is never read
 *     first write    this machine's ID is added to `owner`, and again if the file was deleted
 *
 * If the user's state folder cannot be used, nothing is known, and all counts as ours.
 */
import { randomUUID } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { formatError } from "../base/error.js";
import { hashOf } from "../base/hash.js";
import { matching, object, parseJson, parserOf, string } from "../base/shape.js";
import { type Files, pathBelow, readPlainText, readText } from "../io/files.js";
import type { Locks } from "../io/locks.js";
import type { Log } from "../io/log.js";

/** Of a project's record, as file names: what this user's machine knows of it, outside of it and of any repository. */
const RECORD = {
  /** Owner of the machine state in the project. */
  owner: "owner.json",
  /** Sessions that ran there. */
  sessions: "sessions.txt",
  /** What may become a memory. */
  candidates: "candidates.json",
  candidatesLock: "candidates.lock",
  /** Hashes of dropped candidates. */
  dropped: "dropped.json",
  /** Why messages were kept or not. */
  judgements: "judgements.jsonl",
  /** What was said in several sessions. */
  repeats: "repeats.json",
  /** What people asked about contexts. */
  contextRequests: "context-requests.jsonl",
} as const;

export type ProjectRecord = Record<keyof typeof RECORD | "folder" | "lock", string>;

/** Found by the project's real path: a copy, or another clone of the same repository, is another project. */
export async function locateRecord(
  files: Files,
  { project, stateFolder }: { project: string; stateFolder: string },
): Promise<ProjectRecord> {
  const path = (await files.realPath(project)) ?? project;
  return planRecord(join(stateFolder, "projects", hashOf(path)));
}

export const isRecordName = (name: string): boolean => /^[0-9a-f]{32}$/.test(name);

export function planRecord(folder: string): ProjectRecord {
  const paths = Object.entries(RECORD).map(([name, file]) => [name, join(folder, file)]);
  // The lock is beside the folder, which exists only if something is known.
  return { ...Object.fromEntries(paths), folder, lock: `${folder}.lock` };
}

interface StateOwnerOptions {
  files: Files;
  log: Log;
  /** For the record's lock only. */
  locks: Locks;
  project: string;
  /** `<project>/.opencode/strata/state` */
  state: string;
  locateRecord(): Promise<ProjectRecord>;
}

interface Owner {
  id: string;
  path: string;
}

/** Between the name of the folder of machine state and a number. */
export const SET_ASIDE = ".foreign-";
/** Names in the folder of machine state that are not shared; `memory` is checked elsewhere. */
const NOT_SHARED = new Set([
  "owner",
  "decisions",
  "breakers",
  "mail",
  "extraction",
  "memory",
  "screen",
  "views",
]);
/** Shared files inside folders that are not shared. */
const SHARED_WITHIN = ["extraction/learned.jsonl", "extraction/past-sessions.json"];
const SOURCE = "owner";

const IS_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const parseOwner = parserOf(object<Owner>({ id: matching(IS_ID), path: string }));

/** The record's owner; `undefined` if it has none. Rejects with the system's error. */
export async function readOwner(
  files: Pick<Files, "read">,
  { owner }: Pick<ProjectRecord, "owner">,
): Promise<Owner | undefined> {
  return parseOwner(parseJson((await readText(files, owner)) ?? ""));
}

/**
 * `check` decides once whose the state is, moves foreign state away, and never rejects; in `files` shared state appears
 * only if it is this machine's. Touches nothing until it is asked.
 */
export function createStateOwner(options: StateOwnerOptions) {
  const { files, locks, log, state } = options;
  let checking: Promise<boolean> | undefined;

  return {
    check,
    files: guardSharedState({
      files,
      state,
      mayRead: check,
      async beforeWriting() {
        try {
          if (!(await files.stat(join(state, "owner")))) await claim(options, await options.locateRecord());
        } catch (thrown) {
          complain(`cannot note the owner of ${state}`, thrown);
        }
      },
    }),
  };

  function check(): Promise<boolean> {
    checking ??= checkOnce();
    return checking;
  }

  /** Is the shared state this machine's, from now on if not before? */
  async function checkOnce(): Promise<boolean> {
    try {
      if ((await listShared(files, state)).length === 0) return true;
    } catch (thrown) {
      complain(`${state} is not used`, thrown);
      return false;
    }
    try {
      const record = await options.locateRecord();
      return (
        (await isClaimed(options, record)) || (await locks.withLock(record.lock, () => checkLocked(record)))
      );
    } catch (thrown) {
      complain(`cannot verify the owner of ${state}; using it`, thrown);
      return true;
    }
  }

  /** Another process may have checked it while this one waited for the lock. */
  async function checkLocked(record: ProjectRecord): Promise<boolean> {
    if ((await isClaimed(options, record)) || (await moveRecord(options, record))) return true;
    await identify(options, record);
    try {
      await setAside(files, log, state);
      await claim(options, record);
      return true;
    } catch (thrown) {
      complain(`${state} did not come from this machine, cannot be moved away, and is not used`, thrown);
      return false;
    }
  }

  function complain(what: string, thrown: unknown): void {
    log.warn(SOURCE, `${what}: ${formatError(thrown)}`);
  }
}

type Place = Pick<StateOwnerOptions, "files" | "log" | "project" | "state">;

/** Does this machine's ID stand in `owner`? */
async function isClaimed(place: Place, record: ProjectRecord): Promise<boolean> {
  const own = await readOwner(place.files, record);
  return own !== undefined && (await readIDs(place)).includes(own.id);
}

/** If the project was moved here from a path that no longer exists, its record moves along. */
async function moveRecord(place: Place, record: ProjectRecord): Promise<boolean> {
  const { files, log } = place;
  const ids = await readIDs(place);
  if (ids.length === 0 || (await readOwner(files, record))) return false;
  const all = dirname(record.folder);
  for (const name of (await files.list(all)).filter(isRecordName)) {
    const earlier = planRecord(join(all, name));
    const owner = await readOwner(files, earlier);
    if (!owner || !ids.includes(owner.id) || (await files.stat(owner.path))) continue;
    const sessions = ((await readText(files, earlier.sessions)) ?? "").trim();
    if (sessions !== "") await files.appendLine(record.sessions, sessions);
    await files.rename(earlier.candidates, record.candidates);
    await files.rename(earlier.dropped, record.dropped);
    await files.writeWhole(record.owner, await formatOwner(place, owner.id));
    await files.remove(earlier.owner);
    log.info(SOURCE, `the project was moved here from ${owner.path}`);
    return true;
  }
  return false;
}

/** This machine's ID, created if it has none. Two processes that do so at once get the same one. */
async function identify(place: Place, record: ProjectRecord): Promise<string> {
  const { files } = place;
  if (!(await readOwner(files, record)))
    await files.create(record.owner, await formatOwner(place, randomUUID()));
  const made = await readOwner(files, record);
  if (made) return made.id;
  throw new Error(`${record.owner} cannot be understood; delete it`);
}

/** Adds this machine's ID to those of others that share the folder. */
async function claim(place: Place, record: ProjectRecord): Promise<void> {
  const id = await identify(place, record);
  const ids = await readIDs(place);
  if (!ids.includes(id))
    await place.files.writeWhole(join(place.state, "owner"), `${[...ids, id].join("\n")}\n`);
}

async function readIDs({ files, state }: Place): Promise<string[]> {
  const text = await readPlainText(files, join(state, "owner"));
  return text.split("\n").filter((line) => IS_ID.test(line));
}

async function formatOwner({ files, project }: Place, id: string): Promise<string> {
  const path = (await files.realPath(project)) ?? project;
  return `${JSON.stringify({ v: 1, id, path })}\n`;
}

/** The shared entries of the folder of machine state. Rejects with the system's error. */
async function listShared(files: Files, state: string): Promise<string[]> {
  const found = await files.statItself(state);
  if (!found) return [];
  if (found.kind !== "folder") throw new Error(`expected a folder, and it is a ${found.kind}`);
  const shared = (await files.list(state)).filter((name) => !NOT_SHARED.has(name));
  for (const path of SHARED_WITHIN) if (await files.statItself(join(state, path))) shared.push(path);
  return shared;
}

async function setAside(files: Files, log: Log, state: string): Promise<void> {
  let n = 1;
  const name = (): string => join(dirname(state), `${basename(state)}${SET_ASIDE}${n}`);
  while (await files.statItself(name())) n++;
  const shared = await listShared(files, state);
  for (const path of shared) await files.rename(join(state, path), join(name(), path));
  log.warn(
    SOURCE,
    `${shared.length} entries of ${state} did not come from this machine: they are moved to ${name()}, not read any more, and may be deleted`,
  );
}

interface GuardOptions {
  files: Files;
  state: string;
  /** May the shared state be read? Never rejects. */
  mayRead(): Promise<boolean>;
  /** Called before Strata writes there. Never rejects. */
  beforeWriting(): Promise<void>;
}

/** Wraps `files`: shared state appears absent until it may be read. A write replaces what is there. */
function guardSharedState({ files, state, ...options }: GuardOptions): Files {
  let hasWritten = false;

  function isShared(path: string): boolean {
    // Not by the path's beginning: Windows has many spellings of one.
    const below = pathBelow(state, path);
    if (below === undefined) return false;
    return !NOT_SHARED.has(below.split("/")[0] ?? "") || SHARED_WITHIN.includes(below);
  }

  async function read<T>(path: string, run: () => Promise<T>, absent: Awaited<T>): Promise<T> {
    return isShared(path) && !(await options.mayRead()) ? absent : run();
  }

  async function write<T>(paths: readonly string[], run: () => Promise<T>): Promise<T> {
    if (!paths.some(isShared)) return run();
    await options.mayRead();
    const owned = options.beforeWriting();
    // Later the file exists, unless somebody deletes it.
    if (!hasWritten) await owned;
    hasWritten = true;
    const [result] = await Promise.all([run(), owned]);
    return result;
  }

  return {
    read: (path, given) => read(path, () => files.read(path, given), undefined),
    readFrom: (path, offset, given) => read(path, () => files.readFrom(path, offset, given), undefined),
    stat: (path) => read(path, () => files.stat(path), undefined),
    statItself: (path) => read(path, () => files.statItself(path), undefined),
    realPath: (path) => read(path, () => files.realPath(path), undefined),
    list: (folder) => read<string[]>(folder, () => files.list(folder), []),
    writeWhole: (path, contents, given) => write([path], () => files.writeWhole(path, contents, given)),
    create: (path, contents) => write([path], () => files.create(path, contents)),
    appendLine: (path, line) => write([path], () => files.appendLine(path, line)),
    rename: (from, to) => write([from, to], () => files.rename(from, to)),
    touch: (path, timeMs) => read(path, () => files.touch(path, timeMs), undefined),
    remove: (path) => read(path, () => files.remove(path), undefined),
  };
}
