/** Finds new failures and resolutions in a session's messages. */
import { createKnownMessages, type KnownMessages } from "../../src/conversation/known-messages.js";
import { isToolPart, type Message } from "../../src/conversation/message.js";
import { type EndedCall, type ReadingOptions, readCallKey, readEndedCall } from "./ended-call.js";
import { createTracker, type Occurrence, type Tracker } from "./tracker.js";

/** Returns what has happened since the last call; for a session not seen yet, only what its newest answer shows. */
export type Observer = (sessionID: string, messages: readonly Message[]) => Occurrence[];

interface Session {
  readonly known: KnownMessages;
  /** Keys of the results read so far; a message that may still grow is read again. */
  readonly seen: Set<string>;
  readonly tracker: Tracker;
}

/** Number of sessions kept in memory; any other counts as not seen yet. */
const MOST_SESSIONS = 30;

export function createObserver(reading: ReadingOptions): Observer {
  const sessions = new Map<string, Session>();

  return (sessionID, messages) => {
    const isFirst = !sessions.has(sessionID);
    const session = open(sessionID);
    const from = findFresh(messages, session.known);
    const newest = messages.findLastIndex(({ info }) => info?.role === "assistant");
    const occurrences: Occurrence[] = [];
    for (const [index, message] of messages.slice(from).entries()) {
      const found = readEndedCalls(message, session.seen).flatMap(session.tracker.take);
      if (!isFirst || from + index >= newest) occurrences.push(...found);
    }
    session.known.add(messages.slice(from));
    return occurrences;
  };

  /** Calls of this message that have ended and were not read yet. */
  function readEndedCalls({ parts }: Message, seen: Set<string>): EndedCall[] {
    if (!Array.isArray(parts)) return [];
    return parts.flatMap((part) => {
      const key = part && isToolPart(part) ? readCallKey(part) : undefined;
      if (key === undefined || seen.has(key)) return [];
      seen.add(key);
      return readEndedCall(part, reading) ?? [];
    });
  }

  function open(sessionID: string): Session {
    const session = sessions.get(sessionID) ?? {
      known: createKnownMessages(),
      seen: new Set<string>(),
      tracker: createTracker(reading),
    };
    sessions.delete(sessionID);
    sessions.set(sessionID, session);
    const [oldest] = sessions.keys();
    if (sessions.size > MOST_SESSIONS && oldest !== undefined) sessions.delete(oldest);
    return session;
  }
}

/** Index after the last message that was read completely. */
function findFresh(messages: readonly Message[], known: KnownMessages): number {
  return messages.findLastIndex((message) => known.has(message)) + 1;
}
