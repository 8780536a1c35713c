/**
 * Candidates: the user's sentences that are probably worth keeping. They wait outside of the project, where no model sees
 * them and no other project reads them. One becomes a memory when the user says the same in another session, when the
 * small model accepts it, or when the user keeps it; otherwise it expires.
 */
import { type MemoryDraft, type MemoryType, usersTypes } from "../memory/memory.js";
import { CONFIRMING_SESSIONS } from "../memory/sessions.js";

/** Number of days for which a candidate waits. */
export const WAITING_DAYS = 30;

/** Where and when the user said it, and how. */
export interface Saying {
  session: string;
  message: string;
  saidMs: number;
  title: string;
  /** In the user's words, on one line, without secrets. */
  text: string;
  /** The user has undone or rewritten the message. Redoing it makes the saying count again. */
  isTakenBack?: true;
  /** It came from an MCP client, not from a message of the user's. Only the user can accept it as a memory. */
  isHandedOver?: true;
}

export interface Candidate {
  type: MemoryType;
  when: readonly string[];
  /** Probability that it is worth keeping, 0 to 1. */
  chance: number;
  /** Oldest first. */
  said: readonly Saying[];
}

/** A candidate as stored. */
export interface WaitingCandidate extends Candidate {
  /** Six or more hexadecimal digits. */
  id: string;
  /** When it was last offered. */
  offeredMs: number;
  /** A small model has answered about it, without a verdict that counts. */
  isJudged?: true;
}

/** The latest wording that the user has not taken back, the user's own first; `undefined` if there is none. */
export function readLatest({ said }: Pick<Candidate, "said">): Saying | undefined {
  return said.findLast(isUsers) ?? said.findLast(({ isTakenBack }) => !isTakenBack);
}

/** Sessions in which the user said it, without those in which it was taken back; the latest last. */
export function readSessions({ said }: Pick<Candidate, "said">): string[] {
  return [...new Set(said.filter(isUsers).map(({ session }) => session))];
}

/** Did it come from a client only, so that only the user can accept it as a memory? */
export const isHandedOver = (candidate: Pick<Candidate, "said">): boolean =>
  readLatest(candidate)?.isHandedOver === true;

const isUsers = ({ isHandedOver, isTakenBack }: Saying): boolean => !isTakenBack && !isHandedOver;

/** A small model's verdict on a candidate that is worth keeping. It chooses no words of the memory. */
export interface Verdict {
  type: MemoryType;
  /** Other words under which people would look for it. */
  aliases: readonly string[];
}

/** The memory that a candidate becomes: the user's own sentence. `undefined` if it was taken back. Pure. */
export function planDraft(candidate: Candidate, verdict?: Verdict): MemoryDraft | undefined {
  const latest = readLatest(candidate);
  if (!latest) return undefined;
  const { message, session, text, title } = latest;
  const type = verdict?.type ?? candidate.type;
  const sessions = readSessions(candidate).slice(-CONFIRMING_SESSIONS);
  const how = verdict && !usersTypes.has(type) ? "model" : latest.isHandedOver ? "confirmed" : "signal";
  return {
    type,
    title,
    content: text,
    aliases: verdict?.aliases ?? [],
    when: candidate.when,
    provenance: { by: "user", session, message, evidence: text, how },
    ...(sessions.length > 1 && { extra: { sessions } }),
  };
}
