/**
 * The session notes: `<sessionID>.md` for people and models, `<sessionID>.json` with what the machine knows.
 *
 * The file for the machine is written first and says what is about to stand in the notes and what stands there now, so
 * that after a crash between the two nobody takes the machine's lines for a person's. What cannot be read or written
 * is said in the log; the notes go on in memory, and the next call tries again.
 *
 * No secret is in the machine's lines. One that a person writes into the notes stays where they put it and goes no
 * further: not to a model, a later session, or the file of the version before.
 */

import { dirname } from "node:path";
import type { Message, ToolPart } from "../conversation/message.js";
import { formatError } from "../error.js";
import { keepOutOfGit } from "../folders.js";
import type { SeenSessions } from "../owner/seen-sessions.js";
import type { Log } from "../record/log.js";
import { formatLater } from "../record/version.js";
import type { Clock } from "../seams/clock.js";
import type { Files } from "../seams/files.js";
import { inSlices } from "../slices.js";
import type { SessionFacts } from "./facts.js";
import { formatForModel } from "./for-model.js";
import { formatCallKey } from "./learn-call.js";
import type { FileTouch } from "./ledger.js";
import { redactSections, redactStored } from "./redact.js";
import type { Sections } from "./sections.js";
import {
  createSession,
  factsOf,
  learnInto,
  markLoaded,
  mayHaveLost,
  mergeSession,
  noteTouched,
  planStoredAlone,
  planWrite,
  retake,
  type Session,
  takeIn,
} from "./session.js";
import { formatStored, type NotesReading, planPaths, readNotes, readStored } from "./session-files.js";
import type { Stored } from "./stored.js";
import type { TakenBack } from "./taken-back.js";
import { findUnfinished, type Unfinished } from "./unfinished.js";

/** No call but `pathOf` throws or rejects; `pathOf` does for a session id that could name a file elsewhere. */
export interface Notes {
  /** Absolute path of the notes for people. */
  pathOf(sessionID: string): string;
  /** Takes in what is on disk if it is not known yet, then learns. Passes over what it knows at once. */
  learn(sessionID: string, messages: readonly Message[]): Promise<void>;
  /**
   * Learns from the messages of a request, and asks the host where some that were there before are not among them or say
   * something else: what the user has taken back is gone from the notes. Whether something was, or is there again.
   */
  follow(sessionID: string, messages: readonly Message[]): Promise<boolean>;
  /** The same by all that the host has of the session, read where it is not given; nothing where there are no notes. */
  followHost(sessionID: string, all?: readonly Message[]): Promise<boolean>;
  /** Messages that the user has taken back. What was made of the notes before they were known to be may quote them. */
  takenBack(sessionID: string): Promise<readonly TakenBack[]>;
  /** What is known now; `undefined` before anything was learned. The same object until something is. */
  facts(sessionID: string): SessionFacts | undefined;
  /** The notes with what people have changed in them, never longer than that; `undefined` when there are none. */
  formatForModel(sessionID: string, limits: { maxCharacters: number }): Promise<string | undefined>;
  /** Which files the subagent touched whose result this is. Nothing where the result was not learned. */
  noteTouched(sessionID: string, result: ToolPart, files: readonly FileTouch[]): Promise<void>;
  /** What a model has written, checked by `parseSections`. Kept until others take its place. */
  setSections(sessionID: string, sections: Sections): Promise<void>;
  /** Writes what has changed, each file whole or not at all; calls for a session wait for each other. */
  write(sessionID: string): Promise<void>;
  /** The newest session but these, had on this machine and used within `maxAgeMs`, that has left something open. */
  findUnfinished(except: ReadonlySet<string>, maxAgeMs: number): Promise<Unfinished | undefined>;
}

export interface NotesOptions {
  files: Files;
  clock: Clock;
  log: Log;
  /** `<project>/.opencode/session-memory`; paths in the notes are relative to the project. */
  folder: string;
  /** All messages of a session as the host has them; without it none are ever taken back. */
  readMessages?: (sessionID: string) => Promise<readonly Message[] | undefined>;
  /** Is told of each session that notes are kept on, and tells which were had on this machine. */
  seen: SeenSessions;
}

/** Sessions held in memory; one that is on disk as a whole can be read again. */
const MOST_SESSIONS = 30;
const SOURCE = "notes";

export function createNotes({ files, clock, log, folder, readMessages, seen }: NotesOptions): Notes {
  const project = dirname(dirname(folder));
  const sessions = new Map<string, Session>();
  const loading = new Map<string, Promise<void>>();
  const writing = new Map<string, Promise<void>>();
  /** The last trouble with each file, which is said once. */
  const said = new Map<string, string>();

  return {
    pathOf: (sessionID) => planPaths(folder, sessionID).notes,

    learn: (sessionID, messages) =>
      guard(sessionID, undefined, async () => {
        const session = open(sessionID);
        if (!session.isLoaded) await load(session);
        learnInto(session, messages, project);
      }),

    follow: (sessionID, messages) =>
      guard(sessionID, false, async () => {
        const session = open(sessionID);
        if (!session.isLoaded) await load(session);
        const all = mayHaveLost(session, messages) ? await readMessages?.(sessionID) : undefined;
        const isOther = all !== undefined && retake(session, all, { nowMs: clock.now(), project });
        // What a compaction has put out of sight is not missed again.
        if (all) session.known.clear();
        learnInto(session, messages, project);
        return isOther;
      }),

    followHost: (sessionID, given) =>
      guard(sessionID, false, async () => {
        const session = open(sessionID);
        if (!session.isLoaded) await load(session);
        const all = factsOf(session, project) && (given ?? (await readMessages?.(sessionID)));
        if (!all || !retake(session, all, { nowMs: clock.now(), project })) return false;
        if (session.savedText !== undefined) await write(sessionID);
        return true;
      }),

    takenBack: (sessionID) =>
      guard(sessionID, [], async () => {
        const session = open(sessionID);
        if (!session.isLoaded) await load(session);
        return session.takenBack;
      }),

    facts(sessionID) {
      const session = sessions.get(sessionID);
      return session && factsOf(session, project);
    },

    formatForModel: (sessionID, { maxCharacters }) =>
      guard(sessionID, undefined, async () => {
        const path = planPaths(folder, sessionID).notes;
        const session = open(sessionID);
        if (!session.isLoaded) await load(session);
        const reading = await readNotesOrSay(path);
        const text = "text" in reading ? reading.text : undefined;
        const isEmpty = !factsOf(session, project) && !session.sections && text === undefined;
        if (isEmpty) return undefined;
        const { blocks } = await inSlices(clock, mergeSession({ ...session }, text));
        return inSlices(clock, formatForModel({ blocks, path, maxCharacters }));
      }),

    noteTouched: (sessionID, { callID, state }, files) =>
      guard(sessionID, undefined, async () => {
        const session = open(sessionID);
        if (!session.isLoaded) await load(session);
        noteTouched(session, formatCallKey(state.time?.start ?? 0, callID), files);
      }),

    setSections: (sessionID, sections) =>
      guard(sessionID, undefined, async () => {
        const session = open(sessionID);
        if (!session.isLoaded) await load(session);
        session.sections = await inSlices(clock, redactSections(sections));
        session.revision++;
      }),

    write,

    findUnfinished: (except, maxAgeMs) =>
      guard("earlier sessions", undefined, () =>
        findUnfinished({ clock, files, folder, sessions: seen, except, sinceMs: clock.now() - maxAgeMs }),
      ),
  };

  function write(sessionID: string): Promise<void> {
    const earlier = writing.get(sessionID) ?? Promise.resolve();
    const own = earlier.then(() => guard(sessionID, undefined, () => writeSession(sessionID)));
    writing.set(sessionID, own);
    return own.then(() => {
      if (writing.get(sessionID) === own) writing.delete(sessionID);
    });
  }

  function open(sessionID: string): Session {
    planPaths(folder, sessionID);
    const session = sessions.get(sessionID) ?? createSession(sessionID);
    sessions.delete(sessionID);
    sessions.set(sessionID, session);
    for (const [id, { revision, savedRevision }] of sessions) {
      if (sessions.size <= MOST_SESSIONS) break;
      if (id !== sessionID && revision === savedRevision && !writing.has(id)) sessions.delete(id);
    }
    return session;
  }

  /** Two that need the same session wait for one reading. Leaves it as it is when it cannot be read. */
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
      // Not loaded, so that nothing is written: the notes of this session go on in memory.
      if (reading.kind === "later") return sayOnce(paths.stored, formatLater(paths.stored, reading.version));
      if (reading.kind === "corrupt") {
        await files.rename(paths.stored, paths.corrupt);
        log.error(SOURCE, `${paths.stored} cannot be understood: begun anew, it is kept as ${paths.corrupt}`);
      }
      if (reading.kind === "stored")
        takeIn(session, await inSlices(clock, redactStored(reading.stored)), reading.text);
      markLoaded(session, project);
    } catch (thrown) {
      sayOnce(paths.stored, `cannot take in ${paths.stored}, tried again later: ${formatError(thrown)}`);
    }
  }

  async function writeSession(sessionID: string): Promise<void> {
    const session = sessions.get(sessionID);
    if (!session || session.revision === session.savedRevision) return;
    if (!session.isLoaded) await load(session);
    if (!session.isLoaded) return;
    const paths = planPaths(folder, sessionID);
    const reading = await readNotes(files, paths.notes);
    const { revision } = session;
    await seen.note(sessionID);
    await keepOutOfGit(files, folder);
    if ("unusable" in reading) {
      sayOnce(paths.notes, formatUnusable(paths.notes, reading.unusable));
      await store(session, paths.stored, await inSlices(clock, planStoredAlone({ ...session })));
    } else {
      await writeBoth(session, reading.text);
      said.delete(sessionID);
    }
    session.savedRevision = revision;
  }

  async function writeBoth(session: Session, text: string | undefined): Promise<void> {
    const paths = planPaths(folder, session.sessionID);
    const { merged, previous, redacted, stored } = await inSlices(clock, planWrite(session, text));
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
    session.isLoose = stored.isLoose === true;
    session.before = stored.before;
    session.removed = stored.removed;
  }

  async function readNotesOrSay(path: string): Promise<NotesReading> {
    try {
      const reading = await readNotes(files, path);
      if ("unusable" in reading) sayOnce(path, formatUnusable(path, reading.unusable));
      return reading;
    } catch (thrown) {
      sayOnce(path, `cannot read ${path}: ${formatError(thrown)}`);
      return { text: undefined };
    }
  }

  /** The interface's promise: whatever happens is a line in the log. */
  async function guard<T>(sessionID: string, otherwise: T, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (thrown) {
      sayOnce(sessionID, `the notes of ${sessionID}, tried again later: ${formatError(thrown)}`);
      return otherwise;
    }
  }

  function sayOnce(about: string, message: string): void {
    if (said.get(about) !== message) log.warn(SOURCE, message);
    said.set(about, message);
  }
}

const formatUnusable = (path: string, why: string): string =>
  `${path} is left alone, the notes go on in memory: ${why}`;
