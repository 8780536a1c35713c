/**
 * The session notes: `<sessionID>.md` for people and models, `<sessionID>.json` with what the machine knows.
 *
 * What cannot be read or written is said in the log; the notes go on in memory, and the next call tries again. The file for
 * the machine is written first and says what is about to stand in the notes and what stands there now, so that after a
 * crash between the two nobody takes the machine's lines for a person's.
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
import { hideNewFolder } from "../project/folders.js";
import type { SeenSessions } from "../project/own.js";
import { formatForModel } from "./for-model.js";
import { learnMessages } from "./learn.js";
import { formatCallKey } from "./learn-call.js";
import { CAPS, EMPTY_LEDGER } from "./ledger.js";
import { findWritten, hashNotes, mergePage, redactPersons } from "./merge.js";
import { redactSections } from "./page.js";
import { change, createSession, learnInto, mayHaveLost, retake, type Session } from "./session.js";
import {
  formatStored,
  listNewestSessions,
  planPaths,
  readNotes,
  readSession,
  readStored,
} from "./session-files.js";
import type { FileTouch, Ledger, Sections, Stored, TakenBack } from "./stored.js";

interface StoreOptions {
  files: Files;
  log: Log;
  /** `<project>/.opencode/session-memory`; paths in the notes are relative to the project. */
  folder: string;
  /** Is told of each session that notes are kept on, and tells which were had on this machine. */
  seen: SeenSessions;
}

interface SessionStore extends StoreOptions {
  readonly project: string;
  readonly sessions: Map<string, Session>;
}

interface NotesOptions extends StoreOptions {
  clock: Clock;
  /** All messages of a session as the host has them; without it none are ever taken back. */
  readMessages?: (sessionID: string) => Promise<readonly Message[] | undefined>;
}

export type Notes = ReturnType<typeof createNotes>;

/** No call but `pathOf` throws or rejects; `pathOf` does for a session id that could name a file elsewhere. */
export function createNotes({ clock, readMessages, ...options }: NotesOptions) {
  const { folder } = options;
  const project = dirname(dirname(folder));
  const store: SessionStore = { ...options, project, sessions: new Map() };
  const withSession = <T>(
    sessionID: string,
    otherwise: T,
    run: (session: Session) => T | Promise<T>,
  ): Promise<T> => guard(store, sessionID, otherwise, async () => run(await openSession(store, sessionID)));

  return {
    /** Absolute path of the notes for people. */
    pathOf: (sessionID: string): string => planPaths(folder, sessionID).notes,

    /** Takes in what is on disk if it is not known yet, then learns. Passes over what it knows at once. */
    learn: (sessionID: string, messages: readonly Message[]): Promise<void> =>
      withSession(sessionID, undefined, (session) => learnInto(session, messages, project)),

    /**
     * Learns from the messages of a request, and asks the host where some that were there before are not among them or say
     * something else: what the user has taken back is gone from the notes. Whether something was, or is there again.
     */
    follow: (sessionID: string, messages: readonly Message[]): Promise<boolean> =>
      withSession(sessionID, false, async (session) => {
        const all = mayHaveLost(session, messages) ? await readMessages?.(sessionID) : undefined;
        const isOther = all !== undefined && retake(session, all, { nowMs: clock.now(), project });
        // What a compaction has put out of sight is not missed again.
        if (all) session.known.clear();
        learnInto(session, messages, project);
        return isOther;
      }),

    /** The same by all that the host has of the session, read where it is not given; nothing where there are no notes. */
    followHost: (sessionID: string, given?: readonly Message[]): Promise<boolean> =>
      withSession(sessionID, false, async (session) => {
        const isKnown = session.state.ledger !== EMPTY_LEDGER;
        const all = isKnown ? (given ?? (await readMessages?.(sessionID))) : undefined;
        if (!all || !retake(session, all, { nowMs: clock.now(), project })) return false;
        if (session.isStored) await writeSession(store, sessionID);
        return true;
      }),

    /** Messages that the user has taken back. What was made of the notes before they were known to be may quote them. */
    takenBack: (sessionID: string): Promise<readonly TakenBack[]> =>
      withSession(sessionID, [], ({ state }) => state.takenBack ?? []),

    /** What is known now; `undefined` before anything was learned. The same object until something is. */
    facts(sessionID: string): Ledger | undefined {
      const ledger = store.sessions.get(sessionID)?.state.ledger;
      return ledger === EMPTY_LEDGER ? undefined : ledger;
    },

    /** The notes with what people have changed in them, never longer than that; `undefined` when there are none. */
    formatForModel: (sessionID: string, most: { maxCharacters: number }): Promise<string | undefined> =>
      withSession(sessionID, undefined, (session) => formatMerged(store, session, most.maxCharacters)),

    /** Which files the subagent touched whose result this is. Nothing where the result was not learned. */
    noteTouched: (sessionID: string, result: ToolPart, touched: readonly FileTouch[]): Promise<void> =>
      withSession(sessionID, undefined, (session) => noteTouched(session, result, touched)),

    /** What a model has written, checked by `parseSections`. Kept until others take its place. */
    setSections: (sessionID: string, sections: Sections): Promise<void> =>
      withSession(sessionID, undefined, (session) => change(session, { sections: redactSections(sections) })),

    /** Writes what has changed, each file whole or not at all; calls for a session wait for each other. */
    write: (sessionID: string): Promise<void> => writeSession(store, sessionID),

    /** The newest session but these, had on this machine and used within `maxAgeMs`, that has left something open. */
    findUnfinished: (except: ReadonlySet<string>, maxAgeMs: number) =>
      guard(store, "earlier sessions", undefined, () =>
        findUnfinished(store, except, clock.now() - maxAgeMs),
      ),
  };
}

/* The sessions in memory, and how they are read from and written to their files. */

/** Sessions held in memory; one that is wholly on disk can be read again. */
const MOST_SESSIONS = 30;

/** The session with what is on disk; without it where that cannot be read. Throws for an id that names no session. */
async function openSession(store: SessionStore, sessionID: string): Promise<Session> {
  const { folder, sessions } = store;
  planPaths(folder, sessionID);
  const session = sessions.get(sessionID) ?? createSession(sessionID);
  // The session is now the one used last.
  sessions.delete(sessionID);
  sessions.set(sessionID, session);
  for (const [id, { isChanged, writing }] of sessions) {
    if (sessions.size <= MOST_SESSIONS) break;
    if (id !== sessionID && !isChanged && !writing) sessions.delete(id);
  }
  if (!session.isLoaded) await load(store, session);
  return session;
}

/** Two that need the same session wait for one read. */
function load(store: SessionStore, session: Session): Promise<void> {
  session.loading ??= loadNow(store, session).finally(() => {
    session.loading = undefined;
  });
  return session.loading;
}

async function loadNow(store: SessionStore, session: Session): Promise<void> {
  const { files, folder, log, project } = store;
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
    log.warn("notes", `cannot take in ${paths.stored}, tried again later: ${formatError(thrown)}`);
  }
}

async function formatMerged(store: SessionStore, session: Session, maxCharacters: number) {
  const { folder, project } = store;
  const { sessionID, state } = session;
  const path = planPaths(folder, sessionID).notes;
  const text = await readText(store, path);
  if (state.ledger === EMPTY_LEDGER && !state.sections && text === undefined) return undefined;
  const { lines } = mergePage(state, text, { project, sessionID });
  return formatForModel({ lines: redactPersons(lines), path, maxCharacters });
}

/** Text of the notes; `undefined` if there are none or they cannot be read. */
async function readText({ files, log }: SessionStore, path: string): Promise<string | undefined> {
  try {
    const reading = await readNotes(files, path);
    if ("text" in reading) return reading.text;
    log.warn("notes", formatUnusable(path, reading.unusable));
  } catch (thrown) {
    log.warn("notes", `cannot read ${path}: ${formatError(thrown)}`);
  }
  return undefined;
}

/** Writes what has changed; calls for a session wait for each other. Never rejects. */
async function writeSession(store: SessionStore, sessionID: string): Promise<void> {
  const session = store.sessions.get(sessionID);
  if (!session) return;
  const own = (session.writing ?? Promise.resolve()).then(() =>
    guard(store, sessionID, undefined, async () => {
      if (!session.isChanged) return;
      if (!session.isLoaded) await load(store, session);
      if (session.isLoaded) await writeNow(store, session);
    }),
  );
  session.writing = own;
  await own;
  if (session.writing === own) session.writing = undefined;
}

async function writeNow(store: SessionStore, session: Session): Promise<void> {
  const { files, folder, log, seen } = store;
  const { notes } = planPaths(folder, session.sessionID);
  const reading = await readNotes(files, notes);
  await seen.note(session.sessionID);
  await hideNewFolder(files, folder);
  session.isChanged = false;
  try {
    if ("text" in reading) await writeBoth(store, session, reading.text);
    else {
      log.warn("notes", formatUnusable(notes, reading.unusable));
      await writeStored(store, session, session.state);
    }
  } catch (thrown) {
    session.isChanged = true;
    throw thrown;
  }
}

async function writeBoth(store: SessionStore, session: Session, text: string | undefined): Promise<void> {
  const { files, folder, project } = store;
  const { sessionID, state } = session;
  const paths = planPaths(folder, sessionID);
  const { file, lines, removed, text: merged } = mergePage(state, text, { project, sessionID });
  const isChange = text !== undefined && text !== merged;
  const before = isChange ? { hash: hashNotes(text), written: findWritten(state, text) } : undefined;
  const written = lines.flatMap(({ fact }) => (fact ? [{ id: fact.id, text: fact.text }] : []));
  await writeStored(store, session, { ...state, before, removed, written });
  if (isChange) {
    const previous = redactPersons(file).map((line) => line.text);
    await files.writeWhole(paths.previous, previous.join("\n"));
  }
  if (merged !== text) await files.writeWhole(paths.notes, merged);
}

/** What was learned meanwhile stays for the next write. */
async function writeStored(store: SessionStore, session: Session, stored: Stored): Promise<void> {
  const path = planPaths(store.folder, session.sessionID).stored;
  await store.files.writeWhole(path, formatStored(stored));
  const { before, removed, written } = stored;
  session.state = { ...session.state, before, removed, written };
  session.isStored = true;
}

const formatUnusable = (path: string, why: string): string =>
  `${path} is left alone, the notes go on in memory: ${why}`;

/** Keeps the notes' promise that no call rejects: a failure is logged and answered with `otherwise`. */
async function guard<T>(
  { log }: SessionStore,
  sessionID: string,
  otherwise: T,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    log.warn("notes", `the notes of ${sessionID}, tried again later: ${formatError(thrown)}`);
    return otherwise;
  }
}

function noteTouched(
  session: Session,
  { callID, state: { time } }: ToolPart,
  touched: readonly FileTouch[],
): void {
  const key = formatCallKey(time?.start ?? 0, callID);
  const { ledger } = session.state;
  const kept = touched.slice(0, CAPS.filesOfASubagent);
  const run = ledger.subagents.find((one) => one.key === key);
  if (!run || JSON.stringify(run.files) === JSON.stringify(kept)) return;
  const subagents = ledger.subagents.map((one) => (one === run ? { ...run, files: kept } : one));
  change(session, { ledger: { ...ledger, subagents } });
}

/** Number of newest sessions checked for open work; older ones are not worth resuming. */
const MOST_UNFINISHED = 20;

/** `path`: the absolute path of its notes. */
async function findUnfinished(
  { files, folder, seen }: SessionStore,
  except: ReadonlySet<string>,
  sinceMs: number,
) {
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
