/**
 * Texts of layers behind messages and results: appended before these are sent for the first time, and let go with a batch
 * of layer 2 that breaks the cache before them.
 */
import type { Savings } from "../costs/savings.js";
import { type DecisionKey, type Result, readAnsweredMs } from "../messages/history.js";
import { type DatedDecision, type Decisions, decide } from "./decisions.js";
import { type KnownDecision, type RecordedDecisions, readInputKey } from "./replay.js";
import type { ContextRequest } from "./request.js";

/** Text, and the message or result that it follows from now on. */
export interface Addition {
  behind: DecisionKey;
  text: string;
}

/**
 * Appends the texts; the decision is on disk before a request shows them, and they never count if the signal is
 * aborted by then: the request was sent without them. A line in the savings ledger explains a
 * different prefix after machine state was deleted. Returns whether there is something to show. Rejects if the decision
 * cannot be recorded; the ledger then has no line either.
 */
export async function extend(
  { decisions, savings }: { decisions: Pick<Decisions, "record">; savings: Pick<Savings, "record"> },
  extension: { sessionID: string; layer: string; additions: readonly Addition[]; signal: AbortSignal },
): Promise<boolean> {
  const { additions, layer, sessionID, signal } = extension;
  if (additions.length === 0) return false;
  await decisions.record(sessionID, layer, additions.map(planAddition), signal);
  noteExtended(savings, { sessionID, layer, count: additions.length });
  return true;
}

export function planAddition({ behind, text }: Addition): DatedDecision {
  return decide(behind, { outcome: "extended", text });
}

/** Writes one line to the ledger for additions recorded for several layers. */
export function noteExtended(
  savings: Pick<Savings, "record">,
  { count, layer, sessionID }: { sessionID: string; layer: string; count: number },
): void {
  savings.record({ session: sessionID, layer, event: "extended", results: count });
}

export const isExtendedBy = (layer: string, recorded: RecordedDecisions | undefined): boolean =>
  recorded?.extended?.some((one) => one.layer === layer) ?? false;

export type Reading = Pick<ContextRequest, "find" | "history" | "shownFrom">;

/** The layer's texts behind results that are sent, oldest first. Pure. */
export function findShownTexts(
  { find, history, shownFrom }: Reading,
  layer: string,
): { result: Result; extended: KnownDecision }[] {
  return history.results(shownFrom()).flatMap((result) => {
    const recorded = find(result.key);
    const extended = recorded?.extended?.find((one) => one.layer === layer);
    return extended?.text !== undefined && !recorded?.cleared ? [{ result, extended }] : [];
  });
}

/** The layer's texts behind messages and results from a message on that are not cleared, with what each stands behind. Pure. */
export function listExtended(
  { find, history }: Pick<Reading, "find" | "history">,
  layer: string,
  from: number,
): { index: number; key: DecisionKey; text: string }[] {
  const messages = [...history.messages.keys()].slice(from).flatMap((index) => {
    const key = history.keyOf(index);
    return key ? [{ index, day: key.day, key: key.key }] : [];
  });
  return [...messages, ...history.results(from)].flatMap(({ day, index, key }) => {
    const text = findExtended(find(key), layer);
    return text === undefined ? [] : [{ index, key: { day, key }, text }];
  });
}

/** What the layer has put behind a message or result, unless that is cleared. */
export function findExtended(recorded: RecordedDecisions | undefined, layer: string): string | undefined {
  return recorded?.cleared ? undefined : recorded?.extended?.find((one) => one.layer === layer)?.text;
}

/**
 * Revises the layer's texts that follow the first result cleared for this very request: the cache behind that result is
 * lost already. Texts that have not been sent yet stay. Pure.
 */
function planForgotten(request: Reading, layer: string): DatedDecision[] {
  const { find, history, shownFrom } = request;
  const sentMs = readAnsweredMs(history);
  if (sentMs === undefined) return [];
  // First, because few results have such a text.
  const recorded = findShownTexts(request, layer).filter(({ extended }) => extended.at <= sentMs);
  if (recorded.length === 0) return [];
  const isNew = (key: string): boolean => (find(key)?.cleared?.at ?? 0) > sentMs;
  const cleared = history
    .results(shownFrom())
    .find((result) => isNew(result.key) || isNew(readInputKey(result).key));
  if (!cleared) return [];
  return recorded
    .filter(({ result }) => result.index >= cleared.index)
    .map(({ result }) => decide(result, { outcome: "revised", of: "extended" }));
}

/**
 * Removes what a batch for this request lets go of the layer's texts behind results; returns whether that was anything.
 * The batch's line in the savings ledger accounts for the cache. Rejects if it cannot be recorded; then all stays.
 */
export async function forget(
  { decisions }: { decisions: Pick<Decisions, "record"> },
  { layer, request, signal }: { layer: string; request: ContextRequest; signal: AbortSignal },
): Promise<boolean> {
  const forgotten = planForgotten(request, layer);
  if (forgotten.length === 0) return false;
  await decisions.record(request.sessionID, layer, forgotten, signal);
  return true;
}
