/** Finds where a session's requests stop repeating the previous one; from there on the prompt cache is lost. */
import { firstDifference, isSummarizing, type ModelRequest, tokensOfBytes } from "./model-request.js";

/** A request that does not begin with the whole previous request of its session. */
export interface PrefixBreak {
  /** The previous request and this one. */
  earlier: ModelRequest;
  later: ModelRequest;
  /** Its number among all requests, from 1. */
  request: number;
  /** Index of the first message that differs; -1 where the tools do. */
  message: number;
  /** Tokens of the earlier request from that message on. */
  tokensLost: number;
  /** Whether the host summarized the history in between, which makes the break its own. */
  isCompaction: boolean;
}

/**
 * The breaks of each session, in request order. Ignores the host's summary requests, which are not part of the
 * conversation.
 */
export function findBreaks(requests: readonly ModelRequest[]): PrefixBreak[] {
  const last = new Map<string | undefined, ModelRequest>();
  const summarized = new Set<string | undefined>();
  return requests.flatMap((later, index) => {
    const { sessionID } = later;
    if (isSummarizing(later)) {
      summarized.add(sessionID);
      return [];
    }
    const isCompaction = summarized.delete(sessionID);
    const earlier = last.get(sessionID);
    last.set(sessionID, later);
    const message = earlier && firstDifference(earlier, later);
    if (!earlier || message === undefined) return [];
    const lost = earlier.messageBytes.slice(Math.max(0, message));
    const tokensLost = tokensOfBytes(lost.reduce((sum, bytes) => sum + Buffer.byteLength(bytes), 0));
    return [{ earlier, later, request: index + 1, message, tokensLost, isCompaction }];
  });
}

/** Position of a break, for people: "request 12, message 7". */
export function formatBreak({ request, message, tokensLost }: PrefixBreak): string {
  const place = message === -1 ? "its tools differ" : `differs from message ${message} on`;
  return `request ${request} ${place}, ${tokensLost} tokens before it`;
}
