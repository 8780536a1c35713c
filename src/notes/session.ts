/** What is known about one session while the machine runs, and how that is brought together with its files. */

import type { Message } from "../view/message.js";
import { readFacts, type SessionFacts } from "./facts.js";
import { createKnownMessages, type KnownMessages } from "./known-messages.js";
import { learnMessages } from "./learn.js";
import { CAPS, EMPTY_LEDGER, type FileTouch, type Ledger } from "./ledger.js";
import { type Merged, mergePage, type Written } from "./merge.js";
import { planPage } from "./page.js";
import type { Sections } from "./sections.js";
import { hashNotes } from "./session-files.js";
import type { Stored } from "./stored.js";

export interface Session {
  readonly sessionID: string;
  ledger: Ledger;
  sections: Sections | undefined;
  written: Written | undefined;
  before: Stored["before"];
  removed: readonly string[];
  /** Has what is on disk been taken in? Until then nothing may be written over it. */
  isLoaded: boolean;
  /** What was learned while that was not possible. */
  early: Message[];
  /** Counts the changes. */
  revision: number;
  /** The change up to which everything is on disk. */
  savedRevision: number;
  /** What the file for the machine holds. */
  savedText: string | undefined;
  readonly known: KnownMessages;
  facts: { ledger: Ledger; facts: SessionFacts } | undefined;
}

export function createSession(sessionID: string): Session {
  return {
    sessionID,
    ledger: EMPTY_LEDGER,
    sections: undefined,
    written: undefined,
    before: undefined,
    removed: [],
    isLoaded: false,
    early: [],
    revision: 0,
    savedRevision: 0,
    savedText: undefined,
    known: createKnownMessages(),
    facts: undefined,
  };
}

/** What is on disk takes the place of what was learned without it, which is learned again on top of it. */
export function takeIn(session: Session, stored: Stored, text: string): void {
  session.ledger = stored.ledger;
  session.sections ??= stored.sections;
  session.written = stored.written;
  session.before = stored.before;
  session.removed = stored.removed;
  session.savedText = text;
}

/** From now on there is nothing on disk that is not known. */
export function markLoaded(session: Session, project: string): void {
  session.isLoaded = true;
  session.ledger = learnMessages(session.ledger, session.early, project);
  session.early = [];
}

export function learnInto(session: Session, messages: readonly Message[], project: string): void {
  const fresh = messages.filter((message) => !session.known.has(message));
  if (fresh.length === 0) return;
  const ledger = learnMessages(session.ledger, fresh, project);
  session.known.add(fresh);
  if (!session.isLoaded) session.early = [...session.early, ...fresh];
  if (ledger === session.ledger) return;
  session.ledger = ledger;
  session.revision++;
}

/** Notes on the subagent that this call has started which files it touched. */
export function noteTouched(session: Session, key: string, files: readonly FileTouch[]): void {
  const run = session.ledger.subagents.find((one) => one.key === key);
  const kept = files.slice(0, CAPS.filesOfASubagent);
  if (!run || JSON.stringify(run.files) === JSON.stringify(kept)) return;
  const subagents = session.ledger.subagents.map((one) => (one === run ? { ...run, files: kept } : one));
  session.ledger = { ...session.ledger, subagents };
  session.revision++;
}

export function factsOf(session: Session, project: string): SessionFacts | undefined {
  const { ledger } = session;
  if (ledger === EMPTY_LEDGER) return undefined;
  if (session.facts?.ledger !== ledger) session.facts = { ledger, facts: readFacts(ledger, project) };
  return session.facts.facts;
}

/** The notes with what is known now, given the file as it is. */
export function mergeSession(session: Session, text: string | undefined): Merged {
  const { ledger, sections, sessionID, removed } = session;
  const page = planPage(ledger, sections, sessionID);
  return mergePage({ text, written: findWritten(session, text), removed, page });
}

/** Which lines of this text the machine wrote: the last ones, unless the last write did not come about. */
function findWritten({ written, before }: Session, text: string | undefined): Written | undefined {
  const isBefore = text !== undefined && before?.hash === hashNotes(text);
  return isBefore ? before?.written : written;
}

/** What is to be stored so that the merged notes, and also the text as it is, will be understood. */
export function planStored(session: Session, text: string | undefined, merged: Merged): Stored {
  const isChange = text !== undefined && text !== merged.text;
  const earlier = findWritten(session, text);
  return {
    version: 1,
    ledger: session.ledger,
    ...(session.sections ? { sections: session.sections } : {}),
    written: merged.written,
    ...(isChange ? { before: { hash: hashNotes(text), ...(earlier ? { written: earlier } : {}) } } : {}),
    removed: merged.removed,
  };
}

/** What is to be stored while the notes themselves cannot be touched. */
export function planStoredAlone(session: Session): Stored {
  const { ledger, sections, written, before, removed } = session;
  return {
    version: 1,
    ledger,
    ...(sections ? { sections } : {}),
    ...(written ? { written } : {}),
    ...(before ? { before } : {}),
    removed,
  };
}
