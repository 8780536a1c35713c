/**
 * When results were last used: an answer, or the input of a call, that says an identifier uses the result that brought
 * it last. An agent that works with a result says its names, so the one it is about to edit was used just now. Read from
 * the history alone, so it is the same after a restart, in a fork and after a revert.
 */
import type { History } from "../../src/conversation/history.js";
import { isToolPart, type Message, type Part, readResultText } from "../../src/conversation/message.js";
import { isRecord } from "../../src/records.js";

export interface Uses {
  /** Takes in what the history has gained since the last request. */
  read(sessionID: string, history: History): SessionUses;
  /** Answers of a session at its last request; 0 if it had none lately. */
  answers(sessionID: string): number;
}

/** Times are counted in answers of the session. */
export interface SessionUses {
  /** Answers so far; the next one has this index. */
  readonly answers: number;
  /** Index of the answer that made this call; `undefined` if unknown. */
  madeBy(callID: string): number | undefined;
  /** Index of the answer that made this call, or used it or its result, whichever is later; `undefined` if unknown. */
  lastUse(callID: string): number | undefined;
  /** Number of answers that had begun at this time, in milliseconds since 1970. */
  answersAt(timeMs: number): number;
  /** Index of the first answer to the user's next message after this call; `answers` if there is none yet. */
  turnEnd(callID: string): number;
}

/** Names of a program: in camelCase or with an underscore. Words are what the user's language brings anyway. */
const WORD = /[A-Za-z_$][\w$]{7,}/g;
const IDENTIFIER = /[a-z][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]/;
/** A result of more, such as a minified file, is used by none of them in particular. */
const MOST_IDENTIFIERS = 4_000;
const MOST_SESSIONS = 8;

export function createUses(): Uses {
  const sessions = new Map<string, SessionReading>();
  return {
    read(sessionID, { messages }) {
      const known = sessions.get(sessionID);
      const reading = known?.goesOn(messages) ? known : createReading();
      sessions.delete(sessionID);
      sessions.set(sessionID, reading);
      const [oldest] = sessions.keys();
      if (sessions.size > MOST_SESSIONS && oldest !== undefined) sessions.delete(oldest);
      reading.readOn(messages);
      return reading;
    },
    answers: (sessionID) => sessions.get(sessionID)?.answers ?? 0,
  };
}

interface SessionReading extends SessionUses {
  /** Whether what was read are the first of these messages. */
  goesOn(messages: readonly Message[]): boolean;
  readOn(messages: readonly Message[]): void;
}

function createReading(): SessionReading {
  const read: string[] = [];
  const made = new Map<string, number>();
  const usedBy = new Map<string, number>();
  /** The call whose result brought an identifier last. */
  const carriers = new Map<string, string>();
  /** Index of the first answer of each turn. */
  const turns: number[] = [];
  const begunMs: number[] = [];
  let answers = 0;

  function readAnswer({ info, parts }: Message): void {
    begunMs.push(info.time?.created ?? begunMs.at(-1) ?? 0);
    for (const word of parts.flatMap(readSaid)) {
      const carrier = carriers.get(word);
      if (carrier !== undefined) usedBy.set(carrier, answers);
    }
    for (const part of parts) {
      if (!isToolPart(part)) continue;
      made.set(part.callID, answers);
      const brought = findIdentifiers(readResultText(part) ?? "");
      if (brought.length <= MOST_IDENTIFIERS) for (const word of brought) carriers.set(word, part.callID);
    }
    answers++;
  }

  return {
    get answers() {
      return answers;
    },
    madeBy: (callID) => made.get(callID),
    lastUse(callID) {
      const from = made.get(callID);
      return from === undefined ? undefined : Math.max(from, usedBy.get(callID) ?? 0);
    },
    answersAt: (timeMs) => begunMs.findLastIndex((begun) => begun <= timeMs) + 1,
    turnEnd(callID) {
      const from = made.get(callID) ?? answers;
      return turns.find((first) => first > from) ?? answers;
    },
    goesOn: (messages) => read.every((id, index) => messages[index]?.info.id === id),
    readOn(messages) {
      for (const message of messages.slice(read.length)) {
        const isOpen = message.info.role === "assistant" && message.info.time?.completed === undefined;
        // The host may still be filling the last answer.
        if (isOpen && message === messages.at(-1)) return;
        if (message.info.role === "user") turns.push(answers);
        else if (message.info.summary !== true) readAnswer(message);
        read.push(message.info.id);
      }
    },
  };
}

/** Identifiers that a part of an answer says: in its text, or in the input of its call. */
function readSaid(part: Part): string[] {
  if (isToolPart(part)) return findIdentifiers(textIn(part.state.input));
  return part.type === "text" ? findIdentifiers(part.text ?? "") : [];
}

function findIdentifiers(text: string): string[] {
  return [...new Set(text.match(WORD) ?? [])].filter((word) => IDENTIFIER.test(word));
}

/** All texts in a value. */
function textIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textIn).join("\n");
  return isRecord(value) ? Object.values(value).map(textIn).join("\n") : "";
}
