/**
 * Tracks the sessions `runFork` has opened and what the host reports about them while they run. Their title is
 *
 *     [strata fork] <purpose> · <process that opened it>
 *
 * so that the next start recognises the sessions of a killed process. Copying a long session takes the host a while, so
 * a fork is registered and titled at its first event.
 */
import { isRecord, type PlainRecord } from "../../base/shape.js";
import type { UsedTokens } from "../../io/host.js";
import { findEventSession } from "../../messages/events.js";
import { readTokens } from "./asking.js";

export const FORK_TITLE = "[strata fork] ";
const LONGEST_TITLE = 60;

export function formatForkTitle(title: string, processID: number): string {
  const line = title.replace(/\s+/g, " ").trim();
  const short = [...line].slice(0, LONGEST_TITLE).join("");
  return `${FORK_TITLE}${short} · ${processID}`;
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

export interface ForkWatcher {
  onAsk(ask: Ask): void;
  /** One of the fork's answers has ended. */
  onAnswer(messageID: string, tokens: UsedTokens): void;
}

export interface ForkSessions {
  /**
   * Announces a fork of a session with this title; calls `onSeen` at its first event, while the host still copies it.
   * The returned function ends the expectation and returns the forks seen with their titles: a person may have made
   * another at the same moment. Only one fork can be expected at a time.
   */
  expect(title: string, onSeen: (sessionID: string) => void): () => ReadonlyMap<string, string>;
  add(session: { id: string; askerID: string; isFork: boolean }): void;
  isFork(sessionID: string): boolean;
  /** The session that requested this fork, or the fork it descends from. */
  findAsker(sessionID: string): string | undefined;
  /** Processes a host event. */
  notice(type: string, properties: unknown): void;
  watch(sessionID: string, watcher: ForkWatcher): () => void;
}

interface Expected {
  base: string;
  onSeen(sessionID: string): void;
  seen: Map<string, string>;
}

interface Known {
  askerID: string;
  /** The session opened for the asker: this one or its ancestor. */
  rootID: string;
  isFork: boolean;
}

/** Number of sessions kept: events still arrive shortly after a session is removed. */
const REMEMBERED = 500;

export function createForkSessions(): ForkSessions {
  const known = new Map<string, Known>();
  const watchers = new Map<string, ForkWatcher>();
  let expected: Expected | undefined;

  function put(id: string, one: Known): void {
    known.set(id, one);
    if (known.size > REMEMBERED) known.delete(known.keys().next().value ?? "");
  }

  return {
    expect(title, onSeen) {
      const own: Expected = { base: withoutForkNumber(title), onSeen, seen: new Map() };
      expected = own;
      return () => {
        if (expected === own) expected = undefined;
        return own.seen;
      };
    },

    add({ id, askerID, isFork }) {
      put(id, { askerID, isFork, rootID: id });
    },

    isFork: (sessionID) => known.get(sessionID)?.isFork === true || expected?.seen.has(sessionID) === true,
    findAsker: (sessionID) => known.get(sessionID)?.askerID,

    notice(type, properties) {
      if (!isRecord(properties)) return;
      if (type === "session.created") noticeSession(properties);
      const sessionID = findEventSession(properties);
      const watcher = watchers.get(known.get(sessionID ?? "")?.rootID ?? "");
      if (!watcher || sessionID === undefined) return;
      const ask = readAsk(type, properties, sessionID);
      if (ask) watcher.onAsk(ask);
      if (type === "message.updated" && isEndedAnswer(properties.info))
        watcher.onAnswer(properties.info.id, readTokens(properties.info));
    },

    watch(sessionID, watcher) {
      watchers.set(sessionID, watcher);
      return () => watchers.delete(sessionID);
    },
  };

  function noticeSession({ info }: PlainRecord): void {
    if (!isRecord(info) || typeof info.id !== "string") return;
    const above = known.get(String(info.parentID));
    if (above) put(info.id, { ...above, isFork: false });
    const title = String(info.title);
    const isFork = info.parentID === undefined && title !== withoutForkNumber(title);
    if (!expected || !isFork || withoutForkNumber(title) !== expected.base) return;
    expected.seen.set(info.id, title);
    expected.onSeen(info.id);
  }
}

/** A title without the suffix the host adds to forks. */
const withoutForkNumber = (title: string): string => title.replace(/ \(fork #\d+\)$/, "");

function readAsk(type: string, properties: PlainRecord, sessionID: string): Ask | undefined {
  const { id, patterns, permission } = properties;
  if (typeof id !== "string") return undefined;
  if (type === "question.asked") return { kind: "question", id, sessionID, what: "an answer of the user's" };
  if (type !== "permission.asked") return undefined;
  const of = Array.isArray(patterns) ? patterns.slice(0, 3).join(", ") : "";
  return { kind: "permission", id, sessionID, what: `${permission}${of === "" ? "" : ` (${of})`}` };
}

type EndedAnswer = Parameters<typeof readTokens>[0] & { id: string };

/** Whether the host's message info describes an answer that has ended. */
function isEndedAnswer(info: unknown): info is EndedAnswer {
  if (!isRecord(info) || info.role !== "assistant" || typeof info.id !== "string") return false;
  return isRecord(info.time) && info.time.completed !== undefined && isRecord(info.tokens);
}
