import { formatCount } from "../../src/base/format.js";
import { findColdReason } from "../../src/context/cold.js";
import { estimateTextTokens, estimateTokens } from "../../src/context/context-size.js";
import { decide } from "../../src/context/decisions.js";
import type { ContextRequest } from "../../src/context/request.js";
import { countUsableTokens } from "../../src/context/windows.js";
import { recordBefore } from "../../src/costs/savings.js";
import type { Message } from "../../src/io/message.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import type { DecisionKey } from "../../src/messages/history.js";
import { type Breakers, LEAST_FREED_SHARE } from "./breakers.js";
import { AFTER_SHARE_OF_BUDGET, composeCut, formatPinned } from "./cut-text.js";
import { planCut, planTail } from "./plan-cut.js";

/**
 * Cuts the history of a request that is too large and returns whether it did. Rejects if the notes cannot be written,
 * the cut cannot be recorded, or the signal is aborted first; the request is then sent unchanged.
 */
export type CutHistory = (
  request: ContextRequest,
  view: readonly Message[],
  signal: AbortSignal,
) => Promise<boolean>;

export interface CutHistoryOptions extends LayerContext {
  breakers: Breakers;
}

/** A planned cut with its gain and cost in tokens. */
interface Cut {
  key: DecisionKey;
  /** Index in the history. */
  index: number;
  text: string;
  tokensBefore: number;
  tokensFreed: number;
  cacheLost: number;
}

const LAYER = "full-compact";

export function createCutHistory(context: CutHistoryOptions): CutHistory {
  const { clock, config, decisions, log, notes, savings, sizes, toasts } = context;

  return async (request, view, signal) => {
    const { history, sessionID } = request;
    if (await isFloorTooHigh(context, request)) return false;
    await notes.learn(sessionID, history.messages);
    const cut = await plan(request, view);
    if (!cut) return false;
    if (cut.tokensFreed < cut.tokensBefore * LEAST_FREED_SHARE) return false;
    signal.throwIfAborted();
    await record(request, cut, signal);
    void context.background.add(() => context.checkpoints.keep(sessionID, "compaction"));
    return true;
  };

  async function plan(request: ContextRequest, view: readonly Message[]): Promise<Cut | undefined> {
    const { budgetTokens, history, sessionID } = request;
    const measure = (messages: readonly Message[]): number => sizes.measure(sessionID, messages);
    const from = request.shownFrom();
    const shown = view.slice(view.length - (history.messages.length - from));
    const tokens = shown.map((message) => measure([message]));
    const candidates = shown.map(({ info }, n) => ({ tokens: tokens[n] ?? 0, isUser: info.role === "user" }));
    const latest = findLatest(history.messages, history.lastAnswer) - from;
    const pinned = await formatPinned(context, request, history.messages.length);
    const tail = planTail(budgetTokens, {
      fixedTokens: sizes.fixedTokens(sessionID) + estimateTextTokens(pinned.text),
      share: AFTER_SHARE_OF_BUDGET,
    });
    // A user who asks for a cut wants room, so the shortest tail stays.
    const mostTail = request.isCutWanted ? tail.leastTail : tail.mostTail;
    const at = planCut(candidates, { ...tail, mostTail, latest });
    const key = at === undefined ? undefined : history.keyOf(from + at);
    if (at === undefined || !key) return undefined;
    const tailTokens = sum(tokens.slice(at));
    const text = await composeCut(context, request, { index: from + at, tailTokens });
    const isCold = findColdReason(history, request.model, clock.now(), config.microCompact) !== undefined;
    const tokensBefore = request.estimateTokens(view);
    const cachedTail = sum(tokens.slice(at, Math.max(at, history.lastAnswer - from)));
    const viewTokens = measure(view);
    const textTokens = Math.ceil(estimateTextTokens(text) * (viewTokens / Math.max(1, estimateTokens(view))));
    return {
      key,
      index: from + at,
      text,
      tokensBefore,
      tokensFreed: viewTokens - tailTokens - textTokens,
      // The text that replaces the history must be written to the cache; the history would have been read from it.
      cacheLost: isCold ? 0 : cachedTail + textTokens,
    };
  }

  async function record(
    request: ContextRequest,
    { cacheLost, index, key, text, ...cut }: Cut,
    signal: AbortSignal,
  ): Promise<void> {
    const { coldReturn, sessionID } = request;
    const reason = formatReason(request, cut.tokensBefore);
    const freed = `about ${formatCount(cut.tokensFreed)} tokens`;
    const saved = {
      session: sessionID,
      layer: LAYER,
      event: "cut",
      reason,
      key: `${sessionID} ${key.key}`,
      tokensFreed: cut.tokensFreed,
      cacheLost,
    };
    await recordBefore(savings, saved, () =>
      decisions.record(sessionID, LAYER, [decide(key, { outcome: "cut", text })], signal),
    );
    log.info(
      LAYER,
      `notes replace the first ${index} messages of ${sessionID} (${reason}): ${freed} free, ` +
        `${formatCount(cacheLost)} cached tokens to be written again`,
    );
    if (coldReturn !== undefined)
      toasts.show(`notes now replace the first ${index} messages, ${freed} fewer (${coldReturn}).`, "info");
  }
}

/** Opens the breaker if system prompt and tools alone exceed the window, since no summary would help. */
async function isFloorTooHigh(
  { breakers, sizes }: Pick<CutHistoryOptions, "breakers" | "sizes">,
  { sessionID, window }: ContextRequest,
): Promise<boolean> {
  const fixed = sizes.fixedTokens(sessionID);
  // Until the provider has reported a count this is only an estimate, too weak to announce.
  const isKnown = sizes.lastTotal(sessionID) !== undefined;
  if (!window || !isKnown || fixed <= countUsableTokens(window)) return false;
  const why =
    `the window of ${formatCount(window.contextTokens)} tokens is too small: system prompt and tools alone take ` +
    `about ${formatCount(fixed)}. A model with a larger window or fewer tools help, summaries do not`;
  await breakers.hear(sessionID, { kind: "floor", why });
  return true;
}

function formatReason({ budgetTokens, coldReturn }: ContextRequest, tokens: number): string {
  const size = `the context has about ${formatCount(tokens)} tokens of ${formatCount(budgetTokens)}`;
  return coldReturn === undefined ? size : `${coldReturn}; ${size}`;
}

/** Index of the first message that must stay: the results of the last answer's calls have not been sent yet. */
function findLatest(messages: readonly Message[], lastAnswer: number): number {
  const lastUser = messages.findLastIndex(({ info }) => info.role === "user");
  return lastUser > lastAnswer ? lastUser : Math.max(0, lastAnswer);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
