/**
 * The sessions in memory, and how they are read from and written to their files. The file for the machine is written
 * first and says what is about to stand in the notes and what stands there now, so that after a crash between the two
 * nobody takes the machine's lines for a person's.
 */
import { dirname } from "node:path";
import { formatError } from "../base/error.js";
import type { Files } from "../io/files.js";
import type { Log } from "../io/log.js";
import { hideNewFolder } from "../project/folders.js";
import type { SeenSessions } from "../project/own.js";
import { learnMessages } from "./learn.js";
import { findWritten, hashNotes, mergePage, redactPersons } from "./merge.js";
import { createSession, type Session } from "./session.js";
import { formatStored, planPaths, readNotes, readStored } from "./session-files.js";
import type { Stored } from "./stored.js";

export interface StoreOptions {
  files: Files;
  log: Log;
  /** `<project>/.opencode/session-memory`; paths in the notes are relative to the project. */
  folder: string;
  /** Is told of each session that notes are kept on, and tells which were had on this machine. */
  seen: SeenSessions;
}

export interface SessionStore extends StoreOptions {
  readonly project: string;
  readonly sessions: Map<string, Session>;
  /** Running reads and writes by session. */
  readonly loading: Map<string, Promise<void>>;
  readonly writing: Map<string, Promise<void>>;
  /** The last complaint about each thing, which is logged once. */
  readonly complaints: Map<string, string>;
}

/** Sessions held in memory; one that is wholly on disk can be read again. */
const MOST_SESSIONS = 30;

export const createStore = ({ files, folder, log, seen }: StoreOptions): SessionStore => ({
  ...{ files, folder, log, seen, project: dirname(dirname(folder)) },
  sessions: new Map(),
  loading: new Map(),
  writing: new Map(),
  complaints: new Map(),
});

/** The session with what is on disk; without it where that cannot be read. Throws for an id that names no session. */
export async function openSession(store: SessionStore, sessionID: string): Promise<Session> {
  const { folder, sessions, writing } = store;
  planPaths(folder, sessionID);
  const session = sessions.get(sessionID) ?? createSession(sessionID);
  // The session is now the one used last.
  sessions.delete(sessionID);
  sessions.set(sessionID, session);
  for (const [id, { isChanged }] of sessions) {
    if (sessions.size <= MOST_SESSIONS) break;
    if (id !== sessionID && !isChanged && !writing.has(id)) sessions.delete(id);
  }
  if (!session.isLoaded) await load(store, session);
  return session;
}

/** Two that need the same session wait for one read. */
function load(store: SessionStore, session: Session): Promise<void> {
  const { sessionID } = session;
  const { loading } = store;
  const running = loading.get(sessionID) ?? loadNow(store, session).finally(() => loading.delete(sessionID));
  loading.set(sessionID, running);
  return running;
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
    const what = `cannot take in ${paths.stored}, tried again later: ${formatError(thrown)}`;
    complain(store, paths.stored, what);
  }
}

/** Text of the notes; `undefined` if there are none or they cannot be read. */
export async function readText(store: SessionStore, path: string): Promise<string | undefined> {
  try {
    const reading = await readNotes(store.files, path);
    if ("text" in reading) return reading.text;
    complain(store, path, formatUnusable(path, reading.unusable));
  } catch (thrown) {
    complain(store, path, `cannot read ${path}: ${formatError(thrown)}`);
  }
  return undefined;
}

/** Writes what has changed; calls for a session wait for each other. Never rejects. */
export async function writeSession(store: SessionStore, sessionID: string): Promise<void> {
  const { sessions, writing } = store;
  const earlier = writing.get(sessionID) ?? Promise.resolve();
  const own = earlier.then(() =>
    guard(store, sessionID, undefined, async () => {
      const session = sessions.get(sessionID);
      if (!session?.isChanged) return;
      if (!session.isLoaded) await load(store, session);
      if (session.isLoaded) await writeNow(store, session);
    }),
  );
  writing.set(sessionID, own);
  await own;
  if (writing.get(sessionID) === own) writing.delete(sessionID);
}

async function writeNow(store: SessionStore, session: Session): Promise<void> {
  const { files, folder, seen } = store;
  const { notes } = planPaths(folder, session.sessionID);
  const reading = await readNotes(files, notes);
  await seen.note(session.sessionID);
  await hideNewFolder(files, folder);
  session.isChanged = false;
  try {
    if ("text" in reading) await writeBoth(store, session, reading.text);
    else {
      complain(store, notes, formatUnusable(notes, reading.unusable));
      await writeStored(store, session, session.state);
    }
  } catch (thrown) {
    session.isChanged = true;
    throw thrown;
  }
}

async function writeBoth(store: SessionStore, session: Session, text: string | undefined): Promise<void> {
  const { complaints, files, folder, project } = store;
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
  complaints.delete(paths.notes);
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

function complain({ complaints, log }: SessionStore, about: string, message: string): void {
  if (complaints.get(about) !== message) log.warn("notes", message);
  complaints.set(about, message);
}

/** Keeps the notes' promise that no call rejects: a failure is logged and answered with `otherwise`. */
export async function guard<T>(
  store: SessionStore,
  sessionID: string,
  otherwise: T,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    complain(store, sessionID, `the notes of ${sessionID}, tried again later: ${formatError(thrown)}`);
    return otherwise;
  }
}
