/** What a run came to, in figures. */
import { isSummarizing, type ModelRequest } from "../host/stage/model-request.js";
import { findBreaks } from "../host/stage/prefix-breaks.js";
import { listFacts } from "./facts.js";
import type { Run } from "./play.js";

/** Input-token units: what a token costs that is written to the prompt cache, read from it, or answered. */
export const PRICE = { uncached: 1.25, cached: 0.1, output: 5 } as const;

/** Sizes in tokens, price in input tokens. */
export interface Figures {
  requests: number;
  tokensSent: number;
  cached: number;
  uncached: number;
  answered: number;
  largestRequest: number;
  price: number;
  /** Requests for a summary of the history. */
  summarizing: number;
  /** Requests of other sessions, such as those that the plugin opens. */
  otherSessions: number;
  /** Requests that do not begin with all of the one before. */
  breaks: number;
  /** Calls made to look at what was taken away. */
  looks: number;
  /** Of what the user said in the first turns, word for word: in the last request, … */
  factsInView: number;
  /** … in a new session's first request, and in its last, when it has looked. */
  factsLater: number;
  factsLookedUp: number;
  seconds: number;
  hookSeconds: number;
  peakMB: number;
}

/** Adds up all requests of a run, whichever session they were made in. */
export function measureRun(run: Run): Figures {
  const { requests, sessionID, looks, seconds, hookSeconds, peakMB } = run;
  const tokensSent = sum(requests, "promptTokens");
  const cached = sum(requests, "cachedTokens");
  const answered = sum(requests, "outputTokens");
  const uncached = tokensSent - cached;
  return {
    requests: requests.length,
    tokensSent,
    cached,
    uncached,
    answered,
    largestRequest: Math.max(...requests.map(({ promptTokens }) => promptTokens)),
    price: uncached * PRICE.uncached + cached * PRICE.cached + answered * PRICE.output,
    summarizing: requests.filter(isSummarizing).length,
    otherSessions: requests.filter((request) => request.sessionID !== sessionID).length,
    breaks: findBreaks(requests).length,
    looks,
    factsInView: listFacts(lastRequest(run)).length,
    factsLater: listFacts(run.later[0]).length,
    factsLookedUp: listFacts(run.later.at(-1)).length,
    seconds,
    hookSeconds,
    peakMB,
  };
}

/** The last request of the session itself. */
export function lastRequest({ requests, sessionID }: Run): ModelRequest | undefined {
  return requests.findLast((request) => request.sessionID === sessionID);
}

function sum(
  requests: readonly ModelRequest[],
  field: "promptTokens" | "cachedTokens" | "outputTokens",
): number {
  return requests.reduce((total, request) => total + request[field], 0);
}
