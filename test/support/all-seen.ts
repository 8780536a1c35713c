import type { SeenSessions } from "../../src/owner/seen-sessions.js";

/** As if every session had been had on this machine. */
export const allSeen: SeenSessions = {
  note: async () => {},
  filter: async (sessionIDs) => new Set(sessionIDs),
};
