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
import { formatError } from "../base/error.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { Log } from "../io/log.js";
import type { Message, ToolPart } from "../io/message.js";
import { createKnownMessages, type KnownMessages } from "../messages/call.js";
import { isOnlyRest } from "../messages/history.js";
import { keepOutOfGit } from "../project/folders.js";
import type { SeenSessions } from "../project/own.js";
import { readFacts, type SessionFacts } from "./facts.js";
import { formatForModel } from "./for-model.js";
import { learnMessages } from "./learn.js";
import { formatCallKey } from "./learn-call.js";
import { CAPS, EMPTY_LEDGER } from "./ledger.js";
import { findWritten, hashNotes, mergePage, redactPersons } from "./merge.js";
import { redactSections } from "./page.js";
import {
  formatStored,
  listNewestSessions,
  planPaths,
  readNotes,
  readSession,
  readStored,
} from "./session-files.js";
import type { FileTouch, Ledger, Sections, Stored, TakenBack } from "./stored.js";
import { findTakenBack, isDoubtful, joinTakenBack, relearn } from "./taken-back.js";

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

export interface Unfinished {
  sessionID: string;
  /** Absolute path of its notes. */
  path: string;
  /** At most 3,000 characters. */
  text: string;
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

interface Session {
  readonly sessionID: string;
  state: Stored;
  /** Was the stored file read? Until then it must not be overwritten. */
  isLoaded: boolean;
  /** Messages learned before it was read. */
  early: readonly Message[];
  /** Is there a stored file? */
  isStored: boolean;
  /** Is something known that is not on disk? */
  isChanged: boolean;
  readonly known: KnownMessages;
  facts: { ledger: Ledger; facts: SessionFacts } | undefined;
}

/** Sessions held in memory; one that is wholly on disk can be read again. */
const MOST_SESSIONS = 30;
/** Number of newest sessions checked for open work; older ones are not worth resuming. */
const MOST_UNFINISHED = 20;

export function createNotes({ files, clock, log, folder, readMessages, seen }: NotesOptions): Notes {
  const project = dirname(dirname(folder));
  const sessions = new Map<string, Session>();
  const writing = new Map<string, Promise<void>>();
  const loading = new Map<string, Promise<void>>();
  /** The last complaint about each thing, which is logged once. */
  const complaints = new Map<string, string>();

  return {
    pathOf: (sessionID) => planPaths(folder, sessionID).notes,

    learn: (sessionID, messages) =>
      guard(sessionID, undefined, async () => learn(await open(sessionID), messages, project)),

    follow: (sessionID, messages) =>
      guard(sessionID, false, async () => {
        const session = await open(sessionID);
        const all = mayHaveLost(session, messages) ? await readMessages?.(sessionID) : undefined;
        const isOther = all !== undefined && retake(session, all, { nowMs: clock.now(), project });
        // What a compaction has put out of sight is not missed again.
        if (all) session.known.clear();
        learn(session, messages, project);
        return isOther;
      }),

    followHost: (sessionID, given) =>
      guard(sessionID, false, async () => {
        const session = await open(sessionID);
        const all = factsOf(session, project) && (given ?? (await readMessages?.(sessionID)));
        if (!all || !retake(session, all, { nowMs: clock.now(), project })) return false;
        if (session.isStored) await write(sessionID);
        return true;
      }),

    takenBack: (sessionID) => guard(sessionID, [], async () => (await open(sessionID)).state.takenBack ?? []),

    facts(sessionID) {
      const session = sessions.get(sessionID);
      return session && factsOf(session, project);
    },

    formatForModel: (sessionID, { maxCharacters }) =>
      guard(sessionID, undefined, async () => {
        const { state } = await open(sessionID);
        const path = planPaths(folder, sessionID).notes;
        const text = await readPage(path);
        if (state.ledger === EMPTY_LEDGER && !state.sections && text === undefined) return undefined;
        const { lines } = mergePage(state, text, { project, sessionID });
        return formatForModel({ lines: redactPersons(lines), path, maxCharacters });
      }),

    noteTouched: (sessionID, { callID, state: { time } }, touched) =>
      guard(sessionID, undefined, async () => {
        const session = await open(sessionID);
        const key = formatCallKey(time?.start ?? 0, callID);
        const { ledger } = session.state;
        const kept = touched.slice(0, CAPS.filesOfASubagent);
        const run = ledger.subagents.find((one) => one.key === key);
        if (!run || JSON.stringify(run.files) === JSON.stringify(kept)) return;
        const subagents = ledger.subagents.map((one) => (one === run ? { ...run, files: kept } : one));
        change(session, { ledger: { ...ledger, subagents } });
      }),

    setSections: (sessionID, sections) =>
      guard(sessionID, undefined, async () => {
        const session = await open(sessionID);
        change(session, { sections: redactSections(sections) });
      }),

    write,

    findUnfinished: (except, maxAgeMs) =>
      guard("earlier sessions", undefined, () => findUnfinished(except, clock.now() - maxAgeMs)),
  };

  /** With what is on disk; without it where that cannot be read. */
  async function open(sessionID: string): Promise<Session> {
    planPaths(folder, sessionID);
    const session = sessions.get(sessionID) ?? createSession(sessionID);
    // The session is now the one used last.
    sessions.delete(sessionID);
    sessions.set(sessionID, session);
    for (const [id, { isChanged }] of sessions) {
      if (sessions.size <= MOST_SESSIONS) break;
      if (id !== sessionID && !isChanged && !writing.has(id)) sessions.delete(id);
    }
    if (!session.isLoaded) await load(session);
    return session;
  }

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
      const state = reading.kind === "stored" ? reading.stored : session.state;
      const { sections = state.sections } = session.state;
      session.state = { ...state, sections, ledger: learnMessages(state.ledger, session.early, project) };
      session.early = [];
      session.isStored = reading.kind === "stored";
      session.isLoaded = true;
    } catch (thrown) {
      complain(paths.stored, `cannot take in ${paths.stored}, tried again later: ${formatError(thrown)}`);
    }
  }

  async function readPage(path: string): Promise<string | undefined> {
    try {
      const reading = await readNotes(files, path);
      if ("text" in reading) return reading.text;
      complain(path, formatUnusable(path, reading.unusable));
    } catch (thrown) {
      complain(path, `cannot read ${path}: ${formatError(thrown)}`);
    }
    return undefined;
  }

  function write(sessionID: string): Promise<void> {
    const earlier = writing.get(sessionID) ?? Promise.resolve();
    const own = earlier.then(() =>
      guard(sessionID, undefined, async () => {
        const session = sessions.get(sessionID);
        if (!session?.isChanged) return;
        if (!session.isLoaded) await load(session);
        if (session.isLoaded) await writeNow(session);
      }),
    );
    writing.set(sessionID, own);
    return own.then(() => {
      if (writing.get(sessionID) === own) writing.delete(sessionID);
    });
  }

  async function writeNow(session: Session): Promise<void> {
    const { sessionID } = session;
    const paths = planPaths(folder, sessionID);
    const reading = await readNotes(files, paths.notes);
    await seen.note(sessionID);
    await keepOutOfGit(files, folder);
    // What is learned meanwhile belongs to the next write.
    const { state } = session;
    session.isChanged = false;
    try {
      if ("text" in reading) await writeBoth(session, state, reading.text);
      else {
        complain(paths.notes, formatUnusable(paths.notes, reading.unusable));
        await store(session, state);
      }
    } catch (thrown) {
      session.isChanged = true;
      throw thrown;
    }
  }

  async function writeBoth(session: Session, state: Stored, text: string | undefined): Promise<void> {
    const { sessionID } = session;
    const paths = planPaths(folder, sessionID);
    const { file, lines, removed, text: merged } = mergePage(state, text, { project, sessionID });
    const isChange = text !== undefined && text !== merged;
    const before = isChange ? { hash: hashNotes(text), written: findWritten(state, text) } : undefined;
    const written = lines.flatMap(({ fact }) => (fact ? [{ id: fact.id, text: fact.text }] : []));
    await store(session, { ...state, before, removed, written });
    if (isChange) {
      const previous = redactPersons(file);
      await files.writeWhole(paths.previous, previous.map((line) => line.text).join("\n"));
    }
    if (merged !== text) await files.writeWhole(paths.notes, merged);
    complaints.delete(paths.notes);
  }

  async function store(session: Session, stored: Stored): Promise<void> {
    await files.writeWhole(planPaths(folder, session.sessionID).stored, formatStored(stored));
    const { before, removed, written } = stored;
    session.state = { ...session.state, before, removed, written };
    session.isStored = true;
  }

  async function findUnfinished(
    except: ReadonlySet<string>,
    sinceMs: number,
  ): Promise<Unfinished | undefined> {
    const most = MOST_UNFINISHED + except.size;
    for (const sessionID of await listNewestSessions({ files, folder, sessions: seen, most })) {
      const session = except.has(sessionID) ? undefined : await readSession({ files, folder }, sessionID);
      if (!session || session.modifiedMs < sinceMs) continue;
      const { formatHandoff } = await import("./handoff.js");
      const { path, removed, stored } = session;
      const text = formatHandoff(stored.ledger, removed, path);
      if (text !== undefined) return { sessionID, path, text };
    }
    return undefined;
  }

  function complain(about: string, message: string): void {
    if (complaints.get(about) !== message) log.warn("notes", message);
    complaints.set(about, message);
  }

  async function guard<T>(sessionID: string, otherwise: T, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (thrown) {
      complain(sessionID, `the notes of ${sessionID}, tried again later: ${formatError(thrown)}`);
      return otherwise;
    }
  }
}

const formatUnusable = (path: string, why: string): string =>
  `${path} is left alone, the notes go on in memory: ${why}`;

const createSession = (sessionID: string): Session => ({
  sessionID,
  state: { version: 1, ledger: EMPTY_LEDGER, removed: [] },
  isLoaded: false,
  early: [],
  isStored: false,
  isChanged: false,
  known: createKnownMessages(),
  facts: undefined,
});

function change(session: Session, changed: Partial<Stored>): void {
  session.state = { ...session.state, ...changed };
  session.isChanged = true;
}

function learn(session: Session, messages: readonly Message[], project: string): void {
  const fresh = messages.filter((message) => !session.known.has(message));
  if (fresh.length === 0) return;
  const { ledger } = session.state;
  const after = learnMessages(ledger, fresh, project);
  session.known.add(fresh);
  if (!session.isLoaded) session.early = [...session.early, ...fresh];
  if (after !== ledger) change(session, { ledger: after });
}

/** Might the host have lost messages that a request does not contain? The request may hold only the end of a session. */
function mayHaveLost({ known, state }: Session, messages: readonly Message[]): boolean {
  return known.isEmpty() ? isDoubtful(state.ledger, messages) : known.isMissedIn(messages);
}

/**
 * Rebuilds the session from these messages, which must be all that the host has: facts of other messages are dropped, and
 * so are the model's sections. If they are only those after a compaction, nothing is dropped. Returns whether a message
 * was taken back or has come back.
 */
function retake(
  session: Session,
  messages: readonly Message[],
  { nowMs, project }: { nowMs: number; project: string },
): boolean {
  const { ledger, sections: _, takenBack = [], ...state } = session.state;
  const after = relearn(ledger, messages, project);
  const found = isOnlyRest(messages) ? [] : findTakenBack(ledger, { after, messages, nowMs });
  const joined = joinTakenBack(takenBack, found, messages, after);
  session.known.clear();
  if (found.length > 0) {
    session.state = { ...state, ledger: after };
    session.early = session.isLoaded ? [] : messages;
    session.known.add(messages);
  } else learn(session, messages, project);
  if (joined !== takenBack) change(session, { takenBack: joined });
  return joined !== takenBack;
}

function factsOf(session: Session, project: string): SessionFacts | undefined {
  const { ledger } = session.state;
  if (ledger === EMPTY_LEDGER) return undefined;
  if (session.facts?.ledger !== ledger) session.facts = { ledger, facts: readFacts(ledger, project) };
  return session.facts.facts;
}
