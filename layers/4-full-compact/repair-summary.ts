import { formatCount } from "../../src/base/format.js";
import { findColdReason } from "../../src/context/cold.js";
import { CHARACTERS_PER_TOKEN, estimateTokens } from "../../src/context/context-size.js";
import type { Decision } from "../../src/context/decision-batch.js";
import { decide } from "../../src/context/decisions.js";
import { replay, withNotes } from "../../src/context/replay.js";
import type { ContextRequest } from "../../src/context/request.js";
import type { Message } from "../../src/io/message.js";
import type { Withdrawal } from "../../src/kernel/hooks.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { isManualSummary, isSummary } from "../../src/messages/history.js";
import type { Breakers } from "./breakers.js";
import { composeCut } from "./cut-text.js";
import { planCut } from "./plan-cut.js";
import { composeSummary } from "./summary.js";

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

/** Rewrites the texts that replace history and the host's summary without what the user has taken back since. */
export type ReviseHistory = (
  request: ContextRequest,
  withdrawal: Withdrawal,
) => Promise<Withdrawal | undefined>;

export function createReviseHistory(context: LayerContext): ReviseHistory {
  return async (request, withdrawal) => {
    const found = [await reviseCut(request, withdrawal), await reviseSummary(request, withdrawal)];
    const revisions = found.flatMap((one) => (one ? [{ ...one, layer: LAYER }] : []));
    if (revisions.length === 0) return undefined;
    return { ...withdrawal, revisions: [...withdrawal.revisions, ...revisions] };
  };

  async function reviseCut(request: ContextRequest, { isStale }: Withdrawal) {
    const { find, history } = request;
    const index = request.shownFrom();
    const key = index > 0 ? history.keyOf(index) : undefined;
    const cut = key && find(key.key)?.cut;
    if (!key || !cut || !isStale(cut.at)) return undefined;
    const tailTokens = estimateTokens(history.messages.slice(index));
    const text = await composeCut(context, request, { index, tailTokens });
    return text === cut.text ? undefined : decide(key, { outcome: "revised", of: "cut", text });
  }

  async function reviseSummary(request: ContextRequest, { isStale }: Withdrawal) {
    const { find, history } = request;
    const index = history.messages.findLastIndex(isSummary);
    const [summary, key] = [history.messages[index], history.keyOf(index)];
    const rewritten = key && find(key.key)?.rewritten;
    if (!summary || !key || !rewritten || !isStale(rewritten.at)) return undefined;
    const { text } = await composeSummary(context, request, summary);
    return text === rewritten.text ? undefined : decide(key, { outcome: "revised", of: "rewritten", text });
  }
}

/** Shortens the messages of a summary request; `undefined` if there is nothing to shorten. */
export type ShortenHistory = (
  request: ContextRequest,
  view: readonly Message[],
) => Promise<readonly Message[] | undefined>;

const NOTES_SHARE_OF_BUDGET = 0.2;
const TAIL_SHARE_OF_BUDGET = 0.5;

/**
 * For a history too long to summarise: the host sends the summarising model everything it has stored, including what
 * notes have long replaced in other requests. The model gets the notes and the tail instead. Records nothing, since the
 * request is made only once.
 */
export function createShortenHistory({ notes }: Pick<LayerContext, "notes">): ShortenHistory {
  return async ({ budgetTokens, sessionID }, view) => {
    const candidates = view.map((message) => ({
      tokens: estimateTokens([message]),
      isUser: message.info.role === "user",
    }));
    const at = planCut(candidates, {
      leastTail: 0,
      mostTail: Math.floor(budgetTokens * TAIL_SHARE_OF_BUDGET),
      latest: view.length - 1,
    });
    if (at === undefined) return undefined;
    const maxCharacters = Math.floor(budgetTokens * NOTES_SHARE_OF_BUDGET * CHARACTERS_PER_TOKEN);
    const written = (await notes.formatForModel(sessionID, { maxCharacters })) ?? "There are no notes.";
    const text = `[Strata] The conversation is too long to be summarised as a whole. These notes stand for its beginning, and what stands in them belongs into the summary.\n\n${written}`;
    return withNotes(view.slice(at), view[0], text);
  };
}
