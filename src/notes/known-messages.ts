import { isToolPart, type Message } from "../view/message.js";
import { readMessageKey, readTime } from "./learn.js";

/**
 * The messages of a session of which nothing is left to be learned, so that a history of thousands is passed over at
 * once. A message is known by its role and time, and looked at again when it has other parts than before.
 */
export interface KnownMessages {
  has(message: Message): boolean;
  /** Takes note of those that will not change any more. */
  add(messages: readonly Message[]): void;
  clear(): void;
}

export function createKnownMessages(): KnownMessages {
  const partCounts = new Map<number | string, number>();
  return {
    has: (message) => {
      const count = message?.parts?.length;
      return count !== undefined && partCounts.get(keyOf(message)) === count;
    },
    add(messages) {
      for (const message of messages)
        if (isSettled(message)) partCounts.set(keyOf(message), message.parts.length);
    },
    clear: () => partCounts.clear(),
  };
}

/** A number where it can be: thousands of texts would have to be made for every request. */
function keyOf({ info }: Message): number | string {
  if (!info) return "";
  const created = readTime(info);
  const isUser = info.role === "user";
  if (created === undefined) return `${isUser} ${readMessageKey(info)}`;
  return isUser ? created : -created;
}

function isSettled(message: Message): boolean {
  const { info, parts } = message ?? {};
  if (!info || !Array.isArray(parts)) return false;
  if (info.role === "user") return true;
  const hasEnded = info.time?.completed !== undefined || info.error !== undefined;
  return hasEnded && !parts.some((part) => part && isToolPart(part) && isRunning(part.state?.status));
}

const isRunning = (status: unknown): boolean => status === "pending" || status === "running";
