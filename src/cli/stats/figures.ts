/** Sums the savings ledger by request, session and day. Pure. */
import { findCounted, type SavingsRecord, type SavingsTotals, sumSavings } from "../../record/savings.js";

export interface RequestFigures {
  /** Tokens, counted by the provider. */
  sent: number;
  /** Tokens that it would have had in addition; an estimate. */
  keptOut: number;
}

export interface SessionFigures {
  sessionID: string;
  /** ISO 8601. */
  lastUsed: string;
  requests: readonly RequestFigures[];
  /** Numbers, from 1, of the first requests after history was replaced. */
  replacements: readonly number[];
  totals: SavingsTotals;
}

export interface DayFigures {
  /** YYYY-MM-DD, UTC. */
  day: string;
  totals: SavingsTotals;
}

export interface Figures {
  totals: SavingsTotals;
  /** Newest first. */
  sessions: readonly SessionFigures[];
  /** Oldest first, without days that have no records. */
  days: readonly DayFigures[];
}

export function sumFigures(ledger: ReadonlyMap<string, readonly SavingsRecord[]>): Figures {
  const all = [...ledger.values()].flat();
  const days = new Map<string, SavingsRecord[]>();
  for (const record of all) {
    const day = record.time.slice(0, 10);
    const known = days.get(day);
    if (known) known.push(record);
    else days.set(day, [record]);
  }
  return {
    totals: sumSavings(all),
    sessions: [...ledger]
      .map(([sessionID, records]) => describeSession(sessionID, records))
      .sort((a, b) => b.lastUsed.localeCompare(a.lastUsed)),
    days: [...days]
      .map(([day, records]) => ({ day, totals: sumSavings(records) }))
      .sort((a, b) => a.day.localeCompare(b.day)),
  };
}

function describeSession(sessionID: string, records: readonly SavingsRecord[]): SessionFigures {
  const requests: RequestFigures[] = [];
  const replacements = new Set<number>();
  for (const { event, keptOut = 0, results, sent } of findCounted(records)) {
    const isReplacement = (event === "cut" || event === "compacted") && results !== 0;
    if (isReplacement) replacements.add(requests.length + 1);
    if (event === "answer" && sent !== undefined) requests.push({ sent, keptOut });
  }
  return {
    sessionID,
    lastUsed: records.at(-1)?.time ?? "",
    requests,
    replacements: [...replacements].filter((request) => request <= requests.length),
    totals: sumSavings(records),
  };
}
