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
import { dirname, join } from "node:path";
import { inSlices } from "../base/slices.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { Log } from "../io/log.js";
import type { Message, ToolPart } from "../io/message.js";
import type { SeenSessions } from "../project/own.js";
import type { SessionFacts } from "./facts.js";
import { formatForModel } from "./for-model.js";
import { formatCallKey } from "./learn-call.js";
import type { FileTouch } from "./ledger.js";
import { createComplaints, createNotesOnDisk } from "./notes-on-disk.js";
import { redactSections, type Sections } from "./page.js";
import {
  createSession,
  factsOf,
  learnInto,
  mayHaveLost,
  mergeSession,
  noteTouched,
  planPaths,
  readNotes,
  readSessionID,
  readStored,
  retake,
  type Session,
  takeIn,
} from "./session.js";
import type { TakenBack } from "./taken-back.js";

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

/** Sessions held in memory; one that is wholly on disk can be read again. */
const MOST_SESSIONS = 30;

export function createNotes({ files, clock, log, folder, readMessages, seen }: NotesOptions): Notes {
  const project = dirname(dirname(folder));
  const sessions = new Map<string, Session>();
  const writing = new Map<string, Promise<void>>();
  const complaints = createComplaints(log);
  const { guard } = complaints;
  const onDisk = createNotesOnDisk({ clock, files, folder, project, seen, complaints, log });

  return {
    pathOf: (sessionID) => planPaths(folder, sessionID).notes,

    learn: (sessionID, messages) =>
      guard(sessionID, undefined, async () => learnInto(await open(sessionID), messages, project)),

    follow: (sessionID, messages) =>
      guard(sessionID, false, async () => {
        const session = await open(sessionID);
        const all = mayHaveLost(session, messages) ? await readMessages?.(sessionID) : undefined;
        const isOther = all !== undefined && retake(session, all, { nowMs: clock.now(), project });
        // What a compaction has put out of sight is not missed again.
        if (all) session.known.clear();
        learnInto(session, messages, project);
        return isOther;
      }),

    followHost: (sessionID, given) =>
      guard(sessionID, false, async () => {
        const session = await open(sessionID);
        const all = factsOf(session, project) && (given ?? (await readMessages?.(sessionID)));
        if (!all || !retake(session, all, { nowMs: clock.now(), project })) return false;
        if (session.savedText !== undefined) await write(sessionID);
        return true;
      }),

    takenBack: (sessionID) => guard(sessionID, [], async () => (await open(sessionID)).takenBack),

    facts(sessionID) {
      const session = sessions.get(sessionID);
      return session && factsOf(session, project);
    },

    formatForModel: (sessionID, { maxCharacters }) =>
      guard(sessionID, undefined, async () => {
        const session = await open(sessionID);
        const { path, text } = await onDisk.read(sessionID);
        if (!factsOf(session, project) && !session.sections && text === undefined) return undefined;
        const { blocks } = mergeSession(session, text, project);
        return inSlices(clock, formatForModel({ blocks, path, maxCharacters }));
      }),

    noteTouched: (sessionID, { callID, state }, touched) =>
      guard(sessionID, undefined, async () =>
        noteTouched(await open(sessionID), formatCallKey(state.time?.start ?? 0, callID), touched),
      ),

    setSections: (sessionID, sections) =>
      guard(sessionID, undefined, async () => {
        const session = await open(sessionID);
        session.sections = redactSections(sections);
        session.revision++;
      }),

    write,

    findUnfinished: (except, maxAgeMs) =>
      guard("earlier sessions", undefined, () =>
        findUnfinished({ clock, files, folder, sessions: seen, except, maxAgeMs }),
      ),
  };

  function write(sessionID: string): Promise<void> {
    const earlier = writing.get(sessionID) ?? Promise.resolve();
    const own = earlier.then(() =>
      guard(sessionID, undefined, async () => {
        const session = sessions.get(sessionID);
        if (session) await onDisk.write(session);
      }),
    );
    writing.set(sessionID, own);
    return own.then(() => {
      if (writing.get(sessionID) === own) writing.delete(sessionID);
    });
  }

  /** With what is on disk; without it where that cannot be read. */
  async function open(sessionID: string): Promise<Session> {
    planPaths(folder, sessionID);
    const session = touchSession(sessions, sessionID, (id) => writing.has(id));
    if (!session.isLoaded) await onDisk.load(session);
    return session;
  }
}

/** The session, now the one used last. Forgets the ones used longest ago that are wholly on disk. */
function touchSession(
  sessions: Map<string, Session>,
  sessionID: string,
  isWriting: (sessionID: string) => boolean,
): Session {
  const session = sessions.get(sessionID) ?? createSession(sessionID);
  sessions.delete(sessionID);
  sessions.set(sessionID, session);
  for (const [id, { revision, savedRevision }] of sessions) {
    if (sessions.size <= MOST_SESSIONS) break;
    if (id !== sessionID && revision === savedRevision && !isWriting(id)) sessions.delete(id);
  }
  return session;
}

/* Finds the newest session that left work open, for the next session to start with. */

export interface Unfinished {
  sessionID: string;
  /** Absolute path of its notes. */
  path: string;
  /** At most 3,000 characters. */
  text: string;
}

export interface UnfinishedOptions {
  clock: Pick<Clock, "now">;
  files: Files;
  folder: string;
  /** Tells which sessions ran on this machine: a repository may contain notes of others. */
  sessions: Pick<SeenSessions, "filter">;
  /** Sessions to leave out. */
  except: ReadonlySet<string>;
  /** Notes last written longer ago do not count. */
  maxAgeMs: number;
}

/** Number of newest sessions checked; older ones are not worth resuming. */
const LOOKED_INTO = 20;

export async function findUnfinished(options: UnfinishedOptions): Promise<Unfinished | undefined> {
  for (const sessionID of await listNewest(options)) {
    const unfinished = await readUnfinished(options, sessionID);
    if (unfinished) return unfinished;
  }
  return undefined;
}

async function listNewest(options: UnfinishedOptions): Promise<string[]> {
  const { clock, files, folder, except, maxAgeMs, sessions } = options;
  const sinceMs = clock.now() - maxAgeMs;
  const found: { sessionID: string; modifiedMs: number }[] = [];
  for (const name of await files.list(folder)) {
    const sessionID = readSessionID(name);
    if (sessionID === undefined || except.has(sessionID)) continue;
    const stat = await files.stat(join(folder, name));
    if (stat?.kind === "file" && stat.modifiedMs >= sinceMs)
      found.push({ sessionID, modifiedMs: stat.modifiedMs });
  }
  const newest = found.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.sessionID < b.sessionID ? 1 : -1));
  const ids = newest.map(({ sessionID }) => sessionID);
  const seen = await sessions.filter(ids);
  return ids.filter((id) => seen.has(id)).slice(0, LOOKED_INTO);
}

async function readUnfinished(
  { files, folder }: UnfinishedOptions,
  sessionID: string,
): Promise<Unfinished | undefined> {
  const paths = planPaths(folder, sessionID);
  const reading = await readStored(files, paths.stored);
  if (reading.kind !== "stored") return undefined;
  const notes = await readNotes(files, paths.notes);
  const page = "text" in notes ? notes.text : undefined;
  const { formatHandoff } = await import("./handoff.js");
  const { stored } = reading;
  const session = createSession(sessionID);
  takeIn(session, stored, reading.text);
  // What a person removed from the notes is no longer open.
  const { removed } = mergeSession(session, page, dirname(dirname(folder)));
  const text = formatHandoff(stored.ledger, new Set(removed), paths.notes);
  return text === undefined ? undefined : { sessionID, path: paths.notes, text };
}
