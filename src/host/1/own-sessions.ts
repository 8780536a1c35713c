/**
 * Tracks our own sessions: the child sessions in which the plugin calls a model.
 *
 * The host's own data identifies them, so they are recognised after a restart too: every message has our agent, and
 * the title is
 *
 *     [strata] <purpose> · <process that opened it>
 *
 * Layers must not see them: each host hook filters them with `isOwnAgent` or `notice`.
 */

import { isRecord, type PlainRecord } from "../../base/records.js";
import { findEventSession } from "../../messages/events.js";
import type { Trouble } from "./asking.js";

/** Hidden agent without tools, used only by our own sessions. */
export const OWN_AGENT = "strata";

/** Title prefix. */
export const OWN_TITLE = "[strata] ";

export const isOwnAgent = (agent: unknown): boolean => agent === OWN_AGENT;

export function formatOwnTitle(title: string, processID: number): string {
  return `${OWN_TITLE}${title} · ${processID}`;
}

/** ID of the process that opened the session; `undefined` if the title has none. */
export function readOpener(title: string): number | undefined {
  const digits = /^\[strata(?: fork)?\] .* · (\d+)$/.exec(title)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export interface OwnSessions {
  /** `maxAnswerTokens` limits each answer. */
  add(sessionID: string, maxAnswerTokens?: number): void;
  /** Maximum tokens of an answer, if the session was opened here with a limit. */
  findAnswerLimit(sessionID: string): number | undefined;
  has(sessionID: string): boolean;
  /** Whether a host event is about one of our sessions. Registers sessions it did not know yet. */
  notice(type: string, properties: unknown): boolean;
  /** Reports why the session's turn is bound to fail, until the returned function is called. */
  watch(sessionID: string, onTrouble: (trouble: Trouble) => void): () => void;
}

/** Number of sessions kept: events still arrive shortly after a session is deleted. */
const REMEMBERED = 200;

export function createOwnSessions(): OwnSessions {
  /** The limit of each session's answers, if it has one. */
  const known = new Map<string, number | undefined>();
  const watchers = new Map<string, (trouble: Trouble) => void>();

  function add(sessionID: string, maxAnswerTokens?: number): void {
    known.set(sessionID, maxAnswerTokens);
    if (known.size > REMEMBERED) known.delete(known.keys().next().value ?? "");
  }

  return {
    add,
    has: (sessionID) => known.has(sessionID),
    findAnswerLimit: (sessionID) => known.get(sessionID),

    notice(type, properties) {
      if (!isRecord(properties)) return false;
      const sessionID = findEventSession(properties);
      if (sessionID === undefined) return false;
      if (!known.has(sessionID)) {
        if (!isMarked(properties)) return false;
        add(sessionID);
      }
      const trouble = findTrouble(type, properties);
      if (trouble) watchers.get(sessionID)?.(trouble);
      return true;
    },

    watch(sessionID, onTrouble) {
      watchers.set(sessionID, onTrouble);
      return () => watchers.delete(sessionID);
    },
  };
}

function isMarked({ info }: PlainRecord): boolean {
  return isRecord(info) && (isOwnAgent(info.agent) || hasOwnTitle(info));
}

/** Only a child session that names the process which opened it: a user may title theirs "[strata] …" too. */
export function hasOwnTitle({ parentID, title }: PlainRecord): boolean {
  if (parentID === undefined || typeof title !== "string") return false;
  return title.startsWith(OWN_TITLE) && readOpener(title) !== undefined;
}

/**
 * The host retries a refused request without limit and without telling the caller. A model that calls a tool, though
 * it has none, gets an error, which costs another request.
 */
function findTrouble(type: string, { status, part }: PlainRecord): Trouble | undefined {
  if (type === "session.status" && isRecord(status) && status.type === "retry")
    return { reason: String(status.message ?? "the provider refused"), isRefusal: true };
  if (type === "message.part.updated" && isRecord(part) && part.type === "tool")
    return { reason: `the model called ${part.tool}, but it has no tools`, isRefusal: false };
  return undefined;
}
