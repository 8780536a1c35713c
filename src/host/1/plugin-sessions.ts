/**
 * Tracks the sessions that the plugin opens, and what the host reports about them while they run:
 *
 *     [strata] <purpose> · <process>         a hidden child session in which a model writes a text
 *     [strata fork] <purpose> · <process>    a fork of the asking session, or its empty child, with a task
 *
 * The host's own data identifies them, so they are recognised after a restart too: their title names the process that
 * opened them, and every message of a child session has our agent. Layers must not see child sessions; forks they serve.
 */
import { isRecord, keepLast, type PlainRecord } from "../../base/shape.js";
import { findEventSession, type UsedTokens } from "../../io/host.js";
import type { ReportedTokens } from "../../io/message.js";
import { isEnded } from "../../messages/history.js";

/** Hidden agent without tools, used only by our child sessions. */
export const OWN_AGENT = "strata";

export const isOwnAgent = (agent: unknown): boolean => agent === OWN_AGENT;

const CHILD_TITLE = "[strata] ";
const FORK_TITLE = "[strata fork] ";
const LONGEST_FORK_TITLE = 60;

export const formatChildTitle = (title: string, processID: number): string =>
  `${CHILD_TITLE}${title} · ${processID}`;

export function formatForkTitle(title: string, processID: number): string {
  const line = title.replace(/\s+/g, " ").trim();
  return `${FORK_TITLE}${[...line].slice(0, LONGEST_FORK_TITLE).join("")} · ${processID}`;
}

/** ID of the process that opened the session; `undefined` if the title has none. */
export function readOpener(title: string): number | undefined {
  const digits = /^\[strata(?: fork)?\] .* · (\d+)$/.exec(title)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** A fork has no parent: its title identifies it. A child needs one, since a user may title a session "[strata] …", too. */
export function isOurs({ parentID, title }: PlainRecord): boolean {
  if (typeof title !== "string" || readOpener(title) === undefined) return false;
  return title.startsWith(FORK_TITLE) || parentID !== undefined;
}

/** Why one of our turns is bound to fail. */
export interface Trouble {
  reason: string;
  /** The provider refused the request; the host would retry it without limit. */
  isRefusal?: true;
}

/** A question or permission request that only a person can answer. */
export interface Ask {
  kind: "permission" | "question";
  id: string;
  /** The asking session: the fork itself or one of its descendants. */
  sessionID: string;
  /** Subject of the request, in a few words. */
  what: string;
}

/** Told about a session and those below it. */
export interface Watcher {
  onTrouble?(trouble: Trouble): void;
  onAsk?(ask: Ask): void;
  onAnswer?(messageID: string, tokens: UsedTokens): void;
}

interface Known {
  /** The session that was opened: this one or its ancestor. */
  rootID: string;
  isChild: boolean;
  isFork: boolean;
  askerID?: string;
  maxAnswerTokens?: number;
}

/** Number of sessions kept: events still arrive shortly after a session is removed. */
const REMEMBERED = 500;

export type PluginSessions = ReturnType<typeof createPluginSessions>;

export function createPluginSessions() {
  const known = new Map<string, Known>();
  const watchers = new Map<string, Watcher>();
  /** As the host told them last. */
  const titles = new Map<string, string>();

  const add = (id: string, one: Known): void => keepLast(known, id, one, REMEMBERED);

  /** A session that is new may be below one of ours. */
  function noticeSession(type: string, { info }: PlainRecord): void {
    if (!isRecord(info) || typeof info.id !== "string") return;
    if (typeof info.title === "string") keepLast(titles, info.id, info.title, REMEMBERED);
    if (type !== "session.created") return;
    const above = known.get(String(info.parentID));
    if (above && !above.isChild) add(info.id, { ...above, isFork: false });
  }

  return {
    /** A child session; `maxAnswerTokens` limits each answer. */
    addChild: (id: string, maxAnswerTokens?: number): void =>
      add(id, {
        ...{ rootID: id, isChild: true, isFork: false },
        ...(maxAnswerTokens !== undefined && { maxAnswerTokens }),
      }),
    addFork: ({ askerID, id, isFork }: { id: string; askerID: string; isFork: boolean }): void =>
      add(id, { rootID: id, isChild: false, isFork, askerID }),
    isChild: (id: string): boolean => known.get(id)?.isChild === true,
    isFork: (id: string): boolean => known.get(id)?.isFork === true,
    /** The session that requested this fork, or the fork it descends from. */
    findAsker: (id: string): string | undefined => known.get(id)?.askerID,
    findTitle: (id: string): string | undefined => titles.get(id),
    findAnswerLimit: (id: string): number | undefined => known.get(id)?.maxAnswerTokens,

    /** Processes a host event. Is it about a child session? Registers those it did not know yet. */
    notice(type: string, properties: unknown): boolean {
      if (!isRecord(properties)) return false;
      if (/^session\.(created|updated)$/.test(type)) noticeSession(type, properties);
      const id = findEventSession(properties);
      if (id === undefined) return false;
      if (!known.has(id) && isOfChild(properties)) add(id, { rootID: id, isChild: true, isFork: false });
      const session = known.get(id);
      const watcher = session && watchers.get(session.rootID);
      if (watcher) tell(watcher, type, properties, id);
      return session?.isChild === true;
    },

    watch(sessionID: string, watcher: Watcher): () => void {
      watchers.set(sessionID, watcher);
      return () => watchers.delete(sessionID);
    },
  };
}

function isOfChild({ info }: PlainRecord): boolean {
  if (!isRecord(info)) return false;
  return isOwnAgent(info.agent) || (String(info.title).startsWith(CHILD_TITLE) && isOurs(info));
}

function tell(watcher: Watcher, type: string, properties: PlainRecord, sessionID: string): void {
  const trouble = findTrouble(type, properties);
  if (trouble) watcher.onTrouble?.(trouble);
  const ask = findAsk(type, properties, sessionID);
  if (ask) watcher.onAsk?.(ask);
  const { info } = properties;
  if (type === "message.updated" && isEnded(info)) watcher.onAnswer?.(info.id, readTokens(info));
}

/**
 * The host retries a refused request without limit and without telling the caller. A model that calls a tool, though
 * it has none, gets an error, which costs another request.
 */
function findTrouble(type: string, { status, part }: PlainRecord): Trouble | undefined {
  if (type === "session.status" && isRecord(status) && status.type === "retry")
    return { reason: String(status.message ?? "the provider refused"), isRefusal: true };
  if (type === "message.part.updated" && isRecord(part) && part.type === "tool")
    return { reason: `the model called ${part.tool}, but it has no tools` };
  return undefined;
}

function findAsk(type: string, properties: PlainRecord, sessionID: string): Ask | undefined {
  const { id, patterns, permission } = properties;
  if (typeof id !== "string") return undefined;
  if (type === "question.asked") return { kind: "question", id, sessionID, what: "an answer of the user's" };
  if (type !== "permission.asked") return undefined;
  const of = Array.isArray(patterns) ? patterns.slice(0, 3).join(", ") : "";
  return { kind: "permission", id, sessionID, what: `${permission}${of === "" ? "" : ` (${of})`}` };
}

/** Tokens of one answer, as the provider reported them. */
export function readTokens({ tokens }: { tokens: ReportedTokens }): UsedTokens {
  return {
    input: tokens.input + tokens.cache.write,
    output: tokens.output + tokens.reasoning,
    cacheRead: tokens.cache.read,
  };
}
