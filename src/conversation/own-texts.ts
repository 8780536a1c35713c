/** What a message is known by, and what its author wrote in it. Pure. */
import type { MessageInfo, Part } from "./message.js";

/** What a message is known by: its time, which it keeps in a fork, or else its id. */
export function nameMessage(info: MessageInfo): string {
  return String(readTime(info) ?? (typeof info.id === "string" ? info.id : ""));
}

/** When the message was begun, if the host tells. */
export function readTime({ time }: MessageInfo): number | undefined {
  return Number.isFinite(time?.created) ? time?.created : undefined;
}

/** The texts of a message that its author wrote. */
export function readOwnTexts(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => {
    const isOwn = part?.type === "text" && part.synthetic !== true && part.ignored !== true;
    return isOwn && typeof part.text === "string" && part.text.trim() !== "" ? [part.text.trim()] : [];
  });
}
