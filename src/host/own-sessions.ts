/**
 * Which sessions are our own: the children in which the plugin has a model write something.
 *
 * They are known by what the host itself carries, so that they are told apart after a restart too: every message in
 * them is of an agent of ours, and their title is
 *
 *     [strata] <what it is for> · <process that opened it>
 *
 * Layers must not see them: whoever binds a hook of the host leaves them out with `isOwnAgent` or `notice`.
 */
import { findEventSession } from "../dispatcher/hooks.js";
import { isRecord, type PlainRecord } from "../records.js";
import type { ToolBounds, UsedTokens } from "../seams/host.js";
import { isEndedAnswer, readTokens, type Trouble } from "./asking.js";

/** The hidden agents that they run with, and nobody else: one without tools, and one for a request with bounds. */
export const OWN_AGENT = "strata";
export const TOOL_AGENT = "strata-dream";

/** What the title of each begins with. */
export const OWN_TITLE = "[strata] ";

export const isOwnAgent = (agent: unknown): boolean => agent === OWN_AGENT || agent === TOOL_AGENT;

export function formatOwnTitle(title: string, processID: number): string {
  return `${OWN_TITLE}${title} · ${processID}`;
}

/** The process that opened the session, `undefined` where the title does not tell. */
export function readOpener(title: string): number | undefined {
  const digits = /^\[strata(?: fork)?\] .* · (\d+)$/.exec(title)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export interface OwnSessions {
  /** With bounds its model may use tools. `maxAnswerTokens`: the most that an answer of it may take. */
  add(sessionID: string, bounds?: ToolBounds, maxAnswerTokens?: number): void;
  /** The most that an answer of this session may take, where it is ours and was opened here. */
  findAnswerLimit(sessionID: string): number | undefined;
  has(sessionID: string): boolean;
  /** Why a session of ours must not make this call; `undefined` where it may, and where it is not ours. */
  findEscape(sessionID: string, tool: string, args: unknown): ReturnType<ToolBounds["findEscape"]>;
  /** What of a call's result the model of a session of ours reads. */
  cleanResult(sessionID: string, tool: string, args: unknown, text: string): Promise<string>;
  /** Is this event of the host about one of them? Learns of sessions that it had not heard of. */
  notice(type: string, properties: unknown): boolean;
  /** Tells what goes on in this session until the returned function is called. */
  watch(sessionID: string, watcher: OwnWatcher): () => void;
}

export interface OwnWatcher {
  onTrouble(trouble: Trouble): void;
  /** An answer has ended. */
  onAnswer(messageID: string, tokens: UsedTokens): void;
}

/** Events of a session go on for a moment after it was deleted; older ones are not asked about any more. */
const REMEMBERED = 200;

export function createOwnSessions(): OwnSessions {
  const known = new Map<string, ToolBounds | undefined>();
  const limits = new Map<string, number>();
  const watchers = new Map<string, OwnWatcher>();

  function add(sessionID: string, bounds?: ToolBounds, maxAnswerTokens?: number): void {
    known.set(sessionID, bounds);
    if (maxAnswerTokens !== undefined) limits.set(sessionID, maxAnswerTokens);
    if (known.size <= REMEMBERED) return;
    const oldest = known.keys().next().value ?? "";
    known.delete(oldest);
    limits.delete(oldest);
  }

  return {
    add,
    has: (sessionID) => known.has(sessionID),
    findAnswerLimit: (sessionID) => limits.get(sessionID),

    findEscape(sessionID, tool, args) {
      if (!known.has(sessionID)) return undefined;
      const bounds = known.get(sessionID);
      return bounds ? bounds.findEscape(tool, args) : "this session has no tools";
    },

    async cleanResult(sessionID, ...call) {
      return (await known.get(sessionID)?.cleanResult(...call)) ?? "(not shown: this session has no tools)";
    },

    notice(type, properties) {
      if (!isRecord(properties)) return false;
      const sessionID = findEventSession(properties);
      if (sessionID === undefined) return false;
      if (!known.has(sessionID)) {
        if (!isMarked(properties)) return false;
        add(sessionID);
      }
      const watcher = watchers.get(sessionID);
      const trouble = findTrouble(type, properties, known.get(sessionID) !== undefined);
      if (trouble) watcher?.onTrouble(trouble);
      if (type === "message.updated" && isEndedAnswer(properties.info))
        watcher?.onAnswer(properties.info.id, readTokens(properties.info));
      return true;
    },

    watch(sessionID, watcher) {
      watchers.set(sessionID, watcher);
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
 * The host waits and sends a request that was refused again, without end and without saying so to the one who asked;
 * and to a model that calls a tool although it has none it answers with an error, which is another request.
 */
function findTrouble(type: string, { status, part }: PlainRecord, hasTools: boolean): Trouble | undefined {
  if (type === "session.status" && isRecord(status) && status.type === "retry")
    return { reason: String(status.message ?? "the provider refused"), isRefusal: true };
  if (!hasTools && type === "message.part.updated" && isRecord(part) && part.type === "tool")
    return { reason: `the model called ${part.tool}, but it has no tools`, isRefusal: false };
  return undefined;
}
