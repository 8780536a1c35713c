/**
 * The messages left after a user undoes part of a session. Until the next message the host keeps and lists the undone
 * ones, so that they can be redone; then it removes them.
 */
import type { Message } from "../io/message.js";

/** Everything from this message on is undone or, with `partID`, from that part of the message on. */
export interface Revert {
  messageID: string;
  partID?: string;
}

/** Pure. Like the host, undoes nothing if the message is missing. */
export function withoutUndone(
  messages: readonly Message[],
  { messageID, partID }: Revert,
): readonly Message[] {
  const at = messages.findIndex(({ info }) => info.id === messageID);
  const message = messages[at];
  if (!message) return messages;
  const before = messages.slice(0, at);
  if (partID === undefined) return before;
  const cut = message.parts.findIndex((part) => (part as { id?: unknown }).id === partID);
  return [...before, cut === -1 ? message : { ...message, parts: message.parts.slice(0, cut) }];
}

/** Absolute paths of files changed in the undone turns, which the host has restored. Pure. */
export function findFilesPutBack(messages: readonly Message[], revert: Revert): string[] {
  const standing = new Set(withoutUndone(messages, revert));
  const undone = messages.filter((message) => !standing.has(message));
  const files = undone.flatMap(({ parts }) =>
    parts.flatMap((part) => {
      const { files: changed } = part as { files?: unknown };
      return part.type === "patch" && Array.isArray(changed) ? changed : [];
    }),
  );
  return [...new Set(files.filter((file) => typeof file === "string"))];
}
