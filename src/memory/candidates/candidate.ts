/**
 * Candidates: messages of the user's that may hold something to know in later sessions. They wait outside of the project,
 * where no model sees them unasked and no other project reads them. A judge decides: the user's small model, the running
 * agent, or the user. What nobody keeps expires.
 */
import { isToolPart, type Message } from "../../io/message.js";
import type { MemoryDraft, MemoryType, Provenance } from "../memory.js";
import { CONFIRMING_SESSIONS } from "../memory.js";

/** Number of days for which a candidate waits. */
export const WAITING_DAYS = 30;

/** A sentence of the user's, with the line that announces it or the agent's question that it answers. */
export interface SaidStatement {
  text: string;
  heading?: string | undefined;
  isQuestion?: true | undefined;
}

/** Where and when the user said it, and how. */
export interface Saying {
  session: string;
  message: string;
  saidMs: number;
  title: string;
  /** The sentence that stands for the message, in the user's words, on one line, without secrets. */
  text: string;
  heading?: string | undefined;
  /** All statements of the message, `text` at `place` among them. Of the latest saying only. */
  statements?: readonly SaidStatement[];
  place?: number;
  /** What the agent had asked or done before, in a line. */
  context?: string;
  /** The user has undone or rewritten the message. Redoing it makes the saying count again. */
  isTakenBack?: true;
  /** It came from an MCP client or from the agent's work, not from a message of the user's. Only the user can accept it. */
  isHandedOver?: true;
}

export interface Candidate {
  type: MemoryType;
  when: readonly string[];
  /** Probability that its message holds something to know, 0 to 1. */
  worth: number;
  /** Oldest first. */
  said: readonly Saying[];
}

/** A candidate as stored. */
export interface WaitingCandidate extends Candidate {
  /** Six or more hexadecimal digits. */
  id: string;
  /** When it was last offered. */
  offeredMs: number;
  /** How often a model was asked about it and gave no usable answer; after the last try it only waits for the user. */
  tries?: number;
  /** No model is asked about it again. */
  isJudged?: true;
  /** The running agent was asked about it in this session, by this letter; it is not asked again. */
  asked?: { session: string; letter: string };
}

/** `shape`: the filter without words. `marks`: a sentence that says itself that it lasts. */
export const judges = ["shape", "marks", "model", "agent", "user", "repetition"] as const;
export const outcomes = ["kept", "waiting", "left out", "refused"] as const;

/** Why a message was kept or not, noted each time somebody judged one. `strata candidates why` shows it. */
export interface Judgement {
  atMs: number;
  session: string;
  message: string;
  /** The user's words, without secrets; cut. */
  text: string;
  by: (typeof judges)[number];
  outcome: (typeof outcomes)[number];
  /** For people: "it only asks". */
  why: string;
  /** The memory or candidate that it became. */
  id?: string;
}

/** The latest wording that the user has not taken back, the user's own first; `undefined` if there is none. */
export function readLatest({ said }: Pick<Candidate, "said">): Saying | undefined {
  return said.findLast(isUsers) ?? said.findLast(({ isTakenBack }) => !isTakenBack);
}

/** Sessions in which the user said it, without those in which it was taken back; the latest last. */
export function readSessions({ said }: Pick<Candidate, "said">): string[] {
  return [...new Set(said.filter(isUsers).map(({ session }) => session))];
}

/** In so many sessions it is shown first; see `planCandidates` for when it is kept. */
const REPEATED = 3;

/** Has the user said it again and again? */
export const isRepeated = (candidate: Pick<Candidate, "said">): boolean =>
  readSessions(candidate).length >= REPEATED;

/** Did it come from a client or the agent only, so that only the user can accept it as a memory? */
export const isHandedOver = (candidate: Pick<Candidate, "said">): boolean =>
  readLatest(candidate)?.isHandedOver === true;

const isUsers = ({ isHandedOver, isTakenBack }: Saying): boolean => !isTakenBack && !isHandedOver;

/**
 * The memory that a candidate becomes: the user's own sentence, below its heading. `undefined` if it was taken back. Pure.
 *
 * @param how who judged it
 */
export function planDraft(
  candidate: Candidate,
  { how, type = candidate.type }: { how: NonNullable<Provenance["how"]>; type?: MemoryType | undefined },
): MemoryDraft | undefined {
  const latest = readLatest(candidate);
  if (!latest) return undefined;
  const { heading, message, session, text, title } = latest;
  const sessions = readSessions(candidate);
  const why = sessions.length > 1 ? { why: `said in ${sessions.length} sessions` } : {};
  return {
    type,
    title,
    content: heading === undefined ? text : `${heading} ${text}`,
    when: candidate.when,
    provenance: { by: "user", session, message, evidence: text, how, ...why },
    ...(sessions.length > 1 && { extra: { sessions: sessions.slice(-CONFIRMING_SESSIONS) } }),
  };
}

/** "3 wait until you say them again or keep them" */
export const formatWaiting = (count: number): string =>
  count === 1
    ? "1 waits until you say it again or keep it"
    : `${count} wait until you say them again or keep them`;

/* How the running agent is asked about candidates: known to the layer that asks, and to the ledger, which tells its price. */

/** The tool by which the agent answers. */
export const KEEP_TOOL = "memory_keep";
/** Begins the line of a question. */
export const QUESTION_HEAD = "[Strata] Worth knowing in later sessions?";

/** Does an answer do nothing else than answer a question? Then its request was one more. */
export function isOnlyKeeping({ info, parts }: Message): boolean {
  const calls = info.role === "assistant" ? parts.filter(isToolPart) : [];
  return calls.length > 0 && calls.every(({ tool }) => tool === KEEP_TOOL);
}

/** The question in a text that was added to a message or result, if it holds one. */
export function findQuestion(text: string): string | undefined {
  if (!text.includes(QUESTION_HEAD)) return undefined;
  return text.split("\n").findLast((line) => line.startsWith(QUESTION_HEAD));
}
