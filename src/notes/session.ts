/** What is known about a session in memory, and how it is merged with the session's files. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Sliced } from "../base/slices.js";
import { decodeStrictly, type Files, readText } from "../io/files.js";
import type { Message } from "../io/message.js";
import { createKnownMessages, type KnownMessages } from "../messages/call.js";
import { isOnlyRest } from "../messages/history.js";
import { redactLines } from "../text/secrets/secrets.js";
import { readFacts, type SessionFacts } from "./facts.js";
import { learnMessages } from "./learn.js";
import { CAPS, EMPTY_LEDGER, type FileTouch, type Ledger } from "./ledger.js";
import { type Merged, mergePage, type Written } from "./merge.js";
import { planPage, type Sections } from "./page.js";
import type { Stored } from "./stored.js";
import { findTakenBack, isDoubtful, joinTakenBack, relearn, type TakenBack } from "./taken-back.js";

export interface Session {
  readonly sessionID: string;
  ledger: Ledger;
  sections: Sections | undefined;
  written: Written | undefined;
  before: Stored["before"];
  removed: readonly string[];
  /** Messages that the user has taken back. */
  takenBack: readonly TakenBack[];
  /** Redacted lines by a person's text, a cache: the text is written again with each change. */
  redacted: ReadonlyMap<string, readonly string[]>;
  /** Were the files on disk merged? Until then they must not be overwritten. */
  isLoaded: boolean;
  /** Messages learned before the files were merged. */
  early: Message[];
  /** Number of changes. */
  revision: number;
  /** Number of changes that are on disk. */
  savedRevision: number;
  /** Text of the stored file. */
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

/** Replaces the state by what is on disk, and learns the earlier messages again on top of it. */
export function takeIn(session: Session, stored: Stored, text: string): void {
  session.ledger = stored.ledger;
  session.sections ??= stored.sections;
  session.written = stored.written;
  session.before = stored.before;
  session.removed = stored.removed;
  session.takenBack = stored.takenBack ?? [];
  session.savedText = text;
}

/** From now on everything on disk is known. */
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

/** Might the host have lost messages that a request does not contain? The request may hold only the end of a session. */
export function mayHaveLost(session: Session, messages: readonly Message[]): boolean {
  return session.known.isEmpty() ? isDoubtful(session.ledger, messages) : session.known.isMissedIn(messages);
}

/**
 * Rebuilds the session from these messages, which must be all that the host has: facts of other messages are dropped, and
 * so are the model's sections. If they are only those after a compaction, nothing is dropped. Returns whether a message
 * was taken back or has come back.
 */
export function retake(
  session: Session,
  messages: readonly Message[],
  { nowMs, project }: { nowMs: number; project: string },
): boolean {
  const before = session.ledger;
  const after = relearn(before, messages, project);
  const found = isOnlyRest(messages) ? [] : findTakenBack(before, { after, messages, nowMs });
  const takenBack = joinTakenBack(session.takenBack, found, messages, after);
  session.known.clear();
  if (found.length > 0) {
    session.ledger = after;
    session.sections = undefined;
    session.early = session.isLoaded ? [] : [...messages];
    session.known.add(messages);
  } else learnInto(session, messages, project);
  const isOther = takenBack !== session.takenBack;
  if (isOther) session.revision++;
  session.takenBack = takenBack;
  return isOther;
}

/** Adds the touched files to the subagent that this call started. */
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

/** Merges what is known now into the current text of the notes. */
export function mergeSession(session: Session, text: string | undefined, project: string): Merged {
  const { ledger, sections, sessionID, removed } = session;
  const page = planPage(ledger, sections, { project, removed, sessionID });
  return mergePage({ text, written: findWritten(session, text), removed, page });
}

/** Lines of this text that the machine wrote: the last ones, or those before them if the last write failed. */
function findWritten({ before, written }: Session, text: string | undefined): Written | undefined {
  return text !== undefined && before?.hash === hashNotes(text) ? before?.written : written;
}

export interface WritePlan {
  merged: Merged;
  stored: Stored;
  /** Previous text of the notes, if it differs. */
  previous?: string;
  redacted: Session["redacted"];
}

/** Plans the next write for the current text of the notes. */
export function* planWrite(session: Session, text: string | undefined, project: string): Sliced<WritePlan> {
  // Facts learned meanwhile belong to the next write.
  const now = { ...session };
  const merged = mergeSession(now, text, project);
  const isChange = text !== undefined && text !== merged.text;
  const kept = isChange ? yield* redactPrevious(now, text) : { redacted: now.redacted };
  return { merged, stored: planStored(now, text, merged), ...kept };
}

/** Previous text of the notes for the backup, without secrets that a person may have written. */
function* redactPrevious(session: Session, text: string): Sliced<Pick<WritePlan, "previous" | "redacted">> {
  const written = findWritten(session, text) ?? {};
  const ours = new Set(Object.values(written).flatMap((lines) => lines.map((line) => line.text)));
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
    const lines = isOurs ? run : (known.get(whole) ?? redactLines(run));
    if (!isOurs) redacted.set(whole, lines);
    clean.push(lines.join("\n"));
  }
  return { previous: clean.join("\n"), redacted };
}

/** The stored file with which both the merged notes and the current text can be interpreted later. */
function planStored(session: Session, text: string | undefined, merged: Merged): Stored {
  const isChange = text !== undefined && text !== merged.text;
  const before = isChange ? formatBefore(hashNotes(text), findWritten(session, text)) : undefined;
  return planStoredAlone({ ...session, before, removed: merged.removed, written: merged.written });
}

const formatBefore = (hash: string, written: Written | undefined): Stored["before"] =>
  written ? { hash, written } : { hash };

/** The stored file if the notes themselves cannot be written. */
export function planStoredAlone(session: Session): Stored {
  const { before, ledger, removed, sections, takenBack, written } = session;
  return {
    version: 1,
    ledger,
    ...(sections ? { sections } : {}),
    ...(written ? { written } : {}),
    ...(takenBack.length > 0 ? { takenBack } : {}),
    ...(before ? { before } : {}),
    removed,
  };
}

/* Files of a session in the notes folder, and how they are read. */

export interface SessionPaths {
  /** For people. */
  notes: string;
  /** The notes before the last change. */
  previous: string;
  /** For the machine. */
  stored: string;
  /** Where an unreadable stored file is moved. */
  corrupt: string;
}

/** Throws for an ID that could name a file elsewhere. */
export function planPaths(folder: string, sessionID: string): SessionPaths {
  if (!/^[\w-]+$/.test(sessionID))
    throw new Error(
      `Expected a session id of letters, digits, "_" and "-"; came ${JSON.stringify(sessionID)}.`,
    );
  const pathOf = (ending: string): string => join(folder, `${sessionID}${ending}`);
  return {
    notes: pathOf(".md"),
    previous: pathOf(".previous.md"),
    stored: pathOf(".json"),
    corrupt: pathOf(".corrupt.json"),
  };
}

/** Session ID in the name of a stored file. */
export function readSessionID(name: string): string | undefined {
  return /^([\w-]+)\.json$/.exec(name)?.[1];
}

export type StoredReading =
  | { kind: "absent" }
  | { kind: "corrupt" }
  | { kind: "stored"; stored: Stored; text: string };

export async function readStored(files: Files, path: string): Promise<StoredReading> {
  const text = await readText(files, path);
  if (text === undefined) return { kind: "absent" };
  // Loads zod.
  const { parseStored } = await import("./stored.js");
  const stored = parseStored(text);
  return stored ? { kind: "stored", stored, text } : { kind: "corrupt" };
}

export function formatStored(value: Stored): string {
  return `${JSON.stringify(value, undefined, 1)}\n`;
}

/** `unusable`: something that people may have put there, which must not be touched. */
export type NotesReading = { text: string | undefined } | { unusable: string };

export async function readNotes(files: Files, path: string): Promise<NotesReading> {
  const found = await files.stat(path);
  if (!found) return { text: undefined };
  if (found.kind !== "file") return { unusable: "it is not a file" };
  const bytes = await files.read(path);
  if (!bytes) return { text: undefined };
  const text = decodeStrictly(bytes);
  return text === undefined ? { unusable: "it is not UTF-8" } : { text };
}

export function hashNotes(text: string): string {
  return createHash("sha1").update(text).digest("base64url");
}
