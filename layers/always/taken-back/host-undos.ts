/** Follows the host's events about undone turns and removed messages. */

import { isRecord } from "../../../src/base/records.js";
import { findEventSession, type HostEvent } from "../../../src/messages/events.js";

export interface HostUndos {
  hear(event: HostEvent): void;
  /**
   * Which files the host has reverted in this session without a repair since: those of the undone turns ("listed") or any.
   * Clears the mark.
   */
  takeUnmended(sessionID: string): "listed" | "any" | undefined;
  /** The repair failed: any file may still be reverted. */
  keepUnmended(sessionID: string): void;
}

export interface HostUndosOptions {
  /** Messages of the session were undone, restored or removed. */
  onUndo(this: void, sessionID: string): void;
  /** First event of a session, with nothing undone. */
  onFirst(this: void, sessionID: string): void;
}

export function createHostUndos({ onFirst, onUndo }: HostUndosOptions): HostUndos {
  /** By session: where the undone part begins; "" if nothing is undone. */
  const undone = new Map<string, string>();
  const unmended = new Map<string, "listed" | "any">();

  return {
    hear({ properties, type }) {
      if (type === "session.updated") hearUpdate(properties.info);
      if (type !== "message.removed" && type !== "message.part.removed") return;
      const sessionID = findEventSession(properties);
      if (sessionID !== undefined) onUndo(sessionID);
    },

    takeUnmended(sessionID) {
      const which = unmended.get(sessionID);
      unmended.delete(sessionID);
      return which;
    },

    keepUnmended(sessionID) {
      unmended.set(sessionID, "any");
    },
  };

  function hearUpdate(info: unknown): void {
    if (!isRecord(info) || typeof info.id !== "string") return;
    const { revert } = info;
    const from = isRecord(revert) ? `${revert.messageID} ${revert.partID}` : "";
    const before = undone.get(info.id);
    undone.set(info.id, from);
    if (before === undefined && from === "") onFirst(info.id);
    else if (before !== from) {
      unmended.set(info.id, before ? "any" : "listed");
      onUndo(info.id);
    }
  }
}
