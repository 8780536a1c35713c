/**
 * The memory of failures: what failed, how often, and what resolved it, in `.opencode/memory/errors.log`.
 *
 * It learns from the messages of each request. Each result is logged once, over instances and forks, because its key is
 * the same everywhere. Answers use only lines that this user's machine has written and that are unchanged. The log is
 * written in the background. If a write fails, strata.log says so once, and the entries stay known in memory.
 */
import { formatError } from "../../src/base/error.js";
import type { Message } from "../../src/io/message.js";
import { isChangingTool, readInput } from "../../src/messages/call.js";
import {
  createSessionCalls,
  formatCall,
  hashCall,
  type SessionCall,
  splitCommand,
  toField,
} from "./ended-call.js";
import { createErrorLog, type Entry, type ErrorLogOptions, type LogLine } from "./error-log.js";

export interface KnownFailure {
  readonly tool: string;
  readonly call: string;
  readonly message: string;
  /** Number of failures of this kind, including those whose lines are gone. */
  readonly attempts: number;
  /** Time of the first failure with a line; milliseconds since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly session: string;
  readonly resolution?: { readonly at: number; readonly text: string };
}

export interface Repetition {
  /** The part with its result, compared by identity. */
  readonly part: Message["parts"][number];
  readonly before: KnownFailure;
  /** The session has changed files in between, so the call may have been a test of that change. */
  readonly isRetryAfterChange: boolean;
}

interface FailuresOptions extends ErrorLogOptions {
  log: { warn(source: string, message: string): void };
  maxLines: number;
  project: string;
}

interface Known {
  /** The log as last read; the other fields include what this instance is writing. */
  log: readonly LogLine[];
  failures: Map<string, KnownFailure>;
  entries: Set<string>;
}

const LONGEST_RESOLUTION = 260;
/** A different call counts as a correction only within this time. */
const CORRECTED_WITHIN_MS = 10 * 60_000;

export type Failures = ReturnType<typeof createFailures>;

/** No call rejects. */
export function createFailures(options: FailuresOptions) {
  const { log, path, maxLines, project } = options;
  const errorLog = createErrorLog(options);
  const calls = createSessionCalls(project);
  let writing: Promise<void> = Promise.resolve();
  let hasFailed = false;
  let known: Known | undefined;

  return {
    /** Learns from new messages, and returns the calls in them that have failed the same way before. */
    async learn(sessionID: string, messages: readonly Message[]): Promise<readonly Repetition[]> {
      const ended = calls.read(sessionID, messages);
      if (ended.length === 0) return [];
      const all = known ?? (await readAll());
      const repetitions = ended.flatMap((one) => findRepetition(one, all, sessionID));
      const entries = ended.flatMap((one) =>
        toEntries(one, all, { project, sessionID }).filter((entry) => addNew(all, entry)),
      );
      if (entries.length > 0)
        writing = writing.then(() => attempt("write", () => errorLog.append(entries), undefined));
      return repetitions;
    },

    /** The known failures, the newest last, with what other instances have added. */
    async all(): Promise<readonly KnownFailure[]> {
      return [...(await readAll()).failures.values()].sort((a, b) => a.lastAt - b.lastAt);
    },

    /** The ways in which this call has failed; `callHash` as from `hashCall`. */
    async ofCall(callHash: string): Promise<readonly KnownFailure[]> {
      const { failures } = known ?? (await readAll());
      return [...failures].flatMap(([name, failure]) => (name.startsWith(`${callHash} `) ? [failure] : []));
    },

    changedAt: calls.changedAt,
    onIdle: (): Promise<void> => writing,
  };

  /** The entries of the log, and those still to be written. */
  async function readAll(): Promise<Known> {
    await writing;
    const read = await attempt("read", errorLog.read, known?.log ?? []);
    if (known?.log === read) return known;
    const own = read.filter(({ isOwn }) => isOwn).map(({ entry }) => entry);
    // A result with a line in the log is not logged again, even if the line was changed.
    known = {
      log: read,
      failures: sumEntries(own.slice(-maxLines)),
      entries: new Set(read.map(({ entry }) => nameEntry(entry))),
    };
    return known;
  }

  async function attempt<T>(what: string, run: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await run();
    } catch (thrown) {
      if (!hasFailed) log.warn("errors", `cannot ${what} ${path}: ${formatError(thrown)}`);
      hasFailed = true;
      return otherwise;
    }
  }
}

/** Identifies a kind of failure: a call and its message. */
const nameFailure = (of: Pick<Entry, "callHash" | "messageHash">): string =>
  `${of.callHash} ${of.messageHash}`;

const nameEntry = (entry: Pick<Entry, "kind" | "key" | "callHash" | "messageHash">): string =>
  `${entry.kind} ${entry.key} ${nameFailure(entry)}`;

/** Failures by `nameFailure`. Ignores resolutions without their failure, and repeated lines of one key. */
export function sumEntries(entries: readonly Entry[]): Map<string, KnownFailure> {
  const known = { failures: new Map<string, KnownFailure>(), entries: new Set<string>() };
  for (const entry of entries) addNew(known, entry);
  return known.failures;
}

/** Adds an entry unless it is known or resolves nothing; returns whether it was added. */
function addNew({ entries, failures }: Pick<Known, "entries" | "failures">, entry: Entry): boolean {
  const { at, attempt, call, kind, session, text, tool } = entry;
  const before = failures.get(nameFailure(entry));
  if (entries.has(nameEntry(entry)) || (kind === "resolved" && !before)) return false;
  entries.add(nameEntry(entry));
  if (kind === "resolved") {
    if (before && at >= (before.resolution?.at ?? 0))
      failures.set(nameFailure(entry), { ...before, resolution: { at, text } });
    return true;
  }
  failures.set(nameFailure(entry), {
    ...(before?.resolution && { resolution: before.resolution }),
    tool,
    call,
    message: text,
    // Two processes may have written the same number, and lines may have been deleted.
    attempts: Math.max(attempt, (before?.attempts ?? 0) + 1),
    firstAt: Math.min(at, before?.firstAt ?? at),
    lastAt: Math.max(at, before?.lastAt ?? at),
    session: at >= (before?.lastAt ?? 0) ? session : (before?.session ?? session),
  });
  return true;
}

const toSeconds = (ms: number): number => Math.floor(ms / 1_000) * 1_000;

/** Compares with what was known before this answer; a call that fails twice in one answer is not a repetition. */
function findRepetition(
  { changedBefore, failure, key, part }: SessionCall,
  { entries, failures }: Known,
  sessionID: string,
): Repetition[] {
  const before = failure && failures.get(nameFailure(failure));
  // A logged result was handled before, here or in the session from which this one was forked.
  if (!failure || !before || entries.has(nameEntry({ kind: "failed", key, ...failure }))) return [];
  const isRetryAfterChange = before.session === sessionID && toSeconds(changedBefore) > before.lastAt;
  return [{ part, before, isRetryAfterChange }];
}

/** The line about a failed call, or those about what a call that worked has resolved. */
function toEntries(
  ended: SessionCall,
  { failures }: Known,
  { project, sessionID: session }: { project: string; sessionID: string },
): Entry[] {
  const { failure, key, part, tool } = ended;
  const at = toSeconds(ended.at);
  if (failure) {
    const { message: text, ...of } = failure;
    const attempt = (failures.get(nameFailure(failure))?.attempts ?? 0) + 1;
    return [{ ...of, kind: "failed", at, tool, text, attempt, session, key }];
  }
  const open = [...failures].filter(([, one]) => one.tool === tool && one.lastAt <= at && isOpen(one));
  if (open.length === 0) return [];
  const call = formatCall(part, project);
  const hash = hashCall(tool, readInput(part), project);
  return open.flatMap(([name, one]): Entry[] => {
    const [callHash = "", messageHash = ""] = name.split(" ");
    const isRecent = one.session === session && at - one.lastAt < CORRECTED_WITHIN_MS;
    const isCorrected = isRecent && !isResolved(one) && isCorrection(tool, one.call, call);
    if (callHash !== hash && !isCorrected) return [];
    const worked = callHash === hash ? "worked unchanged when called again" : `worked as: ${call}`;
    const text = toField(worked, LONGEST_RESOLUTION);
    return [
      { kind: "resolved", at, tool, call: one.call, text, attempt: 0, session, callHash, messageHash, key },
    ];
  });
}

const isResolved = ({ lastAt, resolution }: KnownFailure): boolean =>
  resolution !== undefined && resolution.at >= lastAt;

/** Is another form of the call known to work? */
export const isCorrected = ({ resolution }: KnownFailure): boolean =>
  resolution?.text.startsWith("worked as: ") ?? false;

/** Would the same call most likely fail again? Not if it has worked unchanged since. */
export const isOpen = (failure: KnownFailure): boolean => !isResolved(failure) || isCorrected(failure);

/** A command with more words added is another one. */
const MOST_ADDED = 5;

/**
 * Is the call that worked another form of the one that failed? It has all its words, or words that contain them: `npm run
 * test:unit` has those of `npm test`. Options do not count. Both calls as in the log.
 */
export function isCorrection(tool: string, failed: string, worked: string): boolean {
  // The next edit of a file has other texts.
  if (failed === worked || isChangingTool(tool)) return false;
  const [before, after] = [splitWords(failed), splitWords(worked)];
  const added = after.filter((word) => !before.includes(word));
  const pieces = new Set(added.flatMap(splitWord));
  const nameOf = (word: string): string => word.slice(word.lastIndexOf("/") + 1);
  const isKept = (word: string): boolean =>
    after.includes(word) ||
    (splitWord(word).every((piece) => pieces.has(piece)) &&
      (!/[./]/.test(word) || added.some((other) => other.endsWith(nameOf(word)))));
  const isSameProgram =
    tool !== "bash" || findPrograms(worked).some((one) => findPrograms(failed).includes(one));
  return added.length <= before.length + MOST_ADDED && before.every(isKept) && isSameProgram;
}

export const splitWords = (text: string): string[] =>
  text.split(/[\s"']+/).filter((word) => word !== "" && !word.startsWith("-"));

const splitWord = (word: string): string[] => word.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** The programs that a line runs; `docker-compose` is `docker`, too. */
const findPrograms = (line: string): string[] =>
  splitCommand(line).map((simple) => simple.split(/[ -]/)[0] ?? "");
