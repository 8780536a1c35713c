import type { SeenSessions } from "../../src/project/own.js";

/** Treats every session as one of this machine. */
export const allSeen: SeenSessions = {
  note: async () => {},
  filter: async (sessionIDs) => new Set(sessionIDs),
};
