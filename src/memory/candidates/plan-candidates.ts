/** Plans which candidates wait, which have become sure, which are forgotten, and what was said how often. Pure. */
import { DAY_MS } from "../../base/days.js";
import { hashOf } from "../../base/hash.js";
import { foldLetters, isDense } from "../../base/text.js";
import type { Message } from "../../io/message.js";
import { nameMessage, readOwnTexts } from "../../messages/call.js";
import { type Compare, createComparison, readMeaning } from "../../text/compare.js";
import {
  type Candidate,
  isHandedOver,
  isRepeated,
  readLatest,
  readSessions,
  type Saying,
  WAITING_DAYS,
  type WaitingCandidate,
} from "./candidate.js";

/** More than a person reads through. */
const MOST_WAITING = 200;
/** Maximum number of sayings stored of one candidate. */
const MOST_SAYINGS = 10;
const LEAST_SESSIONS = 5;

/**
 * Merges known and found candidates that say the same. `waiting` stay: what was said in most sessions first, then by worth;
 * those taken back are last. `agreed` were said in so many sessions that the user means it, whatever its shape is worth.
 */
export function planCandidates(
  known: readonly WaitingCandidate[],
  found: readonly Candidate[],
  nowMs: number,
): Record<"agreed" | "waiting", readonly WaitingCandidate[]> {
  const compare = createComparison();
  const all = known.filter((one) => !hasExpired(one, nowMs));
  for (const one of found) {
    if (!readLatest(one)) continue;
    const place = findSame(all, one, compare);
    const same = all[place];
    if (same) all[place] = join(same, one, nowMs);
    else all.push({ ...one, id: planId(one, all), offeredMs: nowMs });
  }
  const agreed = all.filter((one) => readSessions(one).length >= LEAST_SESSIONS);
  const waiting = all.filter((one) => !agreed.includes(one));
  waiting.sort(
    (a, b) => Number(isSaid(b)) - Number(isSaid(a)) || countRepeats(b) - countRepeats(a) || b.worth - a.worth,
  );
  return { waiting: waiting.slice(0, MOST_WAITING), agreed };
}

/** Sessions in which it was said again and again; two prove nothing yet. */
const countRepeats = (candidate: Candidate): number =>
  isRepeated(candidate) ? readSessions(candidate).length : 0;

const isSaid = (candidate: Candidate): boolean => readLatest(candidate) !== undefined;

export function hasExpired({ offeredMs, said }: WaitingCandidate, nowMs: number): boolean {
  const lastMs = said.reduce((last, { saidMs }) => Math.max(last, saidMs), offeredMs);
  return nowMs - lastMs >= WAITING_DAYS * DAY_MS;
}

/** The place of the candidate that says the same; one that was taken back is the same again if its words are. */
function findSame(all: readonly WaitingCandidate[], found: Candidate, compare: Compare): number {
  const text = readLatest(found)?.text ?? "";
  return all.findIndex(
    (other) => compare(text, (readLatest(other) ?? other.said.at(-1))?.text ?? "") === "same",
  );
}

/**
 * In the latest wording. A message may be read twice, after a crash or an undo; it counts once. A client's sentence does
 * not change a candidate that the user said.
 */
function join(known: WaitingCandidate, found: Candidate, nowMs: number): WaitingCandidate {
  if (isHandedOver(found) && readLatest(known) && !isHandedOver(known)) return known;
  const again = new Set(found.said.map(nameSaying));
  const before = known.said.filter((one) => !again.has(nameSaying(one))).map(withoutStatements);
  const said = [...before, ...found.said].sort((a, b) => a.saidMs - b.saidMs).slice(-MOST_SAYINGS);
  const isNews = found.said.length + before.length > known.said.length;
  const { type, when } = isNews ? found : known;
  const worth = Math.max(known.worth, found.worth);
  const joined: WaitingCandidate = { ...known, type, when, worth, said, ...(isNews && { offeredMs: nowMs }) };
  // Said in a third session, it is judged again: nobody says by chance what they say so often.
  if (isRepeated(joined) && !isRepeated(known)) delete joined.isJudged;
  return joined;
}

const withoutStatements = ({ context: _, place: __, statements: ___, ...saying }: Saying): Saying => saying;

export const nameSaying = ({ message, session }: Pick<Utterance, "message" | "session">): string =>
  `${session} ${message}`;

const LEAST_ID = 6;

/** A short id that no other has. */
function planId({ said }: Candidate, others: readonly WaitingCandidate[]): string {
  const [first] = said;
  const hash = hashOf(JSON.stringify([first?.session, first?.message, first?.text]));
  const taken = new Set(others.map(({ id }) => id));
  for (let length = LEAST_ID; length < hash.length; length++)
    if (!taken.has(hash.slice(0, length))) return hash.slice(0, length);
  return hash;
}

/** What the user has dropped, as hashes: the words themselves are forgotten. */
export interface Dropped {
  words: readonly string[];
  messages: readonly string[];
  atMs: number;
}

const MOST_DROPPED = 1_000;

/** Records of what is dropped, oldest first. */
export function planDropped(
  known: readonly Dropped[],
  candidates: readonly Candidate[],
  atMs: number,
): readonly Dropped[] {
  const added = candidates.map(({ said }) => ({
    words: unique(said.map(({ text }) => hashWords(text))),
    messages: unique(said.map(hashMessage)),
    atMs,
  }));
  return [...known, ...added].slice(-MOST_DROPPED);
}

/** Leaves out what the user has dropped: the same words, and whatever else is found in the same message. */
export function withoutDropped(found: readonly Candidate[], dropped: readonly Dropped[]): Candidate[] {
  const messages = new Set(dropped.flatMap((one) => one.messages));
  return withoutDroppedWords(found, dropped).filter(({ said }) =>
    said.every((one) => !messages.has(hashMessage(one))),
  );
}

export function withoutDroppedWords<T extends Candidate>(
  found: readonly T[],
  dropped: readonly Dropped[],
): T[] {
  const words = new Set(dropped.flatMap((one) => one.words));
  return found.filter(({ said }) => said.every(({ text }) => !words.has(hashWords(text))));
}

/** The latest time that these words were dropped. */
export const findDropped = (dropped: readonly Dropped[], text: string): Dropped | undefined =>
  dropped.findLast(({ words }) => words.includes(hashWords(text)));

const unique = (hashes: readonly string[]): string[] => [...new Set(hashes)];
const hashWords = (text: string): string => hashOf(readMeaning(text).toLowerCase());
const hashMessage = (saying: Saying): string => hashOf(nameSaying(saying));

/*
 * In how many sessions the user has said the same, so that nobody has to say it a sixth time. Hashes of words, no words.
 */

/** Where a statement was said. */
export interface Utterance {
  session: string;
  message: string;
  saidMs: number;
}

export interface Repeat {
  /** Hash of the meaning. */
  words: string;
  /** The latest of each session, oldest first. */
  heard: readonly Utterance[];
}

/** Statements whose repetition is noticed: those of the last months. */
const MOST_REPEATS = 1_500;
/** More sessions prove nothing more. */
const MOST_SESSIONS = 8;
/** "Go on" and "run the tests" are said in every session and ask for nothing that lasts. */
const SHORTEST = 24;
const SHORTEST_DENSE = 8;

/**
 * Counts statements; `found` has by place where each was said, this time included. The latest heard are last, and stay.
 * `next` is `known` if nothing is new: a message may be read twice.
 */
export function planRepeats(
  known: readonly Repeat[],
  texts: readonly string[],
  heard: Utterance,
): { next: readonly Repeat[]; found: readonly (readonly Utterance[])[] } {
  const all = new Map(known.map((one) => [one.words, one]));
  let isNews = false;
  const found = texts.map((text): readonly Utterance[] => {
    if (text.length < (isDense(text) ? SHORTEST_DENSE : SHORTEST)) return [heard];
    const words = hashOf(readMeaning(text).toLowerCase()).slice(0, 24);
    const already = all.get(words)?.heard ?? [];
    if (already.some((one) => nameSaying(one) === nameSaying(heard))) return already;
    isNews = true;
    const before = already.filter(({ session }) => session !== heard.session);
    const next = [...before, heard].slice(-MOST_SESSIONS);
    all.delete(words);
    all.set(words, { words, heard: next });
    return next;
  });
  return { next: isNews ? [...all.values()].slice(-MOST_REPEATS) : known, found };
}

/* What counts after the user has undone or redone messages. */

/** In the place of a secret. */
const REMOVED = "[removed: ";

/** The candidates with the sayings of this session marked by all its messages; `undefined` if none changes. */
export function planUndone(
  candidates: readonly WaitingCandidate[],
  sessionID: string,
  messages: readonly Message[],
): WaitingCandidate[] | undefined {
  const texts = new Map<string, string>();
  for (const { info, parts } of messages)
    if (info.role === "user")
      texts.set(info.id ?? nameMessage(info), foldLetters(readOwnTexts(parts).join(" ")));
  let hasChanged = false;
  const mark = (saying: Saying): Saying => {
    const isTakenBack = !stillSays(saying, texts);
    if (saying.session !== sessionID || isTakenBack === (saying.isTakenBack ?? false)) return saying;
    hasChanged = true;
    const { isTakenBack: _, ...rest } = saying;
    return isTakenBack ? { ...rest, isTakenBack } : rest;
  };
  const marked = candidates.map((one) => ({ ...one, said: one.said.map(mark) }));
  return hasChanged ? marked : undefined;
}

/** Without those that this session's messages no longer say; `undefined` if none goes. */
export function withoutUndone<T extends { message: string; session: string }>(
  all: readonly T[],
  sessionID: string,
  messages: readonly Message[],
): T[] | undefined {
  const ids = new Set(messages.map(({ info }) => info.id));
  const kept = all.filter(({ message, session }) => session !== sessionID || ids.has(message));
  return kept.length === all.length ? undefined : kept;
}

export function withoutUnheard(
  repeats: readonly Repeat[],
  sessionID: string,
  messages: readonly Message[],
): Repeat[] | undefined {
  let hasChanged = false;
  const kept = repeats.map((one) => {
    const heard = withoutUndone(one.heard, sessionID, messages);
    hasChanged ||= heard !== undefined;
    return heard ? { ...one, heard } : one;
  });
  return hasChanged ? kept.filter(({ heard }) => heard.length > 0) : undefined;
}

function stillSays({ message, text }: Saying, texts: ReadonlyMap<string, string>): boolean {
  const whole = texts.get(message);
  if (whole === undefined) return false;
  // The message still has the secret that was removed here.
  return text.includes(REMOVED) || whole.includes(foldLetters(text));
}
