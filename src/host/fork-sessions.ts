/**
 * Which sessions `runFork` has opened, and what the host reports of them while they run.
 *
 *     [strata fork] <what it is for> · <process that opened it>
 *
 * is the title of each, by which the next start knows what a killed process has left behind. The host takes its time to
 * copy a long session, so a fork is known, and can be given its title, from the host's first word of it on.
 */
import { findEventSession } from "../dispatcher/hooks.js";
import { isRecord, type PlainRecord } from "../records.js";
import type { UsedTokens } from "../seams/host.js";
import { isEndedAnswer, readTokens } from "./asking.js";

export const FORK_TITLE = "[strata fork] ";
const LONGEST_TITLE = 60;

export function formatForkTitle(title: string, processID: number): string {
  const line = title.replace(/\s+/g, " ").trim();
  const short = [...line].slice(0, LONGEST_TITLE).join("");
  return `${FORK_TITLE}${short} · ${processID}`;
}

/** Something that only a person can answer. */
export interface Ask {
  kind: "permission" | "question";
  id: string;
  /** The session that asks: the one that was opened, or one below it. */
  sessionID: string;
  /** What for, in a few words. */
  what: string;
}

export interface ForkWatcher {
  onAsk(ask: Ask): void;
  /** An answer of its own has ended. */
  onAnswer(messageID: string, tokens: UsedTokens): void;
}

export interface ForkSessions {
  /**
   * A fork of a session with this title is on its way; `onSeen` is told at the host's first word of one, while it is
   * still being copied. Ends with the function it returns, which gives the forks seen and their titles: a person may
   * have made one at the same moment. One is expected at a time.
   */
  expect(title: string, onSeen: (sessionID: string) => void): () => ReadonlyMap<string, string>;
  add(session: { id: string; askerID: string; isFork: boolean }): void;
  isFork(sessionID: string): boolean;
  /** Who asked for it, or for the one above it. */
  findAsker(sessionID: string): string | undefined;
  /** Takes note of what the host reports. */
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
  /** The session that was opened for the asker; its own id, or that of one above it. */
  rootID: string;
  isFork: boolean;
}

/** Events of a session go on for a moment after it was removed; older ones are not asked about any more. */
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

/** The title of a session without what the host adds to those of its forks. */
const withoutForkNumber = (title: string): string => title.replace(/ \(fork #\d+\)$/, "");

function readAsk(type: string, properties: PlainRecord, sessionID: string): Ask | undefined {
  const { id, patterns, permission } = properties;
  if (typeof id !== "string") return undefined;
  if (type === "question.asked") return { kind: "question", id, sessionID, what: "an answer of the user's" };
  if (type !== "permission.asked") return undefined;
  const of = Array.isArray(patterns) ? patterns.slice(0, 3).join(", ") : "";
  return { kind: "permission", id, sessionID, what: `${permission}${of === "" ? "" : ` (${of})`}` };
}
