/**
 * Puts text behind what has not been sent yet: a user's message or a result. The decision is on disk before a request
 * shows it, and the savings ledger then says why a request begins in another way when the machine state is deleted.
 */
import type { DecisionKey } from "../conversation/keys.js";
import type { Savings } from "../record/savings.js";
import { type DatedDecision, type Decisions, decide } from "./decisions.js";

/** Text, and the message or result behind which it stands from now on. */
export interface Addition {
  behind: DecisionKey;
  text: string;
}

export interface Extension {
  sessionID: string;
  /** In whose name. */
  layer: string;
  additions: readonly Addition[];
  /** Aborted when the request goes without them: then they never count. */
  signal: AbortSignal;
}

/** Whether there is something to show. Rejects when it cannot be recorded; then there is no line in the ledger either. */
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

/** One line in the ledger, for additions recorded in several names. */
export function noteExtended(
  savings: Pick<Savings, "record">,
  { count, layer, sessionID }: { sessionID: string; layer: string; count: number },
): void {
  savings.record({ session: sessionID, layer, event: "extended", results: count });
}
