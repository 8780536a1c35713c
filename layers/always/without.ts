/**
 * What a request would have had without us, from the provider's own counts. Only where something has left the context is
 * it estimated, once, with what a character of this session has; from then on it grows with the history.
 *
 *     nothing left since the last request     as much more as the provider has counted more
 *     something new was kept out              that, and what was kept out
 *     something old has left                  as before, and what has come since: that it left makes nothing smaller
 */
import { isEndedAnswer } from "../../src/conversation/history.js";
import type { Message } from "../../src/conversation/message.js";

export interface Without {
  /** Tokens of this request, had the model been sent the whole history. */
  count(request: CountedSent): number;
}

export interface CountedSent {
  sessionID: string;
  /** What the host has, and what of it was sent. */
  history: readonly Message[];
  shown: readonly Message[];
  /** As the provider counted. */
  sent: number;
}

/** Of the last request of a session. */
interface Known {
  all: number;
  shown: number;
  sent: number;
  without: number;
}

const REMEMBERED = 500;

/** `measure`: tokens of messages of this session. */
export function createWithout(measure: (sessionID: string, messages: readonly Message[]) => number): Without {
  const sessions = new Map<string, Known>();

  return {
    count({ history, sent, sessionID, shown }) {
      const now = { all: measure(sessionID, history), shown: measure(sessionID, shown), sent };
      const before = sessions.get(sessionID);
      const without =
        before && now.all >= before.all
          ? before.without + countGrowth(before, now)
          : Math.max(
              sent + now.all - now.shown,
              findFloor(history, (part) => measure(sessionID, part)),
            );
      sessions.delete(sessionID);
      sessions.set(sessionID, { ...now, without });
      if (sessions.size > REMEMBERED) sessions.delete(sessions.keys().next().value ?? "");
      return without;
    },
  };
}

function countGrowth(before: Known, now: Omit<Known, "without">): number {
  const grown = now.all - before.all;
  const keptOut = grown - (now.shown - before.shown);
  return keptOut > grown ? grown : now.sent - before.sent + keptOut;
}

/** After a restart the answers in the history still say what they have had before them, cut since or not. */
function findFloor(history: readonly Message[], measure: (messages: readonly Message[]) => number): number {
  let floor = 0;
  let before = 0;
  let from = 0;
  const all = measure(history);
  for (const [index, message] of history.entries()) {
    if (!isEndedAnswer(message)) continue;
    before += measure(history.slice(from, index));
    from = index;
    const { cache, input } = message.info.tokens ?? { input: 0, cache: { read: 0, write: 0 } };
    floor = Math.max(floor, input + cache.read + cache.write + all - before);
  }
  return floor;
}
