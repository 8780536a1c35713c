/**
 * Which messages of a session the user has taken back: by undoing a turn, by removing or rewriting a message. What the
 * ledger has from them is gone from it, by learning anew from what is left. Pure.
 */
import type { Message } from "../conversation/message.js";
import { nameMessage, readOwnTexts } from "../conversation/own-texts.js";
import { SHORTENED } from "./draft.js";
import { learnMessages } from "./learn.js";
import { EMPTY_LEDGER, type Ledger } from "./ledger.js";

/** A message that was taken back. What was made of the ledger between the two times may have its words in it. */
export interface TakenBack {
  /** As in facts. */
  readonly key: string;
  /** When the message was written. */
  readonly at: number;
  /** When its words went from the ledger. */
  readonly seenMs: number;
  /** It is still there, with other words. */
  readonly isEdit?: true;
}

/** So many are remembered of a session. */
const MOST_TAKEN_BACK = 200;

/** May some of what the ledger tells of be gone from these messages? They may be a part of what the host has. */
export function isDoubtful(ledger: Ledger, messages: readonly Message[]): boolean {
  if (ledger === EMPTY_LEDGER) return false;
  const texts = readTexts(messages);
  return (
    ledger.requests.some(({ key, length }) => texts.get(key)?.length !== length) ||
    ledger.answers.some(({ key }) => !texts.has(key))
  );
}

/** The ledger of these messages, which are all that the host has, with what only the earlier one knows of them. */
export function learnAnew(ledger: Ledger, messages: readonly Message[], project: string): Ledger {
  const anew = learnMessages(EMPTY_LEDGER, messages, project);
  const files = new Map(ledger.subagents.map((run) => [run.key, run.files]));
  const subagents = anew.subagents.map((run) => {
    const known = run.files ?? files.get(run.key);
    return known ? { ...run, files: known } : run;
  });
  return { ...anew, subagents };
}

/** What the ledger tells of and these messages, which are all that the host has, do not. `anew` is made of them. */
export function findTakenBack(
  before: Ledger,
  { anew, messages, nowMs }: { anew: Ledger; messages: readonly Message[]; nowMs: number },
): TakenBack[] {
  const keys = new Set(messages.flatMap(({ info }) => (info ? [nameMessage(info)] : [])));
  const requests = new Map(anew.requests.map((request) => [request.key, request]));
  const found = new Map<string, TakenBack>();
  for (const { at, key } of [...before.requests, ...before.answers])
    if (!keys.has(key)) found.set(key, { key, at, seenMs: nowMs });
  for (const { at, key, text } of before.requests) {
    const now = requests.get(key)?.text;
    // One that had to be shortened since it was learned has lost nothing.
    const isSame = now === text || (text.length === SHORTENED && now?.startsWith(text));
    const isOther = now === undefined ? keys.has(key) && at > anew.droppedUntil : !isSame;
    if (isOther) found.set(key, { key, at, seenMs: nowMs, isEdit: true });
  }
  const calls = new Set(anew.calls.keys);
  for (const key of before.calls.keys) {
    const at = Number.parseInt(key, 36);
    if (!calls.has(key) && at > anew.calls.countedUntil) found.set(key, { key, at, seenMs: nowMs });
  }
  return [...found.values()];
}

/** Those that still are, now that the host has these messages, and those found now. */
export function joinTakenBack(
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

/** Was this made of words that were taken back after it? */
export function isStale(taken: readonly TakenBack[], madeMs: number): boolean {
  return taken.some(({ at, seenMs }) => at <= madeMs && madeMs < seenMs);
}

function readTexts(messages: readonly Message[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { info, parts } of messages)
    if (info && Array.isArray(parts))
      texts.set(nameMessage(info), info.role === "user" ? readOwnTexts(parts).join("\n\n") : "");
  return texts;
}
