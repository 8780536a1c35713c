import { formatCount } from "../../src/base/format.js";
import { findColdReason } from "../../src/context/cold.js";
import type { Decision } from "../../src/context/decision-batch.js";
import { decide } from "../../src/context/decisions.js";
import { replay } from "../../src/context/replay.js";
import type { ContextRequest } from "../../src/context/request.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { isManualSummary, isSummary } from "../../src/messages/history.js";
import type { Breakers } from "./breakers.js";
import { composeSummary } from "./summary-text.js";

/**
 * Makes sure that the host's summary contains what must not be lost. A summary that was already sent unchanged stays so
 * while it is cached. Rejects if the repair cannot be recorded or the signal is aborted first.
 */
export type RepairSummary = (request: ContextRequest, signal: AbortSignal) => Promise<void>;

export interface RepairSummaryOptions extends LayerContext {
  breakers: Breakers;
}

/** The repaired summary. */
interface Repaired {
  index: number;
  key: string;
  /** Whether there is no answer after it yet. */
  isFresh: boolean;
  /** What will stand for it. */
  rewritten: Decision;
}

const LAYER = "full-compact";

export function createRepairSummary(context: RepairSummaryOptions): RepairSummary {
  const { breakers, clock, config, decisions, log, notes, savings, sizes } = context;
  /** Tokens freed, by session and summary: another attempt at the records says the same. The breaker has heard of these. */
  const freedBy = new Map<string, number>();

  return async (request, signal) => {
    const { history, sessionID } = request;
    await decisions.load(history.days);
    const index = history.messages.findLastIndex(isSummary);
    const [message, key] = [history.messages[index], history.keyOf(index)];
    if (!message || !key || request.find(key.key)?.rewritten) return;
    const isFresh = history.freshSummary !== -1;
    const isCold = findColdReason(history, request.model, clock.now(), config.microCompact) !== undefined;
    if (!isFresh && !isCold) return;
    await notes.learn(sessionID, history.messages);
    const { checked, text } = await composeSummary(context, request, message);
    const rewritten = decide(key, { outcome: "rewritten", text });
    await account(request, { index, key: key.key, isFresh, rewritten });
    await decisions.record(sessionID, LAYER, [rewritten], signal);
    const what =
      checked.problem === undefined
        ? `appended ${formatCount(checked.missing.length)} missing facts to its summary`
        : `replaced its unusable summary with notes (${checked.problem})`;
    log.info(LAYER, `the host compacted ${sessionID}; ${what}`);
  };

  async function account(request: ContextRequest, repaired: Repaired): Promise<void> {
    const { sessionID } = request;
    const { key } = repaired;
    const freed = await findFreed(request, repaired);
    await savings.recordNow({
      session: sessionID,
      layer: LAYER,
      event: "compacted",
      reason: "the host has compacted the session",
      key,
      ...(freed !== undefined && { tokensFreed: Math.max(0, freed) }),
    });
  }

  /** Tells the breaker too, once. `undefined` for a compaction of before this start, about which nothing is known. */
  async function findFreed(
    request: ContextRequest,
    { index, isFresh, key, rewritten }: Repaired,
  ): Promise<number | undefined> {
    const { history, sessionID } = request;
    const name = `${sessionID} ${key}`;
    const before = isFresh ? sizes.lastTotal(sessionID) : undefined;
    if (freedBy.has(name) || before === undefined) return freedBy.get(name);
    const known = { ...rewritten, session: sessionID, layer: LAYER, at: clock.now() };
    const repaired = replay(history, (one) =>
      one === key ? { ...request.find(one), rewritten: known } : request.find(one),
    );
    const freed = before - request.estimateTokens(repaired);
    freedBy.set(name, freed);
    const isManual = isManualSummary(history.messages, index);
    await breakers.hear(sessionID, { kind: "compacted", freedShare: freed / before, isManual });
    return freed;
  }
}
