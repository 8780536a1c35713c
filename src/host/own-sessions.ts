/**
 * Tracks our own sessions: the child sessions in which the plugin calls a model.
 *
 * The host's own data identifies them, so they are recognised after a restart too: every message has one of our agents,
 * and the title is
 *
 *     [strata] <purpose> · <process that opened it>
 *
 * Layers must not see them: each host hook filters them with `isOwnAgent` or `notice`.
 */
import { findEventSession } from "../dispatcher/hooks.js";
import { isRecord, type PlainRecord } from "../records.js";
import type { ToolBounds, UsedTokens } from "../seams/host.js";
import { isEndedAnswer, readTokens, type Trouble } from "./asking.js";

/** Hidden agents used only by our own sessions: one without tools, one for requests with bounds. */
export const OWN_AGENT = "strata";
export const TOOL_AGENT = "strata-dream";

/** Title prefix. */
export const OWN_TITLE = "[strata] ";

export const isOwnAgent = (agent: unknown): boolean => agent === OWN_AGENT || agent === TOOL_AGENT;

export function formatOwnTitle(title: string, processID: number): string {
  return `${OWN_TITLE}${title} · ${processID}`;
}

/** ID of the process that opened the session; `undefined` if the title has none. */
export function readOpener(title: string): number | undefined {
  const digits = /^\[strata(?: fork)?\] .* · (\d+)$/.exec(title)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export interface OwnSessions {
  /** With `bounds` the model may use tools. `maxAnswerTokens` limits each answer. */
  add(sessionID: string, bounds?: ToolBounds, maxAnswerTokens?: number): void;
  /** Maximum tokens of an answer, if the session was opened here with a limit. */
  findAnswerLimit(sessionID: string): number | undefined;
  has(sessionID: string): boolean;
  /** Why one of our sessions must not make this call; `undefined` if it may or is not ours. */
  findEscape(sessionID: string, tool: string, args: unknown): ReturnType<ToolBounds["findEscape"]>;
  /** The part of a call's result that the session's model may read. */
  cleanResult(sessionID: string, tool: string, args: unknown, text: string): Promise<string>;
  /** Whether a host event is about one of our sessions. Registers sessions it did not know yet. */
  notice(type: string, properties: unknown): boolean;
  /** Watches this session until the returned function is called. */
  watch(sessionID: string, watcher: OwnWatcher): () => void;
}

export interface OwnWatcher {
  onTrouble(trouble: Trouble): void;
  /** An answer has ended. */
  onAnswer(messageID: string, tokens: UsedTokens): void;
}

/** Number of sessions kept: events still arrive shortly after a session is deleted. */
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
 * The host retries a refused request without limit and without telling the caller. A model that calls a tool it does
 * not have gets an error, which costs another request.
 */
function findTrouble(type: string, { status, part }: PlainRecord, hasTools: boolean): Trouble | undefined {
  if (type === "session.status" && isRecord(status) && status.type === "retry")
    return { reason: String(status.message ?? "the provider refused"), isRefusal: true };
  if (!hasTools && type === "message.part.updated" && isRecord(part) && part.type === "tool")
    return { reason: `the model called ${part.tool}, but it has no tools`, isRefusal: false };
  return undefined;
}
