/** Checkpoints and attachments. */
import { join, resolve } from "node:path";
import { formatError, StrataError } from "../../base/error.js";
import { type Files, readText } from "../../io/files.js";
import { isActive, isUsersRule } from "../../memory/in-force.js";
import type { Memory } from "../../memory/memory.js";
import type { SeenSessions } from "../../project/own.js";
import { redactSecrets } from "../../text/secrets/secrets.js";
import { cut, toSafeLine } from "../../text/text.js";
import { planPaths } from "../session.js";
import { type AttachedFiles, createAttachedFiles } from "./attached.js";
import { formatCapsule, formatRefresh, nameSource, type Source } from "./capsule.js";
import {
  type Checkpoint,
  type CheckpointFile,
  type CheckpointMemory,
  formatCheckpoint,
  formatCheckpointID,
  isAuto,
  isCheckpointID,
  nameCheckpoint,
  type Occasion,
  parseCheckpoint,
  readCheckpointName,
} from "./checkpoint.js";
import {
  listNewestSessions,
  type ReadSession,
  type ReadSessionOptions,
  readSafePage,
  readSession,
} from "./read-session.js";

/** All calls reject with the system's error. */
export interface OpenCheckpoints extends Pick<CheckpointFiles, "list" | "remove"> {
  /** Saves the session's current state; `undefined` if it has no notes. */
  keep(wanted: WantedCheckpoint): Promise<Checkpoint | undefined>;
  /** @throws StrataError NO_CHECKPOINT, NO_SESSION */
  find(name: string): Promise<FoundSource>;
  /** @throws StrataError NO_SESSION */
  findNewestSession(): Promise<string>;
  /** Attaches a session or checkpoint and returns its name for people. @throws StrataError NO_CHECKPOINT, NO_SESSION */
  attach(name: string, target: string): Promise<string>;
  /** Attaches the session's goal and the user's rules to the session itself. @throws StrataError NO_SESSION */
  refresh(sessionID: string): Promise<void>;
  attached: AttachedFiles;
}

export interface OpenOptions extends TakeOptions {
  sessions: SeenSessions;
  /** The folder of this machine's record of the project. */
  locate(): Promise<string>;
  /** Writes the session's unsaved data to disk. */
  settle?(sessionID: string): Promise<void>;
}

export function openCheckpoints(options: OpenOptions): OpenCheckpoints {
  const { clock, files, folder, settle = async () => {} } = options;
  const checkpoints = createCheckpointFiles(options);
  const attached = createAttachedFiles({ ...options, nowMs: () => clock.now() });
  const find = (name: string): Promise<FoundSource> => findSource({ ...options, checkpoints }, name);

  return {
    attached,
    find,
    findNewestSession: () => findNewestSession(options),
    list: checkpoints.list,
    remove: checkpoints.remove,

    async keep(wanted) {
      await settleKept(wanted.sessionID);
      const checkpoint = await takeCheckpoint(options, wanted);
      if (checkpoint) await checkpoints.write(checkpoint);
      return checkpoint;
    },

    async attach(name, target) {
      if (/^[\w-]+$/.test(name)) await settleKept(name);
      const { now, source } = await find(name);
      const text = formatCapsule(source, now);
      const of = nameSource(source);
      await attach(target, of, text);
      return of;
    },

    async refresh(sessionID) {
      await settleKept(sessionID);
      const { now, source } = await find(sessionID);
      const all = await options.listMemories();
      const rules = all.filter((memory) => isUsersRule(memory) && isActive(memory, clock.now()));
      await attach(sessionID, nameSource(source), formatRefresh(source, { now, rules }));
    },
  };

  function attach(target: string, of: string, text: string): Promise<void> {
    return attached.write(target, { v: 1, of, asked: new Date(clock.now()).toISOString(), text });
  }

  /** Sessions without an agent's work, and subagents, have no notes; this starts none. */
  async function settleKept(sessionID: string): Promise<void> {
    if (await files.stat(planPaths(folder, sessionID).stored)) await settle(sessionID);
  }
}

/* Finds the session or checkpoint that a person names. */

export interface FindOptions extends TakeOptions {
  checkpoints: Pick<CheckpointFiles, "read">;
  sessions: Pick<SeenSessions, "filter">;
}

export interface FoundSource {
  source: Source;
  /** The files that the session changed, as they are now. */
  now: CheckpointFile[];
}

/** Maximum number of sessions searched for the newest. */
const LOOKED_INTO = 200;

/**
 * A checkpoint or session by its id. Only sessions that ran on this machine: a repository may contain
 * notes of others. @throws StrataError NO_CHECKPOINT, NO_SESSION
 */
export async function findSource(options: FindOptions, name: string): Promise<FoundSource> {
  if (isCheckpointID(name)) return readCheckpoint(options, name);
  const isHere = /^[\w-]+$/.test(name) && (await options.sessions.filter([name])).has(name);
  const taken = isHere ? await takeCheckpoint(options, { sessionID: name, occasion: "asked" }) : undefined;
  if (!taken) throw noSession(name);
  const { id: _, ...source } = taken;
  const stat = await options.files.stat(planPaths(options.folder, name).stored);
  const at = new Date(stat?.modifiedMs ?? options.clock.now()).toISOString();
  return { source: { ...source, at }, now: [...taken.files] };
}

async function readCheckpoint(options: FindOptions, id: string): Promise<FoundSource> {
  const checkpoint = await options.checkpoints.read(id);
  if (!checkpoint)
    throw new StrataError(
      "NO_CHECKPOINT",
      `there is no checkpoint ${id}; strata checkpoint --list shows all`,
    );
  // Memories archived or made private since then are not handed over.
  const memories = findStanding(checkpoint.memories, await options.listMemories());
  return {
    source: { ...checkpoint, memories },
    now: await lookAtFiles(options, { stored: checkpoint }),
  };
}

/** The last used session with notes. @throws StrataError NO_SESSION */
export async function findNewestSession(options: Omit<FindOptions, "checkpoints">): Promise<string> {
  const [newest] = await listNewestSessions({ ...options, most: LOOKED_INTO });
  if (newest === undefined) throw noSession(undefined);
  return newest;
}

function noSession(name: string | undefined): StrataError {
  const message =
    name === undefined
      ? "no session of this project has notes yet: they begin when the agent uses a tool"
      : `nothing is known of ${JSON.stringify(name)}: expected a checkpoint, or a session that ran on this machine and has notes. strata checkpoint --list and strata sessions list them`;
  return new StrataError("NO_SESSION", message);
}

/* Checkpoints on disk, in this machine's record of the project. All calls reject with the system's error. */

export interface CheckpointFiles {
  /** Returns the path. Removes the plugin's own oldest checkpoints beyond a hundred. */
  write(checkpoint: Checkpoint): Promise<string>;
  /** `undefined` if none has this id. @throws StrataError DAMAGED */
  read(id: string): Promise<Checkpoint | undefined>;
  /**
   * At most `most`: those that people requested, then the plugin's own, each newest first. Skips unreadable
   * ones.
   */
  list(most: number): Promise<Checkpoint[]>;
  /** Returns whether it existed. */
  remove(id: string): Promise<boolean>;
}

export interface CheckpointFilesOptions {
  files: Files;
  /** The folder of the project's record. */
  locate(): Promise<string>;
}

interface Dated {
  path: string;
  modifiedMs: number;
  isAuto: boolean;
}

/** Maximum number of the plugin's own checkpoints; the largest is about 400 kB. */
const MOST_AUTO = 100;

export function createCheckpointFiles({ files, locate }: CheckpointFilesOptions): CheckpointFiles {
  return {
    async write(checkpoint) {
      const path = join(await locate(), nameCheckpoint(checkpoint));
      await files.writeWhole(path, formatCheckpoint(checkpoint));
      if (checkpoint.occasion !== "asked") await removeOldest();
      return path;
    },

    async read(id) {
      const path = await find(id);
      const text = path === undefined ? undefined : await readText(files, path);
      if (path === undefined || text === undefined) return undefined;
      const checkpoint = await parseCheckpoint(text);
      if (checkpoint) return checkpoint;
      throw new StrataError(
        "DAMAGED",
        `${path} is damaged and cannot be read; strata checkpoint --remove ${id} removes it`,
      );
    },

    async list(most) {
      const dated = await listDated();
      const sorted = dated.sort((a, b) => Number(a.isAuto) - Number(b.isAuto) || b.modifiedMs - a.modifiedMs);
      const found: Checkpoint[] = [];
      for (const { path } of sorted.slice(0, most)) {
        const checkpoint = await parseCheckpoint((await readText(files, path)) ?? "");
        if (checkpoint) found.push(checkpoint);
      }
      return found;
    },

    async remove(id) {
      const path = await find(id);
      if (path !== undefined) await files.remove(path);
      return path !== undefined;
    },
  };

  async function listDated(): Promise<Dated[]> {
    const folder = await locate();
    const dated = await Promise.all(
      (await files.list(folder)).map(async (name) => {
        const path = join(folder, name);
        const stat = readCheckpointName(name) === undefined ? undefined : await files.stat(path);
        return stat?.kind === "file" ? [{ path, modifiedMs: stat.modifiedMs, isAuto: isAuto(name) }] : [];
      }),
    );
    return dated.flat();
  }

  async function removeOldest(): Promise<void> {
    const names = (await files.list(await locate())).filter(isAuto);
    if (names.length <= MOST_AUTO) return;
    const auto = (await listDated()).filter((one) => one.isAuto);
    const sorted = auto.sort((a, b) => b.modifiedMs - a.modifiedMs);
    for (const { path } of sorted.slice(MOST_AUTO)) await files.remove(path);
  }

  async function find(id: string): Promise<string | undefined> {
    const folder = await locate();
    const name = (await files.list(folder)).find((one) => readCheckpointName(one) === id);
    return name === undefined ? undefined : join(folder, name);
  }
}

/* Reads the contents of a checkpoint. Changes nothing. */

export interface TakeOptions extends ReadSessionOptions {
  /** Reports what is left out. */
  complain(this: void, what: string): void;
  /** Absolute path; file names are relative to it. */
  project: string;
  /** All readable memories. */
  listMemories(): Promise<readonly Memory[]>;
}

export interface WantedCheckpoint {
  sessionID: string;
  occasion: Occasion;
  note?: string | undefined;
}

const LONGEST_NOTE = 200;
/** Characters. */
const LONGEST_PLAN = 20_000;
/** Larger files are not plans. */
const LARGEST_PLAN_BYTES = 1_000_000;
const MOST_MEMORIES = 200;

/** `undefined` if the session has no notes. Rejects with the system's error. */
export async function takeCheckpoint(
  options: TakeOptions,
  { note, occasion, sessionID }: WantedCheckpoint,
): Promise<Checkpoint | undefined> {
  const session = await readSession(options, sessionID);
  if (!session) return undefined;
  const nowMs = options.clock.now();
  const words = note === undefined ? "" : toSafeLine(note, LONGEST_NOTE);
  const notes = await readSafePage(options, sessionID);
  const plan = await readPlan(options, session);
  return {
    v: 1,
    id: formatCheckpointID(sessionID, occasion, nowMs),
    sessionID,
    at: new Date(nowMs).toISOString(),
    occasion,
    ...(words !== "" && { note: words }),
    ledger: session.stored.ledger,
    removed: [...session.removed],
    notesPath: session.path,
    ...(notes !== undefined && { notes }),
    ...(plan !== undefined && { plan }),
    files: await lookAtFiles(options, session),
    memories: (await options.listMemories())
      .filter(({ isForeign, provenance }) => !isForeign && provenance.session === sessionID)
      .slice(-MOST_MEMORIES)
      .map(toMemory),
  };
}

const toMemory = (memory: Memory): CheckpointMemory => ({
  id: memory.id,
  title: toSafeLine(memory.title, LONGEST_NOTE),
  isPrivate: isPrivate(memory),
});

const isPrivate = ({ isKeptOut, sensitivity }: Pick<Memory, "isKeptOut" | "sensitivity">): boolean =>
  sensitivity === "private" || isKeptOut === true;

/** The memories that still exist, marked private if they are so now. Pure. */
export function findStanding(
  memories: readonly CheckpointMemory[],
  now: readonly Memory[],
): CheckpointMemory[] {
  const known = new Map(now.map((memory) => [memory.id, memory]));
  return memories.flatMap((memory) => {
    const today = known.get(memory.id);
    return today ? [{ ...memory, isPrivate: memory.isPrivate || isPrivate(today) }] : [];
  });
}

async function readPlan(
  { files, project }: TakeOptions,
  { stored }: ReadSession,
): Promise<string | undefined> {
  const { plan } = stored.ledger;
  const path = plan && resolve(project, plan.path);
  const stat = path === undefined ? undefined : await files.stat(path);
  if (path === undefined || stat?.kind !== "file" || stat.bytes > LARGEST_PLAN_BYTES) return undefined;
  const text = cut((await readText(files, path)) ?? "", LONGEST_PLAN);
  return redactSecrets(text).text;
}

/** The edited files of a session as they are now. Rejects with the system's error. */
export async function lookAtFiles(
  { complain, files, project }: Pick<TakeOptions, "complain" | "files" | "project">,
  { stored }: { stored: Pick<ReadSession["stored"], "ledger"> },
): Promise<CheckpointFile[]> {
  const edited = stored.ledger.files.filter(({ isEdited }) => isEdited);
  return Promise.all(
    edited.map(async ({ key: name }): Promise<CheckpointFile> => {
      const stat = await files.stat(resolve(project, name)).catch((thrown) => {
        complain(`cannot look at ${name}: ${formatError(thrown)}`);
        return undefined;
      });
      return stat?.kind === "file" ? { name, bytes: stat.bytes, modifiedMs: stat.modifiedMs } : { name };
    }),
  );
}
