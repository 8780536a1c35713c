/**
 * Appends text to a user's message or a result that has not been sent yet. The decision is on disk before a request shows
 * it. The savings ledger has it, too, to explain a different prefix after machine state was deleted.
 */

import type { Savings } from "../costs/savings.js";
import type { DecisionKey } from "../messages/keys.js";
import { type DatedDecision, type Decisions, decide } from "./decisions.js";

/** Text, and the message or result that it follows from now on. */
export interface Addition {
  behind: DecisionKey;
  text: string;
}

export interface Extension {
  sessionID: string;
  /** Name of the layer. */
  layer: string;
  additions: readonly Addition[];
  /** Aborted if the request is sent without the additions: then they never count. */
  signal: AbortSignal;
}

/** Returns whether there is something to show. Rejects if it cannot be recorded; the ledger then has no line either. */
export async function extend(
  { decisions, savings }: { decisions: Pick<Decisions, "record">; savings: Pick<Savings, "record"> },
  { additions, layer, sessionID, signal }: Extension,
): Promise<boolean> {
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
