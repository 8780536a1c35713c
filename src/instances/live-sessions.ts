/** The sessions of this instance that one can write to. A subagent is one while it works; any other until it is deleted. */

import type { Family } from "../family.js";
import { isRecord } from "../records.js";
import { toLine } from "../text.js";
import type { LiveSession } from "./instance.js";

export interface LiveSessions {
  /** The newest first. */
  list(): LiveSession[];
  find(sessionID: string): LiveSession | undefined;
  /** A turn begins. Whether that is news. */
  begin(sessionID: string): boolean;
  /** What it works on. Whether that is news. */
  setGoal(sessionID: string, goal: string | undefined): boolean;
  /** Learns from what the host reports. Whether something in the list is different now. */
  hear(type: string, properties: Readonly<Record<string, unknown>>): boolean;
}

/** Somebody who goes through old sessions does not fill the list. */
const MOST_SESSIONS = 30;
const GOAL_CHARACTERS = 120;

export function createLiveSessions(family: Pick<Family, "knownParent">): LiveSessions {
  /** The newest last. */
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
