/** Sessions of this instance that can receive messages: a subagent's while it works, others until they are deleted. */

import { isRecord } from "../base/records.js";
import { toLine } from "../text/text.js";
import type { Family } from "./family.js";
import type { LiveSession } from "./instance.js";

export interface LiveSessions {
  /** Newest first. */
  list(): LiveSession[];
  find(sessionID: string): LiveSession | undefined;
  /** A turn begins. Returns whether that changes the list. */
  begin(sessionID: string): boolean;
  /** Sets the user's last request. Returns whether that changes the list. */
  setGoal(sessionID: string, goal: string | undefined): boolean;
  /** Removes an ended session. Returns whether the list changed. */
  end(sessionID: string): boolean;
  /** Learns from an event of the host. Returns whether that changes the list. */
  hear(type: string, properties: Readonly<Record<string, unknown>>): boolean;
}

/** Bounds the list for people who browse old sessions. */
const MOST_SESSIONS = 30;
const GOAL_CHARACTERS = 120;

export function createLiveSessions(family: Pick<Family, "knownParent">): LiveSessions {
  /** Newest last. */
  const sessions = new Map<string, LiveSession>();

  return {
    list: () => [...sessions.values()].reverse(),
    find: (sessionID) => sessions.get(sessionID),
    begin: (sessionID) => put({ ...(sessions.get(sessionID) ?? name(sessionID)), state: "busy" }),

    setGoal(sessionID, goal) {
      const known = sessions.get(sessionID);
      if (!known || goal === undefined) return false;
      return put({ ...known, goal: toLine(goal, GOAL_CHARACTERS) });
    },

    end: (sessionID) => sessions.delete(sessionID),

    hear(type, { sessionID, info }) {
      if (type === "session.deleted") return isRecord(info) && sessions.delete(String(info.id));
      const known = type === "session.idle" ? sessions.get(String(sessionID)) : undefined;
      if (!known) return false;
      if (known.parentID !== undefined) return sessions.delete(known.id);
      return put({ ...known, state: "idle" });
    },
  };

  function put(session: LiveSession): boolean {
    const known = sessions.get(session.id);
    if (known && known.goal === session.goal && known.state === session.state) return false;
    sessions.delete(session.id);
    sessions.set(session.id, session);
    const [oldest = ""] = sessions.keys();
    if (sessions.size > MOST_SESSIONS) sessions.delete(oldest);
    return true;
  }

  function name(id: string): LiveSession {
    const parentID = family.knownParent(id);
    return { id, state: "busy", ...(parentID !== undefined && { parentID }) };
  }
}
