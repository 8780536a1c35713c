/**
 * Which sessions are our own: the children in which the plugin has a model write something.
 *
 * They are known by what the host itself carries, so that they are told apart after a restart too: every message in
 * them is of the agent `strata`, and their title is
 *
 *     [strata] <what it is for> · <process that opened it>
 *
 * Layers must not see them: whoever binds a hook of the host leaves them out with `isOwnAgent` or `notice`.
 */
import { findEventSession } from "../dispatcher/hooks.js";
import { isRecord, type PlainRecord } from "../records.js";
import type { Trouble } from "./asking.js";

/** The hidden agent that all of them run with, and nobody else. */
export const OWN_AGENT = "strata";

/** What the title of each begins with. */
export const OWN_TITLE = "[strata] ";

export const isOwnAgent = (agent: unknown): boolean => agent === OWN_AGENT;

export function formatOwnTitle(title: string, processID: number): string {
  return `${OWN_TITLE}${title} · ${processID}`;
}

/** The process that opened the session, `undefined` where the title does not tell. */
export function readOpener(title: string): number | undefined {
  const digits = /^\[strata(?: fork)?\] .* · (\d+)$/.exec(title)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export interface OwnSessions {
  add(sessionID: string): void;
  has(sessionID: string): boolean;
  /** Is this event of the host about one of them? Learns of sessions that it had not heard of. */
  notice(type: string, properties: unknown): boolean;
  /** Tells of trouble in this session until the returned function is called. */
  watch(sessionID: string, onTrouble: (trouble: Trouble) => void): () => void;
}

/** Events of a session go on for a moment after it was deleted; older ones are not asked about any more. */
const REMEMBERED = 200;

export function createOwnSessions(): OwnSessions {
  const known = new Set<string>();
  const watchers = new Map<string, (trouble: Trouble) => void>();

  function add(sessionID: string): void {
    known.add(sessionID);
    if (known.size > REMEMBERED) known.delete(known.values().next().value ?? "");
  }

  return {
    add,
    has: (sessionID) => known.has(sessionID),

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
  if (!isRecord(info)) return false;
  return isOwnAgent(info.agent) || (typeof info.title === "string" && info.title.startsWith(OWN_TITLE));
}

/**
 * The host waits and sends a request that was refused again, without end and without saying so to the one who asked;
 * and to a model that calls a tool although it has none it answers with an error, which is another request.
 */
function findTrouble(type: string, { status, part }: PlainRecord): Trouble | undefined {
  if (type === "session.status" && isRecord(status) && status.type === "retry")
    return { reason: String(status.message ?? "the provider refused"), isRefusal: true };
  if (type === "message.part.updated" && isRecord(part) && part.type === "tool")
    return { reason: `the model called ${part.tool}, but it has no tools`, isRefusal: false };
  return undefined;
}
