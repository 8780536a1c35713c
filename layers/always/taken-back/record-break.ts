/** Records revisions: one break in the savings ledger, then the decisions. */

import { findColdReason } from "../../../src/context/cold.js";
import { estimateTokens } from "../../../src/context/context-size.js";
import type { ContextRequest } from "../../../src/context/request.js";
import type { Withdrawal } from "../../../src/kernel/hooks.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";

export interface BreakRecordOptions
  extends Pick<LayerContext, "clock" | "config" | "decisions" | "log" | "savings"> {
  /** Marks the request's break as recorded. */
  explain(request: ContextRequest): void;
  layer: string;
}

type Revisions = Withdrawal["revisions"];

const REASON = "the user took a message back that this was made of";

/** Rejects if it cannot be recorded, or if the signal is aborted before the ledger is written. */
export async function recordBreak(
  request: ContextRequest,
  revisions: Revisions,
  options: BreakRecordOptions & { signal: AbortSignal },
): Promise<void> {
  const { clock, config, decisions, explain, layer: source, log, savings, signal } = options;
  const { history, model, sessionID } = request;
  const isCold = findColdReason(history, model, clock.now(), config.microCompact) !== undefined;
  const cacheLost = isCold ? 0 : countTokensFrom(request, revisions);
  signal.throwIfAborted();
  await savings.recordNow({
    session: sessionID,
    layer: source,
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
  log.info(source, `the prompt cache of ${sessionID} breaks: ${REASON}`);
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
