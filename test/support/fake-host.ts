import type { Host } from "../../src/seams/host.js";

export interface FakeHost extends Host {
  readonly toasts: string[];
  readonly logged: string[];
  /** When each session was last used; one that is not here is gone. */
  readonly sessions: Map<string, number | "unknown">;
}

export const PROJECT = "/project";

export function createFakeHost(configFiles: string[] = [`${PROJECT}/opencode.json`]): FakeHost {
  const toasts: string[] = [];
  const logged: string[] = [];
  const sessions = new Map<string, number | "unknown">();
  return {
    project: PROJECT,
    configFiles,
    toasts,
    logged,
    sessions,
    sessionLastUsedMs: async (sessionID) => sessions.get(sessionID),
    toast: (message) => void toasts.push(message),
    log: (level, message) => void logged.push(`${level}: ${message}`),
  };
}
