/**
 * The session notes: `<sessionID>.md` for people and models, `<sessionID>.json` with what the machine knows.
 *
 * What cannot be read or written is said in the log; the notes go on in memory, and the next call tries again.
 *
 * No secret is in the machine's lines. One that a person writes into the notes stays where they put it and goes no
 * further: not to a model, a later session, or the file of the version before.
 */
import type { Clock } from "../io/clock.js";
import type { Message, ToolPart } from "../io/message.js";
import type { SessionFacts } from "./facts.js";
import { formatForModel } from "./for-model.js";
import { formatCallKey } from "./learn-call.js";
import { CAPS, EMPTY_LEDGER } from "./ledger.js";
import { mergePage, redactPersons } from "./merge.js";
import { redactSections } from "./page.js";
import { change, factsOf, learnInto, mayHaveLost, retake, type Session } from "./session.js";
import { listNewestSessions, planPaths, readSession } from "./session-files.js";
import {
  createStore,
  guard,
  openSession,
  readText,
  type SessionStore,
  type StoreOptions,
  writeSession,
} from "./session-store.js";
import type { FileTouch, Sections, TakenBack } from "./stored.js";

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

export interface NotesOptions extends StoreOptions {
  clock: Clock;
  /** All messages of a session as the host has them; without it none are ever taken back. */
  readMessages?: (sessionID: string) => Promise<readonly Message[] | undefined>;
}

export function createNotes({ clock, readMessages, ...options }: NotesOptions): Notes {
  const store = createStore(options);
  const { folder, project } = store;
  const withSession = <T>(
    sessionID: string,
    otherwise: T,
    run: (session: Session) => T | Promise<T>,
  ): Promise<T> => guard(store, sessionID, otherwise, async () => run(await openSession(store, sessionID)));

  return {
    pathOf: (sessionID) => planPaths(folder, sessionID).notes,

    learn: (sessionID, messages) =>
      withSession(sessionID, undefined, (session) => learnInto(session, messages, project)),

    follow: (sessionID, messages) =>
      withSession(sessionID, false, async (session) => {
        const all = mayHaveLost(session, messages) ? await readMessages?.(sessionID) : undefined;
        const isOther = all !== undefined && retake(session, all, { nowMs: clock.now(), project });
        // What a compaction has put out of sight is not missed again.
        if (all) session.known.clear();
        learnInto(session, messages, project);
        return isOther;
      }),

    followHost: (sessionID, given) =>
      withSession(sessionID, false, async (session) => {
        const all = factsOf(session, project) && (given ?? (await readMessages?.(sessionID)));
        if (!all || !retake(session, all, { nowMs: clock.now(), project })) return false;
        if (session.isStored) await writeSession(store, sessionID);
        return true;
      }),

    takenBack: (sessionID) => withSession(sessionID, [], ({ state }) => state.takenBack ?? []),

    facts(sessionID) {
      const session = store.sessions.get(sessionID);
      return session && factsOf(session, project);
    },

    formatForModel: (sessionID, { maxCharacters }) =>
      withSession(sessionID, undefined, async ({ state }) => {
        const path = planPaths(folder, sessionID).notes;
        const text = await readText(store, path);
        if (state.ledger === EMPTY_LEDGER && !state.sections && text === undefined) return undefined;
        const { lines } = mergePage(state, text, { project, sessionID });
        return formatForModel({ lines: redactPersons(lines), path, maxCharacters });
      }),

    noteTouched: (sessionID, { callID, state: { time } }, touched) =>
      withSession(sessionID, undefined, (session) => {
        const key = formatCallKey(time?.start ?? 0, callID);
        const { ledger } = session.state;
        const kept = touched.slice(0, CAPS.filesOfASubagent);
        const run = ledger.subagents.find((one) => one.key === key);
        if (!run || JSON.stringify(run.files) === JSON.stringify(kept)) return;
        const subagents = ledger.subagents.map((one) => (one === run ? { ...run, files: kept } : one));
        change(session, { ledger: { ...ledger, subagents } });
      }),

    setSections: (sessionID, sections) =>
      withSession(sessionID, undefined, (session) => change(session, { sections: redactSections(sections) })),

    write: (sessionID) => writeSession(store, sessionID),

    findUnfinished: (except, maxAgeMs) =>
      guard(store, "earlier sessions", undefined, () =>
        findUnfinished(store, except, clock.now() - maxAgeMs),
      ),
  };
}

/** Number of newest sessions checked for open work; older ones are not worth resuming. */
const MOST_UNFINISHED = 20;

async function findUnfinished(
  { files, folder, seen }: SessionStore,
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
