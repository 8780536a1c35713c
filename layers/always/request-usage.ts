/**
 * Follows each request to its end, in the background. Records in the savings ledger what was sent and what was kept out,
 * reports the measured size, and notes requests that were too long.
 */

import { isEndedAnswer } from "../../src/conversation/history.js";
import type { Message, MessageInfo } from "../../src/conversation/message.js";
import type { HostEvent } from "../../src/dispatcher/hooks.js";
import { estimateToolTokens, type Tool } from "../../src/dispatcher/tool.js";
import { formatCount } from "../../src/format.js";
import type { Log } from "../../src/record/log.js";
import { priceNet, type Savings } from "../../src/record/savings.js";
import { isRecord } from "../../src/records.js";
import { type ContextSizes, estimateTokens } from "../../src/view/context-size.js";
import type { ContextRequest } from "../../src/view/request.js";
import { countUsableTokens, type ModelWindows } from "../../src/view/windows.js";
import { createWithout } from "./without.js";

export interface RequestUsage {
  /** The request is about to be sent. */
  open(request: ContextRequest): void;
  /** Closes a request when its answer has ended or the provider has refused it as too long. */
  hear(event: HostEvent): void;
}

export interface RequestUsageOptions {
  log: Log;
  savings: Savings;
  sizes: ContextSizes;
  windows: ModelWindows;
  /** The plugin's tools, whose definitions are in every request. */
  tools: readonly Tool[];
}

const LAYER = "view";

export function createRequestUsage({
  log,
  savings,
  sizes,
  tools,
  windows,
}: RequestUsageOptions): RequestUsage {
  const open = new Map<string, ContextRequest>();
  const without = createWithout(sizes.measure);
  let toolTokens: number | undefined;

  return {
    open: (request) => void open.set(request.sessionID, request),

    hear({ type, properties: { error, info, sessionID } }) {
      if (type === "message.updated" && isEnded(info)) {
        const request = close(info.sessionID);
        if (request) recordUsage(request, info);
      }
      if (typeof sessionID !== "string") return;
      if (type === "session.idle") close(sessionID);
      const request = type === "session.error" && isOverflow(error) ? close(sessionID) : undefined;
      if (request) noteRefused(request);
    },
  };

  function close(sessionID: string): ContextRequest | undefined {
    const request = open.get(sessionID);
    open.delete(sessionID);
    return request;
  }

  function recordUsage(request: ContextRequest, info: EndedInfo): void {
    if (request.isCompaction) return;
    const { cache, input } = info.tokens;
    const { history, sessionID } = request;
    const shown = request.show();
    const sent = input + cache.read + cache.write;
    sizes.report(sessionID, info, shown);
    if (request.model) windows.noteTaken(request.model, sent);
    toolTokens ??= estimateToolTokens(tools);
    savings.record(
      planAnswer(request, info, {
        toolTokens,
        keptOut: without.count({ sessionID, history: history.messages, shown, sent }) - sent,
        measure: (messages) => sizes.measure(sessionID, messages),
      }),
    );
  }

  /** Keeps the next requests to the model smaller: its window is smaller than configured. */
  function noteRefused({ isCompaction, model, show, ...request }: ContextRequest): void {
    // A request for a summary has neither the system prompt nor the tools.
    const tokens = isCompaction ? estimateTokens(show()) : request.estimateTokens(show());
    if (!model || !windows.noteRefused(model, tokens)) return;
    const name = `${model.providerID}/${model.modelID}`;
    log.warn(
      LAYER,
      `about ${formatCount(tokens)} tokens were too long for ${name}: the next requests are kept smaller. Check whether limit.context is too large for this model`,
    );
  }
}

export interface AnswerSizes {
  /** Tokens of the plugin's tool definitions in the request. */
  toolTokens: number;
  /** Tokens of the history that were not sent, before they are limited to the window. */
  keptOut: number;
  measure(messages: readonly Message[]): number;
}

/** The ledger record of one answer. Pure. */
export function planAnswer(request: ContextRequest, { tokens }: EndedInfo, sizes: AnswerSizes) {
  const { cache, input, output, reasoning } = tokens;
  const sent = input + cache.read + cache.write;
  const { keptOut, fresh } = countKeptOut(request, sent, sizes);
  const rates = request.rates(sent);
  const once = cache.read > 0 ? rates.cached : rates.written;
  return {
    session: request.sessionID,
    layer: LAYER,
    event: "answer",
    sent,
    cached: cache.read,
    answered: output + reasoning,
    keptOut,
    ...priceNet(fresh * rates.written + (keptOut - fresh) * once, rates),
  };
}

/**
 * Tokens that the plugin kept out of the request, less those it added; `fresh` is the part that would have been sent for
 * the first time. Both are limited to the room in the window, since the host would have compacted beyond it.
 */
function countKeptOut(
  { history, show, window }: ContextRequest,
  sent: number,
  { keptOut, measure, toolTokens }: AnswerSizes,
): { keptOut: number; fresh: number } {
  const room = window ? Math.max(0, countUsableTokens(window) - sent) : Number.POSITIVE_INFINITY;
  const fresh = measure(unseenOf(history.messages)) - measure(unseenOf(show()));
  return { keptOut: Math.round(Math.min(room, keptOut - toolTokens)), fresh: Math.min(room, fresh) };
}

/** The last answer, with the results of its calls, and all messages after it. */
function unseenOf(messages: readonly Message[]): readonly Message[] {
  return messages.slice(Math.max(0, messages.findLastIndex(isEndedAnswer)));
}

type EndedInfo = MessageInfo & Required<Pick<MessageInfo, "tokens">>;

function isOverflow(error: unknown): boolean {
  return isRecord(error) && error.name === "ContextOverflowError";
}

/** Is it an ended answer of the session's own agent, with the provider's counts? */
function isEnded(info: unknown): info is EndedInfo {
  if (!isRecord(info) || !isRecord(info.time) || info.time.completed === undefined) return false;
  return isEndedAnswer({ info: info as unknown as MessageInfo, parts: [] });
}
