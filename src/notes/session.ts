/**
 * What is known about a session in memory, and what the user takes back by undoing a turn, or removing or rewriting a
 * message: its facts leave the ledger, which is learned again from the remaining messages.
 */
import type { Message } from "../io/message.js";
import { createKnownMessages, type KnownMessages, nameMessage, readOwnTexts } from "../messages/call.js";
import { isOnlyRest } from "../messages/history.js";
import { learnMessages } from "./learn.js";
import { EMPTY_LEDGER, SHORTENED } from "./ledger.js";
import type { Ledger, Stored, TakenBack } from "./stored.js";

export interface Session {
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
  /** While it is read, and while it is written. */
  loading: Promise<void> | undefined;
  writing: Promise<void> | undefined;
}

export const createSession = (sessionID: string): Session => ({
  sessionID,
  state: { version: 1, ledger: EMPTY_LEDGER, removed: [] },
  isLoaded: false,
  early: [],
  isStored: false,
  isChanged: false,
  known: createKnownMessages(),
  loading: undefined,
  writing: undefined,
});

export function change(session: Session, changed: Partial<Stored>): void {
  session.state = { ...session.state, ...changed };
  session.isChanged = true;
}

export function learnInto(session: Session, messages: readonly Message[], project: string): void {
  const fresh = messages.filter((message) => !session.known.has(message));
  if (fresh.length === 0) return;
  const { ledger } = session.state;
  const after = learnMessages(ledger, fresh, project);
  session.known.add(fresh);
  if (!session.isLoaded) session.early = [...session.early, ...fresh];
  if (after !== ledger) change(session, { ledger: after });
}

/** Might the host have lost messages that a request does not contain? The request may hold only the end of a session. */
export function mayHaveLost({ known, state }: Session, messages: readonly Message[]): boolean {
  return known.isEmpty() ? isDoubtful(state.ledger, messages) : known.isMissedIn(messages);
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
  const { ledger, sections: _, takenBack = [], ...state } = session.state;
  const after = relearn(ledger, messages, project);
  const found = isOnlyRest(messages) ? [] : findTakenBack(ledger, { after, messages, nowMs });
  const joined = joinTakenBack(takenBack, found, messages, after);
  session.known.clear();
  if (found.length > 0) {
    session.state = { ...state, ledger: after };
    session.early = session.isLoaded ? [] : messages;
    session.known.add(messages);
  } else learnInto(session, messages, project);
  if (joined !== takenBack) change(session, { takenBack: joined });
  return joined !== takenBack;
}

/** Maximum number remembered per session. */
const MOST_TAKEN_BACK = 200;

/** Might facts of the ledger be missing from these messages? They may be only part of what the host has. */
function isDoubtful(ledger: Ledger, messages: readonly Message[]): boolean {
  if (ledger === EMPTY_LEDGER) return false;
  const texts = new Map<string, string>();
  for (const { info, parts } of messages)
    if (info && Array.isArray(parts))
      texts.set(nameMessage(info), info.role === "user" ? readOwnTexts(parts).join("\n\n") : "");
  return (
    ledger.requests.some(({ key, length }) => texts.get(key)?.length !== length) ||
    ledger.answers.some(({ key }) => !texts.has(key))
  );
}

/** Learns the ledger again from these messages, all that the host has, and keeps the files that only the old one knows. */
function relearn(ledger: Ledger, messages: readonly Message[], project: string): Ledger {
  const relearned = learnMessages(EMPTY_LEDGER, messages, project);
  const files = new Map(ledger.subagents.map((run) => [run.key, run.files]));
  const subagents = relearned.subagents.map((run) => {
    const known = run.files ?? files.get(run.key);
    return known ? { ...run, files: known } : run;
  });
  return { ...relearned, subagents };
}

/** Messages that the ledger knows and `messages`, all that the host has, no longer contain. `after` is their ledger. */
function findTakenBack(
  before: Ledger,
  { after, messages, nowMs }: { after: Ledger; messages: readonly Message[]; nowMs: number },
): TakenBack[] {
  const keys = new Set(messages.flatMap(({ info }) => (info ? [nameMessage(info)] : [])));
  const requests = new Map(after.requests.map((request) => [request.key, request]));
  const found = new Map<string, TakenBack>();
  for (const { at, key } of [...before.requests, ...before.answers])
    if (!keys.has(key)) found.set(key, { key, at, seenMs: nowMs });
  for (const { at, key, text } of before.requests) {
    const now = requests.get(key)?.text;
    // A request that was shortened to save space was not changed by the user.
    const isSame = now === text || (text.length === SHORTENED && now?.startsWith(text));
    const isOther = now === undefined ? keys.has(key) && at > after.droppedUntil : !isSame;
    if (isOther) found.set(key, { key, at, seenMs: nowMs, isEdit: true });
  }
  const calls = new Set(after.calls.keys);
  for (const key of before.calls.keys) {
    const at = Number.parseInt(key, 36);
    if (!calls.has(key) && at > after.calls.countedUntil) found.set(key, { key, at, seenMs: nowMs });
  }
  return [...found.values()];
}

/** Joins the new ones with the earlier ones that the host has not brought back. */
function joinTakenBack(
  earlier: readonly TakenBack[],
  found: readonly TakenBack[],
  messages: readonly Message[],
  ledger: Ledger,
): readonly TakenBack[] {
  const there = new Set<string>(ledger.calls.keys);
  for (const { info } of messages) if (info) there.add(nameMessage(info));
  const stay = earlier.filter(({ isEdit, key }) => isEdit || !there.has(key));
  if (stay.length === earlier.length && found.length === 0) return earlier;
  return [...stay, ...found].slice(-MOST_TAKEN_BACK);
}

/** May text made at this time contain words that were taken back later? */
export function isStale(taken: readonly TakenBack[], madeMs: number): boolean {
  return taken.some(({ at, seenMs }) => at <= madeMs && madeMs < seenMs);
}
