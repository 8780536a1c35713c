/**
 * A session's circuit breaker stops the host from summarising when that does not help. It does not stop cuts of the
 * history, which make no model call and happen only if they free much.
 *
 *     closed ── `limit` failures, poor summaries or refills in a row, or a floor above the window ──▶ open
 *     open   ── a manual compaction, one that helped, or a context that fits again ──▶ closed
 *
 * The state is kept in `<state>/breakers/<sessionID>.json`, so that an open breaker stays open after a restart. One that
 * cannot be read counts as closed; one that cannot be written is known only to this instance.
 *
 * The watch reports the outcome of the host's own compactions to the breaker. It aborts one that the provider keeps
 * refusing or never answers, since it would block the user's turn for ever.
 */

import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { formatError } from "../../src/base/error.js";
import { count, each, isRecord, object, oneOf, optional, parserOf, string } from "../../src/base/shape.js";
import { countUsableTokens } from "../../src/context/request.js";
import { findEventSession, type HostEvent, type ModelWindow } from "../../src/io/host.js";
import type { MessageInfo } from "../../src/io/message.js";
import { formatState, readState } from "../../src/io/state-file.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { countReportedTokens, isEnded } from "../../src/messages/history.js";

export interface BreakerState {
  /** Consecutive summaries that failed, freed less than a tenth, or were needed again within a few answers. */
  failures: number;
  poor: number;
  refills: number;
  /** Answers since the last summary, kept in memory only; `undefined` before the first. */
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
  | { kind: "failed"; why: string; attempts?: number | undefined }
  | { kind: "compacted"; freedShare: number; isManual: boolean }
  /** System prompt and tools alone exceed the window. */
  | { kind: "floor"; why: string };

export const CLOSED: BreakerState = { failures: 0, poor: 0, refills: 0 };

/** A compaction that frees a smaller share counts as poor. */
export const LEAST_FREED_SHARE = 0.1;
/** A summary needed again within this many answers counts as a refill. */
const REFILL_WITHIN_ANSWERS = 3;

/** The state after an event; the same object if nothing changed. Pure. */
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
    case "compacted": {
      const isPoor = event.freedShare < LEAST_FREED_SHARE;
      if (event.isManual || (state.open !== undefined && !isPoor)) return { ...CLOSED, answersSince: 0 };
      const poor = isPoor ? state.poor + 1 : 0;
      const refills =
        (state.answersSince ?? Number.POSITIVE_INFINITY) <= REFILL_WITHIN_ANSWERS ? state.refills + 1 : 0;
      const open = state.open ?? explain(poor, refills, limit);
      return { failures: 0, poor, refills, answersSince: 0, ...(open !== undefined && { open }) };
    }
  }
}

function explain(poor: number, refills: number, limit: number): string | undefined {
  if (poor >= limit) return `${poor} summaries in a row freed less than a tenth of the context`;
  if (refills < limit) return undefined;
  return `${refills} times in a row the context was full again within ${REFILL_WITHIN_ANSWERS} answers of a summary`;
}

const parseState = parserOf(
  object<BreakerState>({
    ...each(count, "failures", "poor", "refills"),
    ...{ open: optional(string), isFloor: optional(oneOf([true, false])), answersSince: optional(count) },
  }),
);

const LAYER = "full-compact";

export type Breakers = ReturnType<typeof createBreakers>;

export function createBreakers(context: LayerContext) {
  const { config, files, folders, host, log } = context;
  const states = new Map<string, Promise<BreakerState>>();
  /** Sessions at work, and whether the breaker of each is open: the host has one switch for all of them. */
  const atWork = new Map<string, boolean>();
  const complaint = { log, source: LAYER, anew: "automatic summaries count as on" };
  const pathOf = (sessionID: string): string => join(folders.breakers, `${sessionID}.json`);

  return {
    /**
     * Call when a turn begins: allows or stops the host's automatic compaction. The host retries a failed summary in every
     * turn, whatever that setting is, so while the breaker is open the failed messages are removed.
     */
    async apply(sessionID: string): Promise<void> {
      const { failures, open } = await load(sessionID);
      follow(sessionID, open !== undefined);
      if (open !== undefined && failures > 0) await host.removeFailedCompactions(sessionID);
    },

    async record(sessionID: string, event: BreakerEvent): Promise<void> {
      const earlier = load(sessionID);
      const next = earlier.then((state) => nextState(state, event, config.autoCompact.retryLimit));
      states.set(sessionID, next);
      const [before, after] = [await earlier, await next];
      // The answers since are counted in memory only.
      const isSame = isDeepStrictEqual({ ...before, answersSince: 0 }, { ...after, answersSince: 0 });
      if (isSame) return;
      // Before the disk: the host may decide on the next summary at once.
      if (before.open !== after.open) follow(sessionID, after.open !== undefined);
      const { answersSince: _, ...state } = after;
      await files
        .writeWhole(pathOf(sessionID), formatState(state))
        .catch((thrown) => log.warn(LAYER, `cannot write ${pathOf(sessionID)}: ${formatError(thrown)}`));
      if (before.open !== after.open) announce(context, sessionID, after.open);
    },

    /** The session is idle or deleted: its breaker no longer keeps the host from compacting other sessions. */
    leave(sessionID: string): void {
      if (atWork.delete(sessionID)) switchHost();
    },
  };

  function load(sessionID: string): Promise<BreakerState> {
    atWork.set(sessionID, atWork.get(sessionID) ?? false);
    const known = states.get(sessionID) ?? read(sessionID);
    states.set(sessionID, known);
    return known;
  }

  async function read(sessionID: string): Promise<BreakerState> {
    return (await readState(files, pathOf(sessionID), parseState, complaint)) ?? CLOSED;
  }

  /** A session that has left while its state was read or written stays out. */
  function follow(sessionID: string, isOpen: boolean): void {
    if (atWork.has(sessionID)) atWork.set(sessionID, isOpen);
    switchHost();
  }

  function switchHost(): void {
    host.setAutoCompaction(![...atWork.values()].includes(true));
  }
}

/** In the log and on the screen. `why`: the reason of an open breaker; `undefined` if it has closed. */
function announce({ host, log, toasts }: LayerContext, sessionID: string, why: string | undefined): void {
  const canStop = host.canStopCompaction !== false;
  if (why === undefined) {
    if (!canStop) return;
    log.info(LAYER, `automatic summaries are on again for ${sessionID}`);
    toasts.show("automatic summaries are on again for this session.", "info");
    return;
  }
  const [what, how] = canStop
    ? ["are off for", "/compact turns them on again"]
    : [
        "do not help in",
        "This OpenCode lets no plugin switch them off: start a new session, or set compaction.auto to false",
      ];
  log.error(LAYER, `automatic summaries ${what} ${sessionID}: ${why}. ${how}`);
  toasts.show(`automatic summaries ${what} this session: ${why}. ${how}.`, "warning");
}

export function createCompactionWatch({ clock, config, host, toasts }: LayerContext, breakers: Breakers) {
  const { retryLimit, summaryTimeout } = config.autoCompact;
  /** Running compactions by session, each with the function that cancels its deadline. */
  const running = new Map<string, () => void>();
  const windows = new Map<string, ModelWindow>();

  return {
    /** Call when the host is about to summarise the session. */
    begin(sessionID: string): void {
      end(sessionID);
      const giveUp = () => void abort(sessionID, `no summary after ${formatDuration(summaryTimeout)}`);
      running.set(sessionID, clock.after(summaryTimeout, giveUp));
    },

    noteWindow: (sessionID: string, window: ModelWindow): void => void windows.set(sessionID, window),

    async observe({ type, properties }: HostEvent): Promise<void> {
      const { error, info, sessionID, status } = properties;
      const left = findEventSession(properties);
      if ((type === "session.idle" || type === "session.deleted") && left !== undefined) breakers.leave(left);
      if (type === "message.updated" && isEnded(info) && info.summary !== true)
        return breakers.record(info.sessionID, { kind: "answered", fits: fits(info) });
      if (typeof sessionID !== "string" || !running.has(sessionID)) return;
      switch (type) {
        // Idle without a summary: the user aborted it. End the watch, so that the next turn is not aborted by us.
        case "session.compacted":
        case "session.deleted":
        case "session.idle":
          end(sessionID);
          break;
        case "session.error":
          if (isRecord(error) && error.name === "MessageAbortedError") end(sessionID);
          else await fail(sessionID, describeError(error));
          break;
        case "session.status":
          if (isRetry(status) && status.attempt >= retryLimit)
            await abort(sessionID, String(status.message), status.attempt);
      }
    },

    /** Stops all deadlines. */
    end(): void {
      for (const sessionID of [...running.keys()]) end(sessionID);
    },
  };

  function fits({ sessionID, tokens }: MessageInfo): boolean {
    const window = windows.get(sessionID);
    return window !== undefined && countReportedTokens(tokens) < countUsableTokens(window);
  }

  function end(sessionID: string): boolean {
    running.get(sessionID)?.();
    return running.delete(sessionID);
  }

  async function fail(sessionID: string, why: string, attempts?: number): Promise<void> {
    if (end(sessionID)) await breakers.record(sessionID, { kind: "failed", why, attempts });
  }

  async function abort(sessionID: string, why: string, attempts?: number): Promise<void> {
    if (!running.has(sessionID)) return;
    await fail(sessionID, why, attempts);
    host.abortSession(sessionID);
    const what = `the session could not be compacted (${why})`;
    toasts.show(`${what}. You can send your last message again.`, "warning");
  }
}

const isRetry = (status: unknown): status is { attempt: number; message?: unknown } =>
  isRecord(status) && status.type === "retry" && typeof status.attempt === "number";

const formatDuration = (ms: number): string =>
  ms < 60_000 ? `${ms / 1_000} s` : `${Math.round(ms / 6_000) / 10} minutes`;

function describeError(error: unknown): string {
  if (!isRecord(error)) return "an error";
  const message = isRecord(error.data) ? error.data.message : undefined;
  return `${String(error.name)}: ${String(message)}`.slice(0, 300);
}
