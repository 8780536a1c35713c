/** The sessions in which a memory was stated: one that several sessions confirm weighs more. */
import type { Memory } from "./memory.js";

/** Maximum number of sessions counted as confirming one memory. */
export const CONFIRMING_SESSIONS = 3;

/** Sessions in which it was stated, oldest first. */
export function readSessions({ extra, provenance }: Pick<Memory, "extra" | "provenance">): string[] {
  const known = Array.isArray(extra.sessions) ? extra.sessions.filter((one) => typeof one === "string") : [];
  return [...new Set([...(provenance.session === undefined ? [] : [provenance.session]), ...known])];
}

/** The memory with this session added; `undefined` if the session is already listed or the maximum is reached. */
export function withSession(memory: Memory, session: string | undefined): Memory | undefined {
  const known = readSessions(memory);
  if (session === undefined || known.includes(session) || known.length >= CONFIRMING_SESSIONS)
    return undefined;
  return { ...memory, extra: { ...memory.extra, sessions: [...known, session] } };
}
