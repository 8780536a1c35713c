import type { SeenSessions } from "../../src/owner/seen-sessions.js";

/** Treats every session as one of this machine. */
export const allSeen: SeenSessions = {
  note: async () => {},
  filter: async (sessionIDs) => new Set(sessionIDs),
};
