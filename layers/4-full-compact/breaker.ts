/**
 * A session's circuit breaker: stops the host from summarising when that does not help. Pure; `breakers.ts` keeps the
 * states. It does not stop cuts of the history, which make no model call and happen only if they free much.
 *
 *     closed ── `limit` failures, poor summaries or refills in a row, or a floor above the window ──▶ open
 *     open   ── a manual compaction, one that helped, or a context that fits again ──▶ closed
 */
export interface BreakerState {
  /** Consecutive summaries that failed, freed less than a tenth, or were needed again within a few answers. */
  failures: number;
  poor: number;
  refills: number;
  /** Answers since the last summary; `undefined` before the first. */
  answersSince?: number;
  /** Why the breaker is open, for people. */
  open?: string;
  /** Whether it is open because not even the smallest request fits. */
  isFloor?: boolean;
}

export type BreakerEvent =
  /** `fits`: request and answer were within the window's usable tokens. */
  | { kind: "answered"; fits: boolean }
  /** `attempts`: number of tries at one summary; default 1. */
  | { kind: "failed"; why: string; attempts?: number }
  | { kind: "compacted"; freedShare: number; isManual: boolean }
  /** System prompt and tools alone exceed the window. */
  | { kind: "floor"; why: string };

export const CLOSED: BreakerState = { failures: 0, poor: 0, refills: 0 };

/** A compaction that frees a smaller share counts as poor. */
export const LEAST_FREED_SHARE = 0.1;
/** A summary needed again within this many answers counts as a refill. */
const REFILL_WITHIN_ANSWERS = 3;

/** The state after an event; the same object if nothing changed. */
export function nextState(state: BreakerState, event: BreakerEvent, limit: number): BreakerState {
  switch (event.kind) {
    case "answered":
      if (state.isFloor && event.fits) return CLOSED;
      return state.answersSince === undefined ? state : { ...state, answersSince: state.answersSince + 1 };
    case "floor":
      return state.open === undefined ? { ...state, open: event.why, isFloor: true } : state;
    case "failed": {
      const failures = state.failures + (event.attempts ?? 1);
      const why = `${failures} attempts at a summary in a row failed, the last with: ${event.why}`;
      return { ...state, failures, ...(failures >= limit && { open: state.open ?? why }) };
    }
    case "compacted":
      return afterCompaction(state, event, limit);
  }
}

function afterCompaction(
  state: BreakerState,
  { freedShare, isManual }: Extract<BreakerEvent, { kind: "compacted" }>,
  limit: number,
): BreakerState {
  const isPoor = freedShare < LEAST_FREED_SHARE;
  if (isManual || (state.open !== undefined && !isPoor)) return { ...CLOSED, answersSince: 0 };
  const isRefill = state.answersSince !== undefined && state.answersSince <= REFILL_WITHIN_ANSWERS;
  const poor = isPoor ? state.poor + 1 : 0;
  const refills = isRefill ? state.refills + 1 : 0;
  const open = state.open ?? explain(poor, refills, limit);
  return { failures: 0, poor, refills, answersSince: 0, ...(open !== undefined && { open }) };
}

function explain(poor: number, refills: number, limit: number): string | undefined {
  if (poor >= limit) return `${poor} summaries in a row freed less than a tenth of the context`;
  if (refills < limit) return undefined;
  return `${refills} times in a row the context was full again within ${REFILL_WITHIN_ANSWERS} answers of a summary`;
}
