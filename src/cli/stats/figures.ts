/** Sums the savings ledger by request, session and day. Pure. */
import { findCounted, type SavingsRecord, type SavingsTotals, sumSavings } from "../../record/savings.js";
import { formatLocalDayOf, sumRecords, toSaving } from "../../screen/ledger-sums.js";
import type { Saving } from "../../screen/session-screen.js";

export interface RequestFigures {
  /** Tokens, counted by the provider. */
  sent: number;
  /** Tokens that it would have had in addition; an estimate. */
  keptOut: number;
}

export interface SessionFigures {
  sessionID: string;
  title?: string;
  /** ISO 8601. */
  lastUsed: string;
  requests: readonly RequestFigures[];
  /** Numbers, from 1, of the first requests after history was replaced. */
  replacements: readonly number[];
  saved: Saving;
  totals: SavingsTotals;
}

export interface DayFigures {
  /** YYYY-MM-DD, local time. */
  day: string;
  saved: Saving;
  totals: SavingsTotals;
}

export interface Figures {
  saved: Saving;
  totals: SavingsTotals;
  /** Newest first. */
  sessions: readonly SessionFigures[];
  /** Oldest first, without days that have no records. */
  days: readonly DayFigures[];
}

export function sumFigures(
  ledger: ReadonlyMap<string, readonly SavingsRecord[]>,
  titles: ReadonlyMap<string, string> = new Map(),
): Figures {
  const all = [...ledger.values()].flat();
  const days = new Map<string, SavingsRecord[]>();
  for (const record of all) {
    const day = formatLocalDayOf(record) ?? record.time.slice(0, 10);
    const known = days.get(day);
    if (known) known.push(record);
    else days.set(day, [record]);
  }
  return {
    ...sumUp(all),
    sessions: [...ledger]
      .map(([sessionID, records]) => describeSession(sessionID, records, titles.get(sessionID)))
      .sort((a, b) => b.lastUsed.localeCompare(a.lastUsed)),
    days: [...days]
      .map(([day, records]) => ({ day, ...sumUp(records) }))
      .sort((a, b) => a.day.localeCompare(b.day)),
  };
}

function sumUp(records: readonly SavingsRecord[]): { saved: Saving; totals: SavingsTotals } {
  return { saved: toSaving(sumRecords(records)), totals: sumSavings(records) };
}

function describeSession(
  sessionID: string,
  records: readonly SavingsRecord[],
  title: string | undefined,
): SessionFigures {
  const requests: RequestFigures[] = [];
  const replacements = new Set<number>();
  for (const { event, keptOut = 0, results, sent } of findCounted(records)) {
    const isReplacement = (event === "cut" || event === "compacted") && results !== 0;
    if (isReplacement) replacements.add(requests.length + 1);
    if (event === "answer" && sent !== undefined) requests.push({ sent, keptOut });
  }
  return {
    sessionID,
    ...(title !== undefined && { title }),
    lastUsed: records.at(-1)?.time ?? "",
    requests,
    replacements: [...replacements].filter((request) => request <= requests.length),
    ...sumUp(records),
  };
}

/** Mean size of a request, with and without Strata; `undefined` without a request. */
export function findMeanContext(
  sessions: readonly Pick<SessionFigures, "requests">[],
): { now: number; without: number } | undefined {
  const requests = sessions.flatMap((session) => session.requests);
  if (requests.length === 0) return undefined;
  const sum = (count: (request: RequestFigures) => number): number =>
    requests.reduce((total, request) => total + count(request), 0) / requests.length;
  return { now: sum(({ sent }) => sent), without: sum(({ keptOut, sent }) => sent + keptOut) };
}
