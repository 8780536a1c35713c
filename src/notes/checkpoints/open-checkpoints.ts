/**
 * What people do with checkpoints: save, list, remove, hand over. The files are in this machine's record of the project.
 * All calls reject with the system's error.
 */
import { join, resolve } from "node:path";
import { formatError, StrataError } from "../../base/error.js";
import { cut } from "../../base/text.js";
import { listByAge, readText } from "../../io/files.js";
import type { Memory } from "../../memory/memory.js";
import { isActive, isUsersRule } from "../../memory/memory.js";
import { redactSecrets, toSafeLine } from "../../text/secrets/secrets.js";
import { planPaths, type ReadSession, readSafePage, readSession } from "../session-files.js";
import type { Ledger } from "../stored.js";
import { type Attached, createAttachedFiles } from "./attached.js";
import {
  type Checkpoint,
  type CheckpointFile,
  formatCapsule,
  formatCheckpoint,
  formatCheckpointID,
  formatRefresh,
  isCheckpointID,
  nameCheckpoint,
  nameSource,
  parseCheckpoint,
  readCheckpointName,
  type Source,
} from "./checkpoint.js";
import { type FindSessionOptions, findSession } from "./resume.js";

interface WantedCheckpoint {
  sessionID: string;
  note?: string | undefined;
}

/** What is attached now, and what waited there before. */
export interface NewlyAttached {
  of: string;
  replaced: Attached | undefined;
}

interface OpenOptions extends FindSessionOptions {
  /** Absolute path; file names are relative to it. */
  project: string;
  /** The folder of this machine's record of the project. */
  locate(): Promise<string>;
  /** All readable memories. */
  listMemories(): Promise<readonly Memory[]>;
  /** Reports what is left out. */
  complain(this: void, what: string): void;
  /** Writes the session's unsaved data to disk. */
  write?(sessionID: string): Promise<void>;
}

const LONGEST_NOTE = 200;
/** Characters. */
const LONGEST_PLAN = 20_000;
/** Larger files are not plans. */
const LARGEST_PLAN_BYTES = 1_000_000;
const MOST_MEMORIES = 200;

export type OpenCheckpoints = ReturnType<typeof openCheckpoints>;

export function openCheckpoints(options: OpenOptions) {
  const { clock, files, folder, locate } = options;
  const attached = createAttachedFiles({ files, locate, nowMs: () => clock.now() });

  return {
    /** Saves the session's current state; `undefined` if it has no notes. */
    async keep(wanted: WantedCheckpoint): Promise<Checkpoint | undefined> {
      await writeNotes(wanted.sessionID);
      const checkpoint = await takeCheckpoint(options, wanted);
      if (!checkpoint) return undefined;
      await files.writeWhole(join(await locate(), nameCheckpoint(checkpoint)), formatCheckpoint(checkpoint));
      return checkpoint;
    },

    /** At most `most`, newest first. Skips unreadable ones. */
    async list(most: number): Promise<Checkpoint[]> {
      const found: Checkpoint[] = [];
      for (const { path } of (await listFiles(options)).slice(0, most)) {
        const checkpoint = parseCheckpoint((await readText(files, path)) ?? "");
        if (checkpoint) found.push(checkpoint);
      }
      return found;
    },

    /** Returns whether it existed. */
    async remove(id: string): Promise<boolean> {
      const path = (await listFiles(options)).find((one) => one.id === id)?.path;
      if (path !== undefined) await files.remove(path);
      return path !== undefined;
    },

    /**
     * A checkpoint or session by its id, and the files that the session changed, as they are now. Only sessions that ran on
     * this machine: a repository may contain notes of others. @throws StrataError NO_CHECKPOINT, NO_SESSION, DAMAGED
     */
    find: (name: string) => findSource(options, name),

    /** The session with notes that these words fit best, without words the last used. @throws StrataError NO_SESSION */
    async findByWords(words: string, exceptSession?: string): Promise<ReadSession> {
      const session = await findSession(options, words, exceptSession);
      if (session) return session;
      const why =
        words === "" ? "no session of this project has notes yet" : `no session with notes fits "${words}"`;
      throw new StrataError("NO_SESSION", `${why}: they begin when the agent uses a tool`);
    },

    /** Attaches a session or checkpoint. @throws StrataError NO_CHECKPOINT, NO_SESSION */
    async attach(name: string, target: string): Promise<NewlyAttached> {
      if (/^[\w-]+$/.test(name)) await writeNotes(name);
      const { now, source } = await findSource(options, name);
      return attachText(target, nameSource(source), formatCapsule(source, now));
    },

    /** Attaches the session's goal and the user's rules to the session itself. @throws StrataError NO_SESSION */
    async refresh(sessionID: string): Promise<NewlyAttached> {
      await writeNotes(sessionID);
      const { now, source } = await findSource(options, sessionID);
      const all = await options.listMemories();
      const rules = all.filter((memory) => isUsersRule(memory) && isActive(memory, clock.now()));
      return attachText(sessionID, nameSource(source), formatRefresh(source, { now, rules }));
    },

    attachText,
  };

  /** Attaches a text. `of`: its name for people. */
  async function attachText(target: string, of: string, text: string): Promise<NewlyAttached> {
    const replaced = await attached.read(target);
    await attached.write(target, { v: 1, of, asked: new Date(clock.now()).toISOString(), text });
    return { of, replaced };
  }

  /** Sessions without an agent's work, and subagents, have no notes; this starts none. */
  async function writeNotes(sessionID: string): Promise<void> {
    if (await files.stat(planPaths(folder, sessionID).stored)) await options.write?.(sessionID);
  }
}

async function findSource(
  options: OpenOptions,
  name: string,
): Promise<{ source: Source; now: CheckpointFile[] }> {
  if (isCheckpointID(name)) {
    const checkpoint = await readCheckpoint(options, name);
    // Memories archived or made private since then are not handed over.
    const known = new Map((await options.listMemories()).map((memory) => [memory.id, memory]));
    const memories = checkpoint.memories.flatMap((memory) => {
      const today = known.get(memory.id);
      return today ? [{ ...memory, isPrivate: memory.isPrivate || isPrivate(today) }] : [];
    });
    return { source: { ...checkpoint, memories }, now: await lookAtFiles(options, checkpoint.ledger) };
  }
  const isHere = /^[\w-]+$/.test(name) && (await options.sessions.filter([name])).has(name);
  const taken = isHere ? await takeCheckpoint(options, { sessionID: name }) : undefined;
  if (!taken)
    throw new StrataError(
      "NO_SESSION",
      `nothing is known of ${JSON.stringify(name)}: expected a checkpoint, or a session that ran on this machine and has notes. strata sessions checkpoint --list and strata sessions list them`,
    );
  const { id: _, ...source } = taken;
  const stat = await options.files.stat(planPaths(options.folder, name).stored);
  const at = new Date(stat?.modifiedMs ?? options.clock.now()).toISOString();
  return { source: { ...source, at }, now: [...taken.files] };
}

async function readCheckpoint(options: OpenOptions, id: string): Promise<Checkpoint> {
  const path = join(await options.locate(), nameCheckpoint({ id }));
  const text = await readText(options.files, path);
  if (text === undefined)
    throw new StrataError(
      "NO_CHECKPOINT",
      `there is no checkpoint ${id}; strata sessions checkpoint --list shows all`,
    );
  const checkpoint = parseCheckpoint(text);
  if (checkpoint) return checkpoint;
  throw new StrataError(
    "DAMAGED",
    `${path} is damaged and cannot be read; strata sessions checkpoint --remove ${id} removes it`,
  );
}

/** Newest first. */
async function listFiles({ files, locate }: OpenOptions) {
  const found = await listByAge(files, await locate(), (name) => readCheckpointName(name) !== undefined);
  return found.map(({ name, path }) => ({ id: readCheckpointName(name), path }));
}

/** The session as it is now, as a checkpoint; `undefined` if it has no notes. */
async function takeCheckpoint(
  options: OpenOptions,
  { note, sessionID }: WantedCheckpoint,
): Promise<Checkpoint | undefined> {
  const session = await readSession(options, sessionID);
  if (!session) return undefined;
  const { ledger } = session.stored;
  const nowMs = options.clock.now();
  const words = note === undefined ? "" : toSafeLine(note, LONGEST_NOTE);
  const notes = await readSafePage(options, sessionID);
  const plan = await readPlan(options, ledger);
  const memories = await options.listMemories();
  return {
    v: 1,
    id: formatCheckpointID(sessionID, nowMs),
    sessionID,
    at: new Date(nowMs).toISOString(),
    ...(words !== "" && { note: words }),
    ledger,
    removed: [...session.removed],
    notesPath: session.path,
    ...(notes !== undefined && { notes }),
    ...(plan !== undefined && { plan }),
    files: await lookAtFiles(options, ledger),
    memories: memories
      .filter(({ isForeign, provenance }) => !isForeign && provenance.session === sessionID)
      .slice(-MOST_MEMORIES)
      .map((memory) => ({
        id: memory.id,
        title: toSafeLine(memory.title, LONGEST_NOTE),
        isPrivate: isPrivate(memory),
      })),
  };
}

const isPrivate = ({ sensitivity }: Pick<Memory, "sensitivity">): boolean => sensitivity === "private";

async function readPlan({ files, project }: OpenOptions, { plan }: Ledger): Promise<string | undefined> {
  const path = plan && resolve(project, plan.path);
  const stat = path === undefined ? undefined : await files.stat(path);
  if (path === undefined || stat?.kind !== "file" || stat.bytes > LARGEST_PLAN_BYTES) return undefined;
  const text = cut((await readText(files, path)) ?? "", LONGEST_PLAN);
  return redactSecrets(text).text;
}

/** The edited files of a session as they are now. */
function lookAtFiles({ complain, files, project }: OpenOptions, ledger: Ledger): Promise<CheckpointFile[]> {
  const edited = ledger.files.filter(({ isEdited }) => isEdited);
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
