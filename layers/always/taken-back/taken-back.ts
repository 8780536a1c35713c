/**
 * Removes what the user takes back, by undoing a turn or by removing or rewriting a message.
 *
 *     an event of the host   notes are learned again from what is left, memories are archived or restored
 *     before each request    the same if its messages show an undo, since events are missed while no host runs. Recorded
 *                            texts made of those words are revised: each layer plans its own, then one break goes into
 *                            the savings ledger, then the decisions, then the request
 *
 * Two layers, because the others are called in between.
 */
import { formatError } from "../../../src/base/error.js";
import { findColdReason } from "../../../src/context/cold.js";
import { estimateTokens } from "../../../src/context/context-size.js";
import type { ContextRequest } from "../../../src/context/request.js";
import { waitAtMost } from "../../../src/io/clock.js";
import type { Withdrawal } from "../../../src/kernel/hooks.js";
import type { Layer } from "../../../src/kernel/layer.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import { isStale } from "../../../src/notes/session.js";
import { createFollowing } from "./following.js";

const LAYER = "taken-back";
const LOADED_WITHIN_MS = 250;

export interface TakenBackOptions extends LayerContext {
  /** Marks the request's break as recorded. */
  explain(request: ContextRequest): void;
}

export function createTakenBack(context: TakenBackOptions): Record<"learns" | "records", Layer> {
  const { clock, decisions, log, notes } = context;
  /** Number of changes by undos. */
  let version = 0;
  /** By session: the version it was last checked for. */
  const checked = new Map<string, number>();
  const following = createFollowing({
    ...context,
    layer: LAYER,
    onChange() {
      version++;
    },
  });

  return {
    learns: {
      name: LAYER,
      phase: "before",
      withinMs: { takenBack: 2_000 },
      handlers: {
        async takenBack(request) {
          await following.follow(request, checked.has(request.sessionID));
          // Taken before the layers are asked: what changes after that has to be looked through again.
          const lookedAt = version;
          if (checked.get(request.sessionID) === lookedAt) return undefined;
          // Not waited for longer: the next request checks again.
          const days = request.history.days;
          const loaded = await waitAtMost(clock, LOADED_WITHIN_MS, () => decisions.load(days));
          if (loaded.kind === "failed")
            log.error(LAYER, `cannot read decisions: ${formatError(loaded.thrown)}`);
          if (loaded.kind !== "done") return undefined;
          const taken = await notes.takenBack(request.sessionID);
          const none: Withdrawal["revisions"] = [];
          return {
            isStale: (madeMs) => isStale(taken, madeMs),
            memories: following.away(),
            revisions: none,
            version: lookedAt,
          };
        },
        event(event) {
          following.onEvent(event);
          return undefined;
        },
      },
    },
    records: {
      name: `${LAYER}-record`,
      phase: "after",
      handlers: {
        async takenBack(request, withdrawal, signal) {
          if (!withdrawal) return undefined;
          const { isIncomplete, revisions } = withdrawal;
          if (revisions.length > 0) await recordBreak(request, revisions, { ...context, signal });
          if (!isIncomplete) checked.set(request.sessionID, withdrawal.version);
          return undefined;
        },
      },
    },
  };
}

/* Records revisions: one break in the savings ledger, then the decisions. */

type Revisions = Withdrawal["revisions"];

const REASON = "the user took a message back that this was made of";

/** Rejects if it cannot be recorded, or if the signal is aborted before the ledger is written. */
async function recordBreak(
  request: ContextRequest,
  revisions: Revisions,
  { clock, config, decisions, explain, log, savings, signal }: TakenBackOptions & { signal: AbortSignal },
): Promise<void> {
  const { history, model, sessionID } = request;
  const isCold = findColdReason(history, model, clock.now(), config.microCompact) !== undefined;
  const cacheLost = isCold ? 0 : countTokensFrom(request, revisions);
  signal.throwIfAborted();
  await savings.recordNow({
    session: sessionID,
    layer: LAYER,
    event: "break",
    reason: REASON,
    results: revisions.length,
    cacheLost,
  });
  explain(request);
  for (const layer of new Set(revisions.map((one) => one.layer))) {
    const ours = revisions.filter((one) => one.layer === layer).map(({ layer: _, ...one }) => one);
    await decisions.record(sessionID, layer, ours, signal);
  }
  log.info(LAYER, `the prompt cache of ${sessionID} breaks: ${REASON}`);
}

/** Tokens shown from the first revised message or result on. */
function countTokensFrom(request: ContextRequest, revisions: Revisions): number {
  const { history } = request;
  const from = request.shownFrom();
  const keys = new Set(revisions.map(({ key }) => key));
  const results = history.results(from).find(({ key }) => keys.has(key))?.index ?? history.messages.length;
  const messages = history.messages.findIndex((_, n) => n >= from && keys.has(history.keyOf(n)?.key ?? ""));
  const first = messages === -1 ? results : Math.min(messages, results);
  const shown = request.show();
  return estimateTokens(shown.slice(Math.max(0, shown.length - (history.messages.length - first))));
}
