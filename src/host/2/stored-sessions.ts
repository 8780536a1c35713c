/**
 * Stored messages, by session: as the host's events tell them, else read from the host in bounded time. A read makes the
 * host copy the whole session, which takes 40 ms once a session has five megabytes.
 */
import { formatError } from "../../base/error.js";
import { isRecord, keepLast, type PlainRecord } from "../../base/shape.js";
import { type Clock, waitAtMost } from "../../io/clock.js";
import type { Log } from "../../io/log.js";
import type { SetupContext, StoredMessage, StoredPart, TheirMessage } from "./contract.js";
import { readStored } from "./stored.js";

interface StoredSessionsOptions {
  clock: Clock;
  log: Pick<Log, "error">;
  context: SetupContext;
}

interface Known {
  byID: ReadonlyMap<string, StoredMessage>;
  /** What the host shows: from the last checkpoint on. */
  shown: readonly StoredMessage[];
  /** What it showed before that checkpoint; absent if it was made before this start. */
  hidden?: readonly StoredMessage[];
}

/** A request waits for it; a read in the host's own process takes milliseconds. */
const READ_WITHIN_MS = 2_000;
/** After a read that took longer, requests skip reading for this time. */
const PAUSE_MS = 60_000;
const REMEMBERED = 30;

export type StoredSessions = ReturnType<typeof createStoredSessions>;

export function createStoredSessions({ clock, context, log }: StoredSessionsOptions) {
  const sessions = new Map<string, Known>();
  const told = createTold(clock);
  let overranMs = Number.NEGATIVE_INFINITY;

  return {
    /** Call with each event of the host. Never throws. */
    note: told.note,

    /** A message as the host's events have told it so far. */
    findTold: told.find,

    /**
     * The stored messages of these, by id; those of earlier reads if the host does not answer. Reads only if one of them
     * is not known to its end, and no event tells it. Never rejects.
     */
    async readFor(sessionID: string, messages: readonly TheirMessage[]): Promise<Known["byID"]> {
      const known = sessions.get(sessionID);
      const before = known?.byID ?? new Map<string, StoredMessage>();
      const unknown = messages.filter((one) => !isKnown(one, before));
      if (unknown.length === 0 || isPausing()) return before;
      const found = known && (await told.findAll(unknown));
      if (found) {
        // The session may have been read meanwhile.
        const now = sessions.get(sessionID) ?? known;
        const byID = new Map([...now.byID, ...found.map((one) => [one.id, one] as const)]);
        sessions.set(sessionID, { ...now, byID });
        return byID;
      }
      const beganMs = clock.now();
      const all = await read(sessionID);
      if (!all && clock.now() - beganMs >= READ_WITHIN_MS) overranMs = clock.now();
      if (!all) return before;
      // Messages that the answer leaves out keep their times, on which decisions depend.
      const left = messages.flatMap(({ id }) => before.get(id ?? "") ?? []);
      return remember(sessionID, all, left);
    },

    readAll,

    /** The host is about to put messages out of sight behind a checkpoint. Never rejects. */
    async noteCheckpoint(sessionID: string): Promise<void> {
      if (!isPausing()) await readAll(sessionID);
    },

    forget: (sessionID: string): void => void sessions.delete(sessionID),
  };

  function isPausing(): boolean {
    return clock.now() - overranMs < PAUSE_MS;
  }

  /**
   * All stored messages; `undefined` if the host does not answer. The host shows none from before the last checkpoint: if
   * they were not read before, the list begins with it. Never rejects.
   */
  async function readAll(sessionID: string): Promise<readonly StoredMessage[] | undefined> {
    const all = await read(sessionID);
    if (!all) return undefined;
    remember(sessionID, all, [...(sessions.get(sessionID)?.byID.values() ?? [])]);
    const checkpoint = findCheckpoint(all);
    const hidden = sessions.get(sessionID)?.hidden;
    if (!checkpoint) return all;
    return hidden ? [...hidden, ...all] : [checkpoint, ...all.filter((one) => one !== checkpoint)];
  }

  async function read(sessionID: string): Promise<StoredMessage[] | undefined> {
    const waited = await waitAtMost(clock, READ_WITHIN_MS, () => context.session.context({ sessionID }));
    const all = waited.kind === "done" ? readStored(waited.value) : undefined;
    if (all) return all;
    const why =
      waited.kind === "failed"
        ? formatError(waited.thrown)
        : waited.kind === "done"
          ? "the answer is no list of messages"
          : `no answer within ${READ_WITHIN_MS} ms`;
    log.error("host", `cannot read stored messages of ${sessionID}: ${why}`);
    return undefined;
  }

  function remember(sessionID: string, shown: readonly StoredMessage[], left: readonly StoredMessage[]) {
    const before = sessions.get(sessionID);
    const hidden = findHidden(before, shown);
    const byID = new Map([...left, ...shown].map((one) => [one.id, one]));
    keepLast(sessions, sessionID, { byID, shown, ...(hidden && { hidden }) }, REMEMBERED);
    return byID;
  }
}

/** What is behind the checkpoint with which `shown` begins, if it was made since the last read. */
function findHidden(before: Known | undefined, shown: readonly StoredMessage[]): Known["hidden"] {
  const checkpoint = findCheckpoint(shown);
  if (!before || !checkpoint) return undefined;
  const last = findCheckpoint(before.shown);
  if (last?.id === checkpoint.id) return before.hidden;
  // Of what was behind an earlier checkpoint nothing is known, so that checkpoint is the beginning.
  const earlier =
    last && !before.hidden ? [last, ...before.shown.filter((one) => one !== last)] : before.shown;
  const ids = new Set(shown.map(({ id }) => id));
  return [...(before.hidden ?? []), ...earlier].filter(
    (one) => !ids.has(one.id) && (one.type !== "compaction" || isDone(one)),
  );
}

/** Is the message known, with the end of an answer and its calls, or of a checkpoint? */
function isKnown({ id }: TheirMessage, known: ReadonlyMap<string, StoredMessage>): boolean {
  if (typeof id !== "string") return true;
  const stored = known.get(id);
  if (stored?.type === "compaction") return isDone(stored);
  return stored !== undefined && (stored.type !== "assistant" || hasEnded(stored));
}

function hasEnded({ content, time }: StoredMessage): boolean {
  const isRunning = content?.some(({ state }) => /^(running|streaming)$/.test(state?.status ?? ""));
  return time.completed !== undefined && !isRunning;
}

const findCheckpoint = (messages: readonly StoredMessage[]): StoredMessage | undefined =>
  messages.findLast((one) => one.type === "compaction" && isDone(one));

const isDone = ({ status }: StoredMessage): boolean => status === "completed";

/*
 * What the events of OpenCode 2.0.15 tell is what it stores, to the millisecond: of a prompt all, of an answer what the
 * request itself does not say.
 *
 *     session.inbox.enqueued (the prompt) → .delivered
 *     session.step.started → tool.input.started → tool.success | failed → step.ended
 */

/** They come a moment behind the hook of the next request. */
const TOLD_WITHIN_MS = 50;
const MOST_TOLD = 200;

function createTold(clock: Clock) {
  const messages = new Map<string, StoredMessage>();
  const prompts = new Map<string, PlainRecord>();
  const watchers = new Set<() => void>();

  return {
    note(event: unknown): void {
      if (!isRecord(event) || !isRecord(event.data) || typeof event.created !== "number") return;
      take(String(event.type), event.data, event.created);
      for (const watcher of watchers) watcher();
    },

    find: (id: string): StoredMessage | undefined => messages.get(id),

    /** These as stored; `undefined` if one is told by no event, or not to its end within a moment. */
    async findAll(wanted: readonly TheirMessage[]): Promise<StoredMessage[] | undefined> {
      const ids = wanted.map(({ id = "" }) => id);
      if (!ids.every((id) => messages.has(id) || prompts.has(id))) return undefined;
      const isTold = (): boolean => wanted.every((one) => isKnown(one, messages));
      if (!isTold()) await waitAtMost(clock, TOLD_WITHIN_MS, (signal) => watch(isTold, signal));
      const found = ids.flatMap((id) => messages.get(id) ?? []);
      return isTold() && found.every((one, at) => saysSame(one, wanted[at])) ? found : undefined;
    },
  };

  function watch(isTold: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const watcher = (): void => {
        if (!isTold() && !signal.aborted) return;
        watchers.delete(watcher);
        resolve();
      };
      watchers.add(watcher);
      signal.addEventListener("abort", watcher);
    });
  }

  function take(type: string, data: PlainRecord, atMs: number): void {
    const { assistantMessageID, inboxID, item } = data;
    const id = String(assistantMessageID ?? inboxID);
    if (type === "session.inbox.enqueued" && isRecord(item) && item.type === "user" && isRecord(item.payload))
      keepLast(prompts, id, item.payload, MOST_TOLD);
    if (type === "session.inbox.delivered" && prompts.has(id))
      keepLast(messages, id, { ...prompts.get(id), id, type: "user", time: { created: atMs } }, MOST_TOLD);
    const answer = type === "session.step.started" ? beginAnswer(id, data, atMs) : messages.get(id);
    if (answer) keepLast(messages, id, tell(answer, type, data, atMs), MOST_TOLD);
  }
}

/** A prompt that the host has changed is read. */
const saysSame = ({ text, type }: StoredMessage, theirs: TheirMessage | undefined): boolean =>
  type !== "user" || theirs?.content.some((part) => part.text === text) === true;

function beginAnswer(id: string, { agent, model, started }: PlainRecord, atMs: number): StoredMessage {
  const created = typeof started === "number" ? started : atMs;
  return { id, type: "assistant", time: { created }, agent, model, content: [] } as unknown as StoredMessage;
}

/** The answer as it is after the event. Pure. */
function tell(answer: StoredMessage, type: string, data: PlainRecord, atMs: number): StoredMessage {
  const { finish, id, metadata, name, tokens } = data;
  const { content = [], time } = answer;
  if (type === "session.step.ended")
    return { ...answer, time: { ...time, completed: atMs }, finish: String(finish), tokens };
  if (type === "session.tool.input.started") {
    const part = { type: "tool", id, name, state: { status: "streaming" }, time: { created: atMs } };
    return { ...answer, content: [...content, part as StoredPart] };
  }
  const status = type === "session.tool.success" ? "completed" : "error";
  if (status === "error" && type !== "session.tool.failed") return answer;
  // The text of a shell result that the host has cut names its file.
  const isCut = isRecord(metadata) && metadata.truncated === true;
  const state = { status, metadata, ...(isCut && { content: data.content as unknown[] }) };
  const end = (part: StoredPart): StoredPart =>
    part.id === id ? { ...part, state, time: { ...part.time, completed: atMs } } : part;
  return { ...answer, content: content.map(end) };
}
