/**
 * What stands of a session that a person has undone a part of. The host keeps the rest until the next message, so that
 * it can be done again, and lists it all the same; then it removes it.
 */
import type { Message } from "../conversation/message.js";

/** The messages from this one on are undone; with a part, those after it and its parts from that one on. */
export interface Revert {
  messageID: string;
  partID?: string;
}

/** Pure. A message that is not there, as the host has it, undoes nothing. */
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

/** The files that changed while the undone turns ran, absolute: the host has put them back. Pure. */
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
