/** What is known about one session while the machine runs, and how that is brought together with its files. */

import { createKnownMessages, type KnownMessages } from "../conversation/known-messages.js";
import type { Message } from "../conversation/message.js";
import { removeFromLines } from "../secrets/secrets.js";
import type { Sliced } from "../slices.js";
import { readFacts, type SessionFacts } from "./facts.js";
import { learnMessages } from "./learn.js";
import { CAPS, EMPTY_LEDGER, type FileTouch, type Ledger } from "./ledger.js";
import { type Merged, mergePage, type Written } from "./merge.js";
import { planPage } from "./page.js";
import { redactWritten } from "./redact.js";
import type { Sections } from "./sections.js";
import { hashNotes } from "./session-files.js";
import type { Stored } from "./stored.js";
import { findTakenBack, isDoubtful, joinTakenBack, learnAnew, type TakenBack } from "./taken-back.js";

export interface Session {
  readonly sessionID: string;
  ledger: Ledger;
  sections: Sections | undefined;
  written: Written | undefined;
  /** See `Stored`. */
  isLoose: boolean;
  before: Stored["before"];
  removed: readonly string[];
  /** Messages that the user has taken back. */
  takenBack: readonly TakenBack[];
  /** What a person wrote that was looked at for secrets, without them: it is written again with each change. */
  redacted: ReadonlyMap<string, readonly string[]>;
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
    isLoose: false,
    before: undefined,
    removed: [],
    takenBack: [],
    redacted: new Map(),
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
  session.isLoose = stored.isLoose === true;
  session.before = stored.before;
  session.removed = stored.removed;
  session.takenBack = stored.takenBack ?? [];
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

/** Is something that these messages of a request have not perhaps not with the host any more? They may be the end of what it has. */
export function mayHaveLost(session: Session, messages: readonly Message[]): boolean {
  return session.known.isEmpty() ? isDoubtful(session.ledger, messages) : session.known.isMissedIn(messages);
}

/**
 * Brings the session to what these messages tell, which are all that the host has: what others told is gone, also from
 * what a model has written. Whether something was taken back, or is there again.
 */
export function retake(
  session: Session,
  messages: readonly Message[],
  { nowMs, project }: { nowMs: number; project: string },
): boolean {
  const before = session.ledger;
  const anew = learnAnew(before, messages, project);
  const found = findTakenBack(before, { anew, messages, nowMs });
  const takenBack = joinTakenBack(session.takenBack, found, messages, anew);
  session.known.clear();
  if (found.length > 0) {
    session.ledger = anew;
    session.sections = undefined;
    session.early = session.isLoaded ? [] : [...messages];
    session.known.add(messages);
  } else learnInto(session, messages, project);
  const isOther = takenBack !== session.takenBack;
  if (isOther) session.revision++;
  session.takenBack = takenBack;
  return isOther;
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
export function* mergeSession(session: Session, text: string | undefined): Sliced<Merged> {
  const { ledger, sections, sessionID, removed } = session;
  const page = planPage(ledger, sections, sessionID);
  return yield* mergePage({ text, ...findWritten(session, text), removed, page });
}

/** Which lines of this text the machine wrote: the last ones, unless the last write did not come about. */
function findWritten({ before, isLoose, written }: Session, text: string | undefined): WrittenReading {
  const isBefore = text !== undefined && before?.hash === hashNotes(text);
  return isBefore ? { written: before?.written, isLoose: before?.isLoose === true } : { written, isLoose };
}

interface WrittenReading {
  written: Written | undefined;
  isLoose: boolean;
}

export interface WritePlan {
  merged: Merged;
  stored: Stored;
  /** What stood in the notes, where it is another text. */
  previous?: string;
  redacted: Session["redacted"];
}

/** What is to be written, given the file as it is. */
export function* planWrite(session: Session, text: string | undefined): Sliced<WritePlan> {
  // What is learned meanwhile is for the next write.
  const now = { ...session };
  const merged = yield* mergeSession(now, text);
  const isChange = text !== undefined && text !== merged.text;
  const kept = isChange ? yield* redactPrevious(now, text) : { redacted: now.redacted };
  return { merged, stored: yield* planStored(now, text, merged), ...kept };
}

/** What was in the notes, to be kept beside them, without the secrets that a person may have written. */
function* redactPrevious(session: Session, text: string): Sliced<Pick<WritePlan, "previous" | "redacted">> {
  const { isLoose, written = {} } = findWritten(session, text);
  const ours = new Set(
    isLoose ? [] : Object.values(written).flatMap((lines) => lines.map((line) => line.text)),
  );
  const known = session.redacted;
  const redacted = new Map<string, readonly string[]>();
  const runs: string[][] = [];
  let wasOurs: boolean | undefined;
  for (const line of text.split("\n")) {
    const isOurs = ours.has(line.trimEnd());
    if (isOurs !== wasOurs) runs.push([]);
    runs.at(-1)?.push(line);
    wasOurs = isOurs;
  }
  const clean: string[] = [];
  for (const run of runs) {
    yield;
    const whole = run.join("\n");
    const isOurs = ours.has(run[0]?.trimEnd() ?? "");
    const lines = isOurs ? run : (known.get(whole) ?? (yield* removeFromLines(run)));
    if (!isOurs) redacted.set(whole, lines);
    clean.push(lines.join("\n"));
  }
  return { previous: clean.join("\n"), redacted };
}

/** What is to be stored so that the merged notes, and also the text as it is, will be understood. */
function* planStored(session: Session, text: string | undefined, merged: Merged): Sliced<Stored> {
  const isChange = text !== undefined && text !== merged.text;
  const earlier = findWritten(session, text);
  return {
    version: 1,
    hasNoSecrets: true,
    ledger: session.ledger,
    ...(session.sections ? { sections: session.sections } : {}),
    written: merged.written,
    ...(session.takenBack.length > 0 ? { takenBack: session.takenBack } : {}),
    ...(isChange ? { before: { hash: hashNotes(text), ...(yield* toStored(earlier)) } } : {}),
    removed: merged.removed,
  };
}

function* toStored({ isLoose, written }: WrittenReading): Sliced<Pick<Stored, "isLoose" | "written">> {
  if (!written) return {};
  return isLoose ? { written: yield* redactWritten(written), isLoose } : { written };
}

/** What is to be stored while the notes themselves cannot be touched. */
export function* planStoredAlone(session: Session): Sliced<Stored> {
  const { before, isLoose, ledger, removed, sections, takenBack, written } = session;
  return {
    version: 1,
    hasNoSecrets: true,
    ledger,
    ...(sections ? { sections } : {}),
    ...(yield* toStored({ isLoose, written })),
    ...(takenBack.length > 0 ? { takenBack } : {}),
    ...(before
      ? {
          before: {
            hash: before.hash,
            ...(yield* toStored({ isLoose: before.isLoose === true, written: before.written })),
          },
        }
      : {}),
    removed,
  };
}
