import { isToolPart, type Message } from "../io/message.js";
import { nameMessage, readOwnTexts, readTime } from "./own-texts.js";

/**
 * The fully processed messages of a session, so that thousands are skipped at once. Role and time identify a message;
 * it is processed again if its contents change.
 */
export interface KnownMessages {
  has(message: Message): boolean;
  /** Adds the messages that will not change any more. */
  add(messages: readonly Message[]): void;
  /** True if a known message is missing from these, or its contents differ. */
  isMissedIn(messages: readonly Message[]): boolean;
  isEmpty(): boolean;
  clear(): void;
}

export function createKnownMessages(): KnownMessages {
  const signs = new Map<number | string, number | string>();
  return {
    has: (message) => message?.parts !== undefined && signs.get(keyOf(message)) === signOf(message),
    add(messages) {
      for (const message of messages) if (isSettled(message)) signs.set(keyOf(message), signOf(message));
    },
    isMissedIn(messages) {
      let found = 0;
      for (const message of messages) {
        const sign = message?.parts && signs.get(keyOf(message));
        if (sign === undefined) continue;
        if (sign !== signOf(message)) return true;
        found++;
      }
      return found < signs.size;
    },
    isEmpty: () => signs.size === 0,
    clear: () => signs.clear(),
  };
}

/** A number if possible: otherwise every request would build thousands of strings. */
function keyOf({ info }: Message): number | string {
  if (!info) return "";
  const created = readTime(info);
  const isUser = info.role === "user";
  if (created === undefined) return `${isUser} ${nameMessage(info)}`;
  return isUser ? created : -created;
}

/** A fingerprint: the words of a user's message, the length of an answer, which only its model writes. */
function signOf({ info, parts }: Message): number | string {
  if (!Array.isArray(parts)) return "";
  if (info?.role === "user") return `${parts.length} ${readOwnTexts(parts).join("\n")}`;
  let length = 0;
  for (const part of parts) if (part?.type === "text") length += part.text?.length ?? 0;
  return parts.length + length * 2 ** 20;
}

function isSettled(message: Message): boolean {
  const { info, parts } = message ?? {};
  if (!info || !Array.isArray(parts)) return false;
  if (info.role === "user") return true;
  const hasEnded = info.time?.completed !== undefined || info.error !== undefined;
  return hasEnded && !parts.some((part) => part && isToolPart(part) && isRunning(part.state?.status));
}

const isRunning = (status: unknown): boolean => status === "pending" || status === "running";
