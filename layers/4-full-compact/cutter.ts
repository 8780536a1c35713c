import type { DecisionKey } from "../../src/conversation/keys.js";
import type { Message } from "../../src/conversation/message.js";
import { formatCount } from "../../src/format.js";
import type { LayerContext } from "../../src/layer-context.js";
import { recordBefore } from "../../src/record/record-before.js";
import { priceLostCache } from "../../src/record/savings.js";
import { findColdReason } from "../../src/view/cold.js";
import { estimateTextTokens, estimateTokens } from "../../src/view/context-size.js";
import { decide } from "../../src/view/decisions.js";
import type { ContextRequest } from "../../src/view/request.js";
import { countUsableTokens } from "../../src/view/windows.js";
import { LEAST_FREED_SHARE } from "./breaker.js";
import type { Breakers } from "./breakers.js";
import { composeCut } from "./cut-text.js";
import { planCut, planTail } from "./plan-cut.js";

/**
 * Cuts the history of a request that is too large; whether it has. Rejects when the notes cannot be written or the cut
 * cannot be recorded, and when the signal is aborted before that: the request is then sent as it was.
 */
export type Cutter = (
  request: ContextRequest,
  view: readonly Message[],
  signal: AbortSignal,
) => Promise<boolean>;

export interface CutterOptions extends LayerContext {
  breakers: Breakers;
}

/** A place to cut at, with what it is worth. */
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

export function createCutter(context: CutterOptions): Cutter {
  const { breakers, clock, config, decisions, log, notes, savings, sizes } = context;

  return async (request, view, signal) => {
    const { history, sessionID } = request;
    if (await isFloorTooHigh(request)) return false;
    await notes.learn(sessionID, history.messages);
    const cut = await plan(request, view);
    if (!cut) return false;
    if (cut.tokensFreed < cut.tokensBefore * LEAST_FREED_SHARE) return false;
    signal.throwIfAborted();
    await record(request, cut, signal);
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
    const tail = planTail(budgetTokens);
    // Who asks for it wants room: no more stays than has to.
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
      // What stands for the history has to be written, and would have been read.
      cacheLost: isCold ? 0 : cachedTail + textTokens,
    };
  }

  /** Opens the breaker where what cannot shrink is over the window: every summary would be in vain. */
  async function isFloorTooHigh({ sessionID, window }: ContextRequest): Promise<boolean> {
    const fixed = sizes.fixedTokens(sessionID);
    // Before the provider has counted it is a guess, on which nobody is told anything.
    const isKnown = sizes.lastTotal(sessionID) !== undefined;
    if (!window || !isKnown || fixed <= countUsableTokens(window)) return false;
    const why =
      `the window of ${formatCount(window.contextTokens)} tokens is too small: system prompt and tools alone take ` +
      `about ${formatCount(fixed)}. A model with a larger window or fewer tools help, summaries do not`;
    await breakers.hear(sessionID, { kind: "floor", why });
    return true;
  }

  async function record(
    request: ContextRequest,
    { cacheLost, index, key, text, ...cut }: Cut,
    signal: AbortSignal,
  ): Promise<void> {
    const { budgetTokens, sessionID } = request;
    const reason = `the context has about ${formatCount(cut.tokensBefore)} tokens of ${formatCount(budgetTokens)}`;
    const saved = {
      session: sessionID,
      layer: LAYER,
      event: "cut",
      reason,
      key: `${sessionID} ${key.key}`,
      tokensFreed: cut.tokensFreed,
      cacheLost,
      net: Math.round(priceLostCache(cacheLost)),
    };
    await recordBefore(savings, saved, () =>
      decisions.record(sessionID, LAYER, [decide(key, { outcome: "cut", text })], signal),
    );
    log.info(
      LAYER,
      `notes stand for the first ${index} messages of ${sessionID} (${reason}): about ` +
        `${formatCount(cut.tokensFreed)} tokens free, ${formatCount(cacheLost)} cached ones to be written again`,
    );
  }
}

/** The first message that has to stay: what the last answer's calls brought has not been sent yet. */
function findLatest(messages: readonly Message[], lastAnswer: number): number {
  const lastUser = messages.findLastIndex(({ info }) => info.role === "user");
  return lastUser > lastAnswer ? lastUser : Math.max(0, lastAnswer);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
