/**
 * Follows each request to its end, behind the turn: enters into the savings ledger what it sent and what was kept out
 * of it, and tells what its size was, or that it was too long.
 */

import { isEndedAnswer } from "../../src/conversation/history.js";
import type { Message, MessageInfo } from "../../src/conversation/message.js";
import type { HostEvent } from "../../src/dispatcher/hooks.js";
import { estimateToolTokens, type Tool } from "../../src/dispatcher/tool.js";
import { formatCount } from "../../src/format.js";
import type { Log } from "../../src/record/log.js";
import { PRICE, type Savings } from "../../src/record/savings.js";
import { isRecord } from "../../src/records.js";
import { type ContextSizes, estimateTokens } from "../../src/view/context-size.js";
import type { ContextRequest } from "../../src/view/request.js";
import { countUsableTokens, type ModelWindows } from "../../src/view/windows.js";
import { createWithout } from "./without.js";

export interface Accounts {
  /** This request is about to be sent. */
  open(request: ContextRequest): void;
  /** Closes the account of a request when its answer has ended or the provider has refused it as too long. */
  hear(event: HostEvent): void;
}

export interface AccountsOptions {
  log: Log;
  savings: Savings;
  sizes: ContextSizes;
  windows: ModelWindows;
  /** Those of ours, whose definitions are in every request. */
  tools: readonly Tool[];
}

const LAYER = "view";

export function createAccounts({ log, savings, sizes, tools, windows }: AccountsOptions): Accounts {
  const open = new Map<string, ContextRequest>();
  const without = createWithout(sizes.measure);
  let toolTokens: number | undefined;

  return {
    open: (request) => void open.set(request.sessionID, request),

    hear({ type, properties: { error, info, sessionID } }) {
      if (type === "message.updated" && isEnded(info)) {
        const request = close(info.sessionID);
        if (request) account(request, info);
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

  function account(request: ContextRequest, info: EndedInfo): void {
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

  /** The next requests to the model are kept smaller: its window is not what the configuration says. */
  function noteRefused({ isCompaction, model, show, ...request }: ContextRequest): void {
    // A request for a summary has neither the system prompt nor the tools of the others.
    const tokens = isCompaction ? estimateTokens(show()) : request.estimateTokens(show());
    if (!model || !windows.noteRefused(model, tokens)) return;
    const name = `${model.providerID}/${model.modelID}`;
    log.warn(
      LAYER,
      `about ${formatCount(tokens)} tokens were too long for ${name}: the next requests are kept smaller. A window that is configured too large (limit.context) does this`,
    );
  }
}

export interface AnswerSizes {
  /** Of the definitions of our tools, which the request had. */
  toolTokens: number;
  /** Tokens of the history that the request did not have, before that is held against its window. */
  keptOut: number;
  measure(messages: readonly Message[]): number;
}

/** The record of one answer. Pure. */
export function planAnswer(request: ContextRequest, { tokens }: EndedInfo, sizes: AnswerSizes) {
  const { cache, input, output, reasoning } = tokens;
  const sent = input + cache.read + cache.write;
  const { keptOut, fresh } = countKeptOut(request, sent, sizes);
  const once = cache.read > 0 ? PRICE.cached : PRICE.written;
  return {
    session: request.sessionID,
    layer: LAYER,
    event: "answer",
    sent,
    cached: cache.read,
    answered: output + reasoning,
    keptOut,
    net: Math.round(fresh * PRICE.written + (keptOut - fresh) * once),
  };
}

/**
 * Tokens that are not in the request because of us, less those that are there because of us; and what of that it would
 * have brought for the first time. Never more than would have fitted into the window: beyond that the host would have
 * compacted.
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

/** What the last answer's calls brought, and all after it. */
function unseenOf(messages: readonly Message[]): readonly Message[] {
  return messages.slice(Math.max(0, messages.findLastIndex(isEndedAnswer)));
}

type EndedInfo = MessageInfo & Required<Pick<MessageInfo, "tokens">>;

function isOverflow(error: unknown): boolean {
  return isRecord(error) && error.name === "ContextOverflowError";
}

/** An answer of the session's own agent that has ended, with what the provider counted. */
function isEnded(info: unknown): info is EndedInfo {
  if (!isRecord(info) || !isRecord(info.time) || info.time.completed === undefined) return false;
  return isEndedAnswer({ info: info as unknown as MessageInfo, parts: [] });
}
