/** Reads and writes the two files of a session's notes; see notes.ts for their order. */
import { formatError } from "../base/error.js";
import { inSlices } from "../base/slices.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { Log } from "../io/log.js";
import { keepOutOfGit } from "../project/folders.js";
import type { SeenSessions } from "../project/own.js";
import {
  formatStored,
  markLoaded,
  planPaths,
  planStoredAlone,
  planWrite,
  readNotes,
  readStored,
  type Session,
  takeIn,
} from "./session.js";
import type { Stored } from "./stored.js";

export interface NotesOnDisk {
  /** Takes in what is on disk; leaves the session as it is when that cannot be read. Never rejects. */
  load(session: Session): Promise<void>;
  /** The notes for people, with their path. Never rejects. */
  read(sessionID: string): Promise<{ path: string; text: string | undefined }>;
  /** Writes what has changed, each file whole or not at all. Rejects with the system's error. */
  write(session: Session): Promise<void>;
}

export interface NotesOnDiskOptions {
  clock: Clock;
  files: Files;
  folder: string;
  project: string;
  seen: Pick<SeenSessions, "note">;
  complaints: Complaints;
  log: Log;
}

export function createNotesOnDisk(options: NotesOnDiskOptions): NotesOnDisk {
  const { clock, complaints, files, folder, log, project, seen } = options;
  const loading = new Map<string, Promise<void>>();

  return {
    load,

    async read(sessionID) {
      const path = planPaths(folder, sessionID).notes;
      try {
        const reading = await readNotes(files, path);
        if ("text" in reading) return { path, text: reading.text };
        complaints.say(path, formatUnusable(path, reading.unusable));
      } catch (thrown) {
        complaints.say(path, `cannot read ${path}: ${formatError(thrown)}`);
      }
      return { path, text: undefined };
    },

    async write(session) {
      if (session.revision === session.savedRevision) return;
      if (!session.isLoaded) await load(session);
      if (!session.isLoaded) return;
      session.savedRevision = await writeLoaded(session);
    },
  };

  /** Two that need the same session wait for one read. */
  function load(session: Session): Promise<void> {
    const { sessionID } = session;
    const running = loading.get(sessionID) ?? loadNow(session).finally(() => loading.delete(sessionID));
    loading.set(sessionID, running);
    return running;
  }

  async function loadNow(session: Session): Promise<void> {
    const paths = planPaths(folder, session.sessionID);
    try {
      const reading = await readStored(files, paths.stored);
      if (reading.kind === "corrupt") {
        await files.rename(paths.stored, paths.corrupt);
        log.error("notes", `${paths.stored} is not valid; starting over, it is kept as ${paths.corrupt}`);
      }
      if (reading.kind === "stored") takeIn(session, reading.stored, reading.text);
      markLoaded(session, project);
    } catch (thrown) {
      complaints.say(
        paths.stored,
        `cannot take in ${paths.stored}, tried again later: ${formatError(thrown)}`,
      );
    }
  }

  /** The revision that is on disk. */
  async function writeLoaded(session: Session): Promise<number> {
    const paths = planPaths(folder, session.sessionID);
    const reading = await readNotes(files, paths.notes);
    const { revision } = session;
    await seen.note(session.sessionID);
    await keepOutOfGit(files, folder);
    if ("unusable" in reading) {
      complaints.say(paths.notes, formatUnusable(paths.notes, reading.unusable));
      await store(session, paths.stored, planStoredAlone(session));
    } else {
      await writeBoth(session, reading.text);
      complaints.forget(paths.notes);
    }
    return revision;
  }

  async function writeBoth(session: Session, text: string | undefined): Promise<void> {
    const paths = planPaths(folder, session.sessionID);
    const { merged, previous, redacted, stored } = await inSlices(clock, planWrite(session, text, project));
    session.redacted = redacted;
    await store(session, paths.stored, stored);
    if (merged.text === text) return;
    if (previous !== undefined) await files.writeWhole(paths.previous, previous);
    await files.writeWhole(paths.notes, merged.text);
  }

  async function store(session: Session, path: string, stored: Stored): Promise<void> {
    const text = formatStored(stored);
    if (text !== session.savedText) await files.writeWhole(path, text);
    session.savedText = text;
    session.written = stored.written;
    session.before = stored.before;
    session.removed = stored.removed;
  }
}

const formatUnusable = (path: string, why: string): string =>
  `${path} is left alone, the notes go on in memory: ${why}`;

/** The last complaint about each thing is logged once. */
export interface Complaints {
  say(about: string, message: string): void;
  /** What was complained about works again. */
  forget(about: string): void;
  /** Keeps the notes' promise that no call rejects: a failure is logged and answered with `otherwise`. */
  guard<T>(sessionID: string, otherwise: T, run: () => Promise<T>): Promise<T>;
}

export function createComplaints(log: Log): Complaints {
  const said = new Map<string, string>();

  return {
    say,
    forget: (about) => void said.delete(about),

    async guard(sessionID, otherwise, run) {
      try {
        return await run();
      } catch (thrown) {
        say(sessionID, `the notes of ${sessionID}, tried again later: ${formatError(thrown)}`);
        return otherwise;
      }
    },
  };

  function say(about: string, message: string): void {
    if (said.get(about) !== message) log.warn("notes", message);
    said.set(about, message);
  }
}
