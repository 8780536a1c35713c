/** The calls of each session as they end, and what its calls have done. Uses no disk. */
import { isToolPart, type Message } from "../../src/io/message.js";
import { createKnownMessages, isChangingTool, type KnownMessages } from "../../src/messages/call.js";
import { type EndedCall, formatCall, readCallKey, readCommand, readEndedCall } from "./ended-call.js";

export interface SessionCalls {
  /**
   * The calls that have ended since the last request. For a session not seen yet, only what has failed in its newest
   * answer: the instance that sent the others has logged them, and lines that a person has deleted must not come back.
   */
  read(sessionID: string, messages: readonly Message[]): SessionCall[];
  /** What the session's calls have done: after that, a call that failed may work. */
  lastDone(sessionID: string): LastDone;
}

export interface SessionCall extends EndedCall {
  readonly doneBefore: LastDone;
}

/** Times are 0 if there is none. */
export interface LastDone {
  /** When it last changed a file. */
  readonly changedAt: number;
  /** When it last ran a command that worked and may have changed something, and the command on one line. */
  readonly ranAt: number;
  readonly ran: string;
}

interface Session {
  readonly known: KnownMessages;
  /** Keys of the results read so far; a message that may still grow is read again. */
  readonly seen: Set<string>;
  done: LastDone;
}

const NOTHING: LastDone = { changedAt: 0, ranAt: 0, ran: "" };
/** Number of sessions kept in memory; any other counts as not seen yet. */
const MOST_SESSIONS = 30;
/** Commands that change nothing. */
const LOOKING =
  /^(cd|ls|cat|head|tail|less|pwd|echo|printf|find|tree|stat|file|wc|ps|env|which|grep|rg|git (status|log|diff|show|branch))\b/;

export function createSessionCalls(project: string): SessionCalls {
  const sessions = new Map<string, Session>();

  return {
    read(sessionID, messages) {
      const isFirst = !sessions.has(sessionID);
      const session = open(sessionID);
      const from = messages.findLastIndex((message) => session.known.has(message)) + 1;
      const newest = messages.findLastIndex(({ info }) => info?.role === "assistant");
      const calls = messages.slice(from).flatMap((message, index) => {
        const ended = readEndedCalls(message, session);
        if (!isFirst) return ended;
        return from + index >= newest ? ended.filter(({ failure }) => failure) : [];
      });
      session.known.add(messages.slice(from));
      return calls;
    },

    lastDone: (sessionID) => sessions.get(sessionID)?.done ?? NOTHING,
  };

  /** Calls of this message that have ended and were not read yet. */
  function readEndedCalls({ parts }: Message, session: Session): SessionCall[] {
    if (!Array.isArray(parts)) return [];
    return parts.flatMap((part) => {
      const key = part && isToolPart(part) ? readCallKey(part) : undefined;
      if (key === undefined || session.seen.has(key)) return [];
      session.seen.add(key);
      const ended = readEndedCall(part, project);
      if (!ended) return [];
      const doneBefore = session.done;
      session.done = noteDone(doneBefore, ended);
      return [{ ...ended, doneBefore }];
    });
  }

  function noteDone(done: LastDone, { at, failure, part, tool }: EndedCall): LastDone {
    if (isChangingTool(tool)) return { ...done, changedAt: at };
    const command = failure ? undefined : readCommand(part);
    if (command === undefined || LOOKING.test(command.trim())) return done;
    return { ...done, ranAt: at, ran: formatCall(part, project) };
  }

  function open(sessionID: string): Session {
    const session = sessions.get(sessionID) ?? {
      known: createKnownMessages(),
      seen: new Set<string>(),
      done: NOTHING,
    };
    sessions.delete(sessionID);
    sessions.set(sessionID, session);
    const [oldest] = sessions.keys();
    if (sessions.size > MOST_SESSIONS && oldest !== undefined) sessions.delete(oldest);
    return session;
  }
}
