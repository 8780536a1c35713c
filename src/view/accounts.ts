/** Enters into the savings ledger what each request sent, and what was kept out of it. Behind the turn. */
import type { HostEvent } from "../dispatcher/hooks.js";
import { PRICE, type Savings } from "../record/savings.js";
import { isRecord } from "../records.js";
import { estimateTokens } from "./context-size.js";
import { isEndedAnswer } from "./history.js";
import type { Message, MessageInfo } from "./message.js";
import type { ContextRequest } from "./request.js";
import { countUsableTokens } from "./windows.js";

export interface Accounts {
  /** This request is about to be sent. */
  open(request: ContextRequest): void;
  /** Closes the account of a request when its answer has ended. */
  hear(event: HostEvent): void;
}

const LAYER = "view";

export function createAccounts(savings: Savings): Accounts {
  const open = new Map<string, ContextRequest>();

  return {
    open: (request) => void open.set(request.sessionID, request),

    hear({ type, properties: { info, sessionID } }) {
      if (type === "session.idle" && typeof sessionID === "string") open.delete(sessionID);
      if (type !== "message.updated" || !isEnded(info)) return;
      const request = open.get(info.sessionID);
      open.delete(info.sessionID);
      if (request) savings.record(planAnswer(request, info));
    },
  };
}

/** The record of one answer. Pure. */
export function planAnswer(request: ContextRequest, { tokens }: EndedInfo) {
  const { cache, input, output, reasoning } = tokens;
  const sent = input + cache.read + cache.write;
  const { keptOut, fresh } = countKeptOut(request, sent);
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
 * Tokens that are not in the request because of us, and those of them that it would have brought for the first time.
 * Never more than would have fitted into the window: beyond that the host would have compacted.
 */
function countKeptOut(request: ContextRequest, sent: number): { keptOut: number; fresh: number } {
  const { history, window } = request;
  const shown = request.show();
  const room = window ? Math.max(0, countUsableTokens(window) - sent) : Number.POSITIVE_INFINITY;
  const all = estimateTokens(history.messages) - estimateTokens(shown);
  const seen = estimateTokens(unseenOf(history.messages)) - estimateTokens(unseenOf(shown));
  const keptOut = Math.max(0, Math.min(room, all));
  return { keptOut, fresh: Math.max(0, Math.min(keptOut, seen)) };
}

/** What the last answer's calls brought, and all after it. */
function unseenOf(messages: readonly Message[]): readonly Message[] {
  return messages.slice(Math.max(0, messages.findLastIndex(isEndedAnswer)));
}

type EndedInfo = MessageInfo & Required<Pick<MessageInfo, "tokens">>;

/** An answer of the session's own agent that has ended, with what the provider counted. */
function isEnded(info: unknown): info is EndedInfo {
  if (!isRecord(info) || !isRecord(info.time) || info.time.completed === undefined) return false;
  return isEndedAnswer({ info: info as unknown as MessageInfo, parts: [] });
}
