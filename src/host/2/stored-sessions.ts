/** Reads stored messages from the host in bounded time and remembers them by session. */
import { formatError } from "../../base/error.js";
import { type Clock, waitAtMost } from "../../io/clock.js";
import type { Log } from "../../io/log.js";
import type { SetupContext, StoredMessage, TheirMessage } from "./contract.js";
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
  let overranMs = Number.NEGATIVE_INFINITY;

  return {
    /**
     * The stored messages of these, by id; those of earlier reads if the host does not answer. Reads only if one of them
     * is not known to its end. Never rejects.
     */
    async readFor(sessionID: string, messages: readonly TheirMessage[]): Promise<Known["byID"]> {
      const before = sessions.get(sessionID)?.byID ?? new Map<string, StoredMessage>();
      if (isKnown(messages, before) || isPausing()) return before;
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

  function remember(
    sessionID: string,
    shown: readonly StoredMessage[],
    left: readonly StoredMessage[],
  ): Known["byID"] {
    const before = sessions.get(sessionID);
    const hidden = findHidden(before, shown);
    const byID = new Map([...left, ...shown].map((one) => [one.id, one]));
    sessions.delete(sessionID);
    sessions.set(sessionID, { byID, shown, ...(hidden && { hidden }) });
    if (sessions.size > REMEMBERED) sessions.delete(sessions.keys().next().value ?? "");
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

/** Is each message known, with the end of each answer and call? */
function isKnown(messages: readonly TheirMessage[], known: ReadonlyMap<string, StoredMessage>): boolean {
  return messages.every(({ id, role }) => {
    if (typeof id !== "string") return true;
    const stored = known.get(id);
    if (!stored || role !== "assistant") return stored !== undefined;
    const isRunning = stored.content?.some(({ state }) => /^(running|streaming)$/.test(state?.status ?? ""));
    return stored.time.completed !== undefined && !isRunning;
  });
}

const findCheckpoint = (messages: readonly StoredMessage[]): StoredMessage | undefined =>
  messages.findLast((one) => one.type === "compaction" && isDone(one));

const isDone = ({ status }: StoredMessage): boolean => status === "completed";
