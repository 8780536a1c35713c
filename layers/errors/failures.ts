/**
 * The memory of failures: what failed, how often, and what resolved it, in `.opencode/memory/errors.log`.
 *
 * It learns from the messages of each request. For a session not seen yet only the newest results are logged: the instance
 * that sent the others has logged them, and lines that a person has deleted since must not come back. Each result is logged
 * once, over instances and forks, because its key is the same everywhere. Answers use only lines that this user's machine
 * has written and that are unchanged. The log is written in the background. If a write fails, strata.log says so once, and
 * the entries stay known in memory.
 */

import type { Message } from "../../src/conversation/message.js";
import { formatError } from "../../src/error.js";
import type { Locks } from "../../src/lock/locks.js";
import type { Seal } from "../../src/owner/seal.js";
import type { Log } from "../../src/record/log.js";
import type { Files } from "../../src/seams/files.js";
import { type EndedCall, formatCall, type ReadingOptions } from "./ended-call.js";
import type { Entry } from "./entry.js";
import { createErrorLog, type LogLine } from "./error-log.js";
import { hashCall } from "./fingerprint.js";
import { isOpen } from "./forewarning.js";
import { addEntry, type KnownFailure, nameFailure, sumEntries } from "./known-failures.js";
import { createObserver } from "./observer.js";
import { type Occurrence, UNCHANGED } from "./tracker.js";

/** No call rejects. */
export interface Failures {
  /** Learns from new messages, and returns the calls in them that have failed the same way before. */
  learn(sessionID: string, messages: readonly Message[]): Promise<readonly Repetition[]>;
  /** Known failures, the newest last; with `session`, only those that failed last or were resolved in it. */
  recent(options?: { session?: string; sinceMs?: number }): Promise<readonly KnownFailure[]>;
  /** The ways in which this call has failed; `callHash` as from `hashCall`. */
  ofCall(callHash: string): Promise<readonly KnownFailure[]>;
  /** Resolves when all entries are written. */
  onIdle(): Promise<void>;
}

/** A call that has failed the same way as before. */
export interface Repetition {
  /** The part with its result, compared by identity. */
  readonly part: Message["parts"][number];
  /** The failure as known before this call. */
  readonly before: KnownFailure;
  /** Files were changed in between, so the call may have been a test of that change. */
  readonly isRetryAfterChange: boolean;
}

export interface FailuresOptions extends ReadingOptions {
  files: Files;
  locks: Locks;
  log: Log;
  /** Path of `errors.log`. */
  path: string;
  /** Path of the lock for rotation. */
  lock: string;
  seal: Seal;
  /** Number of newest lines to read; default: all. */
  maxLines?: number;
}

const SOURCE = "errors";

export function createFailures(options: FailuresOptions): Failures {
  const { files, locks, log, path, lock, seal, maxLines = Number.POSITIVE_INFINITY, ...reading } = options;
  const errorLog = createErrorLog({ files, locks, path, lock, seal, maxLines });
  const observe = createObserver(reading);
  /** Entries that are not in the log yet, or could not be written. */
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
      write(
        occurrences.flatMap((one) => {
          const ends = one.kind === "worked" ? findEnds(one.ended, all, reading) : [one];
          return ends.flatMap((end) => toEntry(end, sessionID, all));
        }),
      );
      return repetitions;
    },

    async recent({ session, sinceMs = 0 } = {}) {
      const { failures } = await readAll();
      const isWanted = ({ lastAt, resolution, session: last }: KnownFailure): boolean =>
        Math.max(lastAt, resolution?.at ?? 0) >= sinceMs &&
        (session === undefined || session === last || session === resolution?.session);
      return [...failures.values()].filter(isWanted).sort((a, b) => a.lastAt - b.lastAt);
    },

    async ofCall(callHash) {
      const { failures } = await readAll();
      return [...failures].flatMap(([name, known]) => (name.startsWith(`${callHash} `) ? [known] : []));
    },

    onIdle: () => writing,
  };

  /** The entries of the log, and those still to be written. */
  async function readAll(): Promise<Known> {
    await writing;
    const read = await readLog();
    if (known?.log === read) return known;
    const own = read.filter(({ isOwn }) => isOwn).map(({ entry }) => entry);
    // A result with a line in the log is not logged again, even if the line was changed.
    const all = [...read.map(({ entry }) => entry), ...unwritten];
    known = {
      log: read,
      failures: sumEntries([...own, ...unwritten].slice(-maxLines)),
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
  /** The log as last read; the other fields include what this instance has written since. */
  log: readonly LogLine[];
  failures: Map<string, KnownFailure>;
  keys: Set<string>;
}

const MOST_UNWRITTEN = 500;

const nameEntry = (entry: Pick<Entry, "kind" | "key" | "callHash" | "messageHash">): string =>
  `${entry.kind} ${entry.key} ${nameFailure(entry)}`;

/** Compares with what was known before this answer; a call that fails twice in one answer is not a repetition. */
function findRepetition(occurrence: Occurrence, { failures, keys }: Known): Repetition[] {
  if (occurrence.kind !== "failed") return [];
  const { ended, failure, isRetryAfterChange } = occurrence;
  const before = failures.get(nameFailure(failure));
  // A logged result was handled before, here or in the session from which this one was forked.
  const isKnown = keys.has(nameEntry({ kind: "failed", key: ended.key, ...failure }));
  return before && !isKnown ? [{ part: ended.part, before, isRetryAfterChange }] : [];
}

/** The open failures, of any session, that a successful call resolves: those of the same call. */
function findEnds(ended: EndedCall, { failures }: Known, reading: ReadingOptions): Ending[] {
  const call = formatCall(ended.part, { ...reading, redact: (text) => text });
  const open = [...failures].filter(
    ([, one]) => one.tool === ended.tool && one.call === call && isOpen(one) && one.lastAt <= ended.at,
  );
  // Removing secrets from arguments is slow, and most calls have never failed.
  const callHash = open.length > 0 ? hashCall(ended.part, reading.project, reading.redact) : "";
  return open.flatMap(([name, { message, tool }]): Ending[] => {
    const [hash, messageHash = ""] = name.split(" ");
    const failure = { call, callHash, message, messageHash };
    return hash === callHash ? [{ kind: "resolved", ended, failure, tool, text: UNCHANGED }] : [];
  });
}

type Ending = Exclude<Occurrence, { kind: "worked" }>;

/** The line to write; none if the log has it. Adds it to the known entries for the occurrences that follow. */
function toEntry(occurrence: Ending, session: string, { failures, keys }: Known): Entry[] {
  const { ended, failure, kind } = occurrence;
  const { call, callHash, message, messageHash } = failure;
  const at = Math.floor(ended.at / 1_000) * 1_000;
  const of = { kind, session, call, callHash, messageHash, key: ended.key };
  // A resolution without its failure in the log is not kept.
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
