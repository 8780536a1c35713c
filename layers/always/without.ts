/**
 * The size that a request would have without the plugin, from the provider's counts. It is estimated once, when something
 * is first kept out of the context, with the tokens per character of this session; from then on it grows with the history.
 *
 *     nothing kept out since the last request   grows as the provider's count does
 *     new content kept out                      grows by that and by what was kept out
 *     old content removed                       grows by the new content; the removal subtracts nothing
 */
import { isEndedAnswer } from "../../src/conversation/history.js";
import type { Message } from "../../src/conversation/message.js";

export interface Without {
  /** Tokens of this request if the whole history had been sent. */
  count(request: CountedSent): number;
}

export interface CountedSent {
  sessionID: string;
  /** The host's messages. */
  history: readonly Message[];
  /** The messages that were sent. */
  shown: readonly Message[];
  /** The provider's count, in tokens. */
  sent: number;
}

/** Token counts of a session's last request. */
interface Known {
  all: number;
  shown: number;
  sent: number;
  without: number;
}

const MOST_SESSIONS = 500;

/** `measure` counts the tokens of a session's messages. */
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
      if (sessions.size > MOST_SESSIONS) sessions.delete(sessions.keys().next().value ?? "");
      return without;
    },
  };
}

function countGrowth(before: Known, now: Omit<Known, "without">): number {
  const grown = now.all - before.all;
  const keptOut = grown - (now.shown - before.shown);
  return keptOut > grown ? grown : now.sent - before.sent + keptOut;
}

/** A lower bound after a restart: the answers in the history have counts of all that came before them, cut since or not. */
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
