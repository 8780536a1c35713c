/**
 * Finds messages that the user has taken back, by undoing a turn, or removing or rewriting a message. Their facts leave
 * the ledger, which is learned again from the remaining messages. Pure.
 */
import type { Message } from "../io/message.js";
import { nameMessage, readOwnTexts } from "../messages/call.js";
import { learnMessages } from "./learn.js";
import { EMPTY_LEDGER, SHORTENED } from "./ledger.js";
import type { Ledger, TakenBack } from "./stored.js";

/** Maximum number remembered per session. */
const MOST_TAKEN_BACK = 200;

/** Might facts of the ledger be missing from these messages? They may be only part of what the host has. */
export function isDoubtful(ledger: Ledger, messages: readonly Message[]): boolean {
  if (ledger === EMPTY_LEDGER) return false;
  const texts = readTexts(messages);
  return (
    ledger.requests.some(({ key, length }) => texts.get(key)?.length !== length) ||
    ledger.answers.some(({ key }) => !texts.has(key))
  );
}

/** Learns the ledger again from these messages, all that the host has, and keeps the files that only the old one knows. */
export function relearn(ledger: Ledger, messages: readonly Message[], project: string): Ledger {
  const relearned = learnMessages(EMPTY_LEDGER, messages, project);
  const files = new Map(ledger.subagents.map((run) => [run.key, run.files]));
  const subagents = relearned.subagents.map((run) => {
    const known = run.files ?? files.get(run.key);
    return known ? { ...run, files: known } : run;
  });
  return { ...relearned, subagents };
}

/** Messages that the ledger knows and `messages`, all that the host has, no longer contain. `after` is their ledger. */
export function findTakenBack(
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

/** May text made at this time contain words that were taken back later? */
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
