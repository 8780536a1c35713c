/** Names messages, and reads the texts their authors wrote. Pure. */
import type { MessageInfo, Part } from "../io/message.js";

/** Name of a message: its time, which it keeps in a fork, else its id. */
export function nameMessage(info: MessageInfo): string {
  return String(readTime(info) ?? (typeof info.id === "string" ? info.id : ""));
}

/** Creation time of the message, if the host gives it. */
export function readTime({ time }: MessageInfo): number | undefined {
  return Number.isFinite(time?.created) ? time?.created : undefined;
}

/** The texts of a message written by its author. */
export function readOwnTexts(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => {
    const isOwn = part?.type === "text" && part.synthetic !== true && part.ignored !== true;
    return isOwn && typeof part.text === "string" && part.text.trim() !== "" ? [part.text.trim()] : [];
  });
}
