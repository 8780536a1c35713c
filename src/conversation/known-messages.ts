import { isToolPart, type Message } from "./message.js";
import { nameMessage, readOwnTexts, readTime } from "./own-texts.js";

/**
 * The messages of a session that have been learned completely, so that a history of thousands is skipped at
 * once. A message is known by its role and time, and looked at again when it says something else than before.
 */
export interface KnownMessages {
  has(message: Message): boolean;
  /** Takes note of those that will not change any more. */
  add(messages: readonly Message[]): void;
  /** Is one of those known not among these, or does it say something else there? */
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

/** Of a user's message its words; of an answer, which only its own model writes, how much it says. */
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
