/**
 * Keeps each session's breaker in `<state>/breakers/<sessionID>.json`, so that an open one stays open after a restart.
 * Announces when one opens or closes. A state that cannot be read counts as closed; one that cannot be written is known
 * only to this instance.
 */
import { join } from "node:path";
import { formatError } from "../../src/base/error.js";
import { count, isRecord } from "../../src/base/shape.js";
import { createStateFile, formatState } from "../../src/io/state-file.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";

export interface Breakers {
  /**
   * Call when a turn begins: allows or stops the host's automatic compaction. The host retries a failed summary in
   * every turn, whatever that setting is, so while the breaker is open the failed messages are removed.
   */
  apply(sessionID: string): Promise<void>;
  hear(sessionID: string, event: BreakerEvent): Promise<void>;
  /** The session is idle or deleted: its breaker no longer keeps the host from compacting other sessions. */
  leave(sessionID: string): void;
}

const LAYER = "full-compact";
const UNSTOPPABLE =
  "This OpenCode lets no plugin switch them off: start a new session, or set compaction.auto to false";

export function createBreakers(context: LayerContext): Breakers {
  const { config, files, folders, host, log, toasts } = context;
  const states = new Map<string, Promise<BreakerState>>();
  /** Sessions at work, and whether the breaker of each is open: the host has one switch for all of them. */
  const atWork = new Map<string, boolean>();
  const stored = createStateFile({
    files,
    parse: (text) => parseState(JSON.parse(text)),
    format: ({ answersSince: _, ...state }: BreakerState) => formatState(state),
    fresh: CLOSED,
    complain: { log, source: LAYER, anew: "automatic summaries count as on" },
  });
  const pathOf = (sessionID: string): string => join(folders.breakers, `${sessionID}.json`);

  return {
    async apply(sessionID) {
      enter(sessionID);
      const { failures, open } = await load(sessionID);
      follow(sessionID, open !== undefined);
      if (open !== undefined && failures > 0) await host.removeFailedCompactions(sessionID);
    },

    async hear(sessionID, event) {
      enter(sessionID);
      const earlier = load(sessionID);
      const next = earlier.then((state) => nextState(state, event, config.autoCompact.retryLimit));
      states.set(sessionID, next);
      const [before, after] = [await earlier, await next];
      if (isSame(before, after)) return;
      // Before the disk: the host may decide on the next summary at once.
      if (before.open !== after.open) follow(sessionID, after.open !== undefined);
      await save(sessionID, after);
      if (before.open !== after.open) announce(sessionID, after.open);
    },

    leave(sessionID) {
      if (atWork.delete(sessionID)) switchHost();
    },
  };

  function enter(sessionID: string): void {
    atWork.set(sessionID, atWork.get(sessionID) ?? false);
  }

  /** A session that has left while its state was read or written stays out. */
  function follow(sessionID: string, isOpen: boolean): void {
    if (atWork.has(sessionID)) atWork.set(sessionID, isOpen);
    switchHost();
  }

  function switchHost(): void {
    host.setAutoCompaction(![...atWork.values()].includes(true));
  }

  function load(sessionID: string): Promise<BreakerState> {
    const known = states.get(sessionID) ?? stored.read(pathOf(sessionID));
    states.set(sessionID, known);
    return known;
  }

  async function save(sessionID: string, state: BreakerState): Promise<void> {
    await stored
      .write(pathOf(sessionID), state)
      .catch((thrown) => log.warn(LAYER, `cannot write ${pathOf(sessionID)}: ${formatError(thrown)}`));
  }

  /** In the log and on the screen. `why`: the reason of an open breaker; `undefined` if it has closed. */
  function announce(sessionID: string, why: string | undefined): void {
    const canStop = host.canStopCompaction !== false;
    if (why === undefined) {
      if (!canStop) return;
      log.info(LAYER, `automatic summaries are on again for ${sessionID}`);
      toasts.show("automatic summaries are on again for this session.", "info");
      return;
    }
    const [what, how] = canStop
      ? ["are off for", "/compact turns them on again"]
      : ["do not help in", UNSTOPPABLE];
    log.error(LAYER, `automatic summaries ${what} ${sessionID}: ${why}. ${how}`);
    toasts.show(`automatic summaries ${what} this session: ${why}. ${how}.`, "warning");
  }
}

function parseState(value: unknown): BreakerState {
  if (!isRecord(value)) return CLOSED;
  const countOf = (field: unknown): number => (count(field) ? field : 0);
  return {
    failures: countOf(value.failures),
    poor: countOf(value.poor),
    refills: countOf(value.refills),
    ...(typeof value.open === "string" && { open: value.open }),
    ...(value.isFloor === true && { isFloor: true }),
  };
}

/** Ignores the answer count, which is kept in memory only. */
function isSame(a: BreakerState, b: BreakerState): boolean {
  return a.failures === b.failures && a.poor === b.poor && a.refills === b.refills && a.open === b.open;
}

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
