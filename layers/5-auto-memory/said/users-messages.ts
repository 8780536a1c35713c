import { isForPeopleOnly, type Message } from "../../../src/io/message.js";
import { readOwnTexts, readTime } from "../../../src/messages/call.js";
import type { UsersMessage } from "../words/own-words.js";

/** What the user wrote in a session as the host has it, each with what the agent said last before it. Pure. */
export function readUsersMessages(
  messages: readonly Message[],
  isTheirs: (text: string) => boolean,
): UsersMessage[] {
  const read: UsersMessage[] = [];
  let asked: string | undefined;
  for (const message of messages) {
    const { info, parts } = message;
    if (info.role === "assistant") {
      const isWhole = info.summary !== true && info.error === undefined;
      asked = isWhole ? readOwnTexts(parts).at(-1) : undefined;
    }
    // What our own commands answer is for people, and no turn.
    if (info.role !== "user" || isForPeopleOnly(message)) continue;
    const text = readOwnTexts(parts).filter(isTheirs).join("\n\n");
    const atMs = readTime(info);
    if (text !== "")
      read.push({
        id: info.id,
        text,
        ...(atMs !== undefined && { atMs }),
        ...(asked !== undefined && { asked }),
      });
    asked = undefined;
  }
  return read;
}
