/**
 * The memory of failures: what failed, how often, and what resolved it, in `.opencode/memory/errors.log`.
 *
 * It learns from the messages of each request. Of a session that it has not seen yet only the newest results are
 * written down: those before were written by whoever sent them, and what a person has taken out of the log since
 * does not come back. A line is written once, whoever sees the result: its key is the result's own, also in a fork.
 * Only lines that this user's machine has written, and nobody has changed since, are answered from.
 * The log is written behind the turn. What cannot be written is said once in the machine's log, and known all the same.
 */

import type { Message } from "../../../src/conversation/message.js";
import { formatError } from "../../../src/error.js";
import type { Locks } from "../../../src/lock/locks.js";
import type { Seal } from "../../../src/owner/seal.js";
import type { Log } from "../../../src/record/log.js";
import type { Files } from "../../../src/seams/files.js";
import type { ReadingOptions } from "./ended-call.js";
import type { Entry } from "./entry.js";
import { createErrorLog, type LogLine } from "./error-log.js";
import { addEntry, type KnownFailure, nameFailure, sumEntries } from "./known-failures.js";
import { createObserver } from "./observer.js";
import type { Occurrence } from "./tracker.js";

/** No call rejects. */
export interface Failures {
  /** Takes in what is new in these messages, and tells which calls in it have failed the same way before. */
  learn(sessionID: string, messages: readonly Message[]): Promise<readonly Repetition[]>;
  /** What is known, the newest last: of all sessions, or of those in which it failed last or was resolved. */
  recent(options?: { session?: string; sinceMs?: number }): Promise<readonly KnownFailure[]>;
  /** Resolves when nothing is left to be written. */
  onIdle(): Promise<void>;
}

/** A call that has just failed as it did before. */
export interface Repetition {
  /** Its result, by identity. */
  readonly part: Message["parts"][number];
  /** As it was known before this time. */
  readonly before: KnownFailure;
  /** It may have been run to see whether a change of files helped. */
  readonly isRetryAfterChange: boolean;
}

export interface FailuresOptions extends ReadingOptions {
  files: Files;
  locks: Locks;
  log: Log;
  /** Of `errors.log`. */
  path: string;
  /** The lock that decides who turns it over. */
  lock: string;
  seal: Seal;
}

const SOURCE = "errors";

export function createFailures(options: FailuresOptions): Failures {
  const { files, locks, log, path, lock, seal, ...reading } = options;
  const errorLog = createErrorLog({ files, locks, path, lock, seal });
  const observe = createObserver(reading);
  /** What is not in the log yet, or could not be written. */
  let unwritten: readonly Entry[] = [];
  let writing: Promise<void> = Promise.resolve();
  let hasFailed = false;
  let known: Known | undefined;

  return {
    async learn(sessionID, messages) {
      const occurrences = observe(sessionID, messages);
      if (occurrences.length === 0) return [];
      const all = await readAll();
      const repetitions = occurrences.flatMap((one) => findRepetition(one, all));
      write(occurrences.flatMap((one) => toEntry(one, sessionID, all)));
      return repetitions;
    },

    async recent({ session, sinceMs = 0 } = {}) {
      const { failures } = await readAll();
      const isWanted = ({ lastAt, resolution, session: last }: KnownFailure): boolean =>
        Math.max(lastAt, resolution?.at ?? 0) >= sinceMs &&
        (session === undefined || session === last || session === resolution?.session);
      return [...failures.values()].filter(isWanted).sort((a, b) => a.lastAt - b.lastAt);
    },

    onIdle: () => writing,
  };

  /** What the log has, and what is on its way into it. */
  async function readAll(): Promise<Known> {
    await writing;
    const read = await readLog();
    if (known?.log === read) return known;
    const own = read.filter(({ isOwn }) => isOwn).map(({ entry }) => entry);
    // Of a result that a line was about nothing is written again, whatever was made of that line.
    const all = [...read.map(({ entry }) => entry), ...unwritten];
    known = {
      log: read,
      failures: sumEntries([...own, ...unwritten]),
      keys: new Set(all.map(nameEntry)),
    };
    return known;
  }

  async function readLog(): Promise<readonly LogLine[]> {
    try {
      return await errorLog.read();
    } catch (thrown) {
      complain("read", thrown);
      return [];
    }
  }

  function write(entries: readonly Entry[]): void {
    if (entries.length === 0) return;
    unwritten = [...unwritten, ...entries].slice(-MOST_UNWRITTEN);
    writing = writing.then(async () => {
      try {
        await errorLog.append(entries);
        unwritten = unwritten.filter((entry) => !entries.includes(entry));
      } catch (thrown) {
        complain("write", thrown);
      }
    });
  }

  function complain(what: string, thrown: unknown): void {
    if (!hasFailed) log.warn(SOURCE, `cannot ${what} ${path}: ${formatError(thrown)}`);
    hasFailed = true;
  }
}

interface Known {
  /** The log as it was read; what was written here since is in the others as well. */
  log: readonly LogLine[];
  failures: Map<string, KnownFailure>;
  keys: Set<string>;
}

const MOST_UNWRITTEN = 500;

const nameEntry = (entry: Pick<Entry, "kind" | "key" | "callHash" | "messageHash">): string =>
  `${entry.kind} ${entry.key} ${nameFailure(entry)}`;

/** As it was known before any of these; a call that failed twice in one answer is no repetition. */
function findRepetition(occurrence: Occurrence, { failures, keys }: Known): Repetition[] {
  if (occurrence.kind !== "failed") return [];
  const { ended, failure, isRetryAfterChange } = occurrence;
  const before = failures.get(nameFailure(failure));
  // One that is in the log already was judged before, here or in the session that this one is a fork of.
  const isKnown = keys.has(nameEntry({ kind: "failed", key: ended.key, ...failure }));
  return before && !isKnown ? [{ part: ended.part, before, isRetryAfterChange }] : [];
}

/** The line to be written; none where it is there. The next of the same kind finds it among those known. */
function toEntry(occurrence: Occurrence, session: string, { failures, keys }: Known): Entry[] {
  const { ended, failure, kind } = occurrence;
  const { call, callHash, message, messageHash } = failure;
  const at = Math.floor(ended.at / 1_000) * 1_000;
  const of = { kind, session, call, callHash, messageHash, key: ended.key };
  // How a failure was resolved that is not in the log, or was taken out of it, is nothing to keep.
  const isLoose = kind === "resolved" && !failures.has(nameFailure(of));
  if (isLoose || keys.has(nameEntry(of))) return [];
  const attempts = (failures.get(nameFailure(of))?.attempts ?? 0) + 1;
  const entry: Entry =
    occurrence.kind === "failed"
      ? { ...of, at, tool: occurrence.ended.tool, text: message, attempt: attempts }
      : { ...of, at, tool: occurrence.tool, text: occurrence.text, attempt: 0 };
  keys.add(nameEntry(entry));
  addEntry(failures, entry);
  return [entry];
}
