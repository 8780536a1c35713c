/** Where a session's requests stop repeating the one before: there the prompt cache is lost from that message on. */
import { firstDifference, isSummarizing, type ModelRequest, tokensOfBytes } from "./model-request.js";

/** A request that does not begin with all of the one before it in its session. */
export interface PrefixBreak {
  /** The request before, and this one. */
  earlier: ModelRequest;
  later: ModelRequest;
  /** Its number among all requests, from 1. */
  request: number;
  /** Index of the first message that differs; -1 where the tools do. */
  message: number;
  /** Tokens of the earlier request that stood after that place. */
  tokensLost: number;
  /** Whether the host had the history summarized in between: the break is then its own. */
  isCompaction: boolean;
}

/**
 * The breaks, in order, session by session as the requests came. The host's requests for a summary are passed over:
 * they stand outside of the conversation.
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

/** "request 12, message 7": where a break is, for people. */
export function formatBreak({ request, message, tokensLost }: PrefixBreak): string {
  const place = message === -1 ? "its tools differ" : `differs from message ${message} on`;
  return `request ${request} ${place}, ${tokensLost} tokens before it`;
}
