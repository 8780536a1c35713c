/** In which sessions a memory was said: what several of them confirm weighs more. */
import type { Memory } from "./memory.js";

/** So many confirm it; more are not counted. */
export const CONFIRMING_SESSIONS = 3;

/** Sessions in which it was said, the first one first. */
export function readSessions({ extra, provenance }: Pick<Memory, "extra" | "provenance">): string[] {
  const known = Array.isArray(extra.sessions) ? extra.sessions.filter((one) => typeof one === "string") : [];
  return [...new Set([...(provenance.session === undefined ? [] : [provenance.session]), ...known])];
}

/** The memory, said in this session too; `undefined` where that is known, or enough have said it. */
export function withSession(memory: Memory, session: string | undefined): Memory | undefined {
  const known = readSessions(memory);
  if (session === undefined || known.includes(session) || known.length >= CONFIRMING_SESSIONS)
    return undefined;
  return { ...memory, extra: { ...memory.extra, sessions: [...known, session] } };
}
