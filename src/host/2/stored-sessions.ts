/** Reads stored messages from the host in bounded time and remembers them by session. */
import { formatError } from "../../base/error.js";
import { type Clock, waitAtMost } from "../../io/clock.js";
import type { Log } from "../../io/log.js";
import type { StoredMessage, TheirMessage } from "./contract.js";
import { readStored } from "./stored.js";

export interface StoredSessions {
  /**
   * The stored messages of these, by id; those of earlier reads if the host does not answer. Reads only if one of them
   * is not known to its end. Never rejects.
   */
  readFor(sessionID: string, messages: readonly TheirMessage[]): Promise<ReadonlyMap<string, StoredMessage>>;
  /**
   * All stored messages; `undefined` if the host does not answer. The host shows none from before the last checkpoint: if
   * those are not known from `noteCheckpoint`, the list begins with it. Never rejects.
   */
  readAll(sessionID: string): Promise<readonly StoredMessage[] | undefined>;
  /** The host is about to put messages out of sight behind a checkpoint. Never rejects. */
  noteCheckpoint(sessionID: string): Promise<void>;
  forget(sessionID: string): void;
}

export interface StoredSessionsOptions {
  clock: Clock;
  log: Pick<Log, "debug" | "error">;
  /** The host's `session.context`; absent if it is not offered. */
  context: ((input: { sessionID: string }) => unknown) | undefined;
}

/** A request waits for it; a read in the host's own process takes milliseconds. */
const READ_WITHIN_MS = 2_000;
/** After a read that took longer, requests skip reading for this time. */
const PAUSE_MS = 60_000;
/** Most sessions that are remembered. */
const REMEMBERED = 30;

export function createStoredSessions({ clock, context, log }: StoredSessionsOptions): StoredSessions {
  const known = new Map<string, Map<string, StoredMessage>>();
  const hidden = createHidden();
  let hasComplained = false;
  let overranMs = Number.NEGATIVE_INFINITY;

  return {
    async readFor(sessionID, messages) {
      const before = known.get(sessionID) ?? new Map<string, StoredMessage>();
      if (isKnown(messages, before) || clock.now() - overranMs < PAUSE_MS) return before;
      const all = await readInTime(sessionID, before.size === 0);
      if (!all) return before;
      // Messages that the answer leaves out keep their times, on which decisions depend.
      const left = messages.flatMap(({ id }) => before.get(id ?? "") ?? []);
      return remember(sessionID, [...left, ...all]);
    },

    async readAll(sessionID) {
      const all = await read(sessionID);
      if (all) remember(sessionID, [...(known.get(sessionID)?.values() ?? []), ...all]);
      return all && hidden.complete(sessionID, all);
    },

    async noteCheckpoint(sessionID) {
      if (clock.now() - overranMs < PAUSE_MS) return;
      const all = await read(sessionID);
      if (all) hidden.note(sessionID, all);
    },

    forget(sessionID) {
      known.delete(sessionID);
      hidden.forget(sessionID);
    },
  };

  /** Decisions of an earlier start need the times, so a first read that fails at once is tried again. */
  async function readInTime(sessionID: string, isFirst: boolean): Promise<StoredMessage[] | undefined> {
    const beganMs = clock.now();
    const all = await read(sessionID);
    const isSlow = !all && clock.now() - beganMs >= READ_WITHIN_MS;
    if (isSlow) overranMs = clock.now();
    return all || !isFirst || isSlow ? all : read(sessionID);
  }

  async function read(sessionID: string): Promise<StoredMessage[] | undefined> {
    if (!context) return undefined;
    const waited = await waitAtMost(clock, READ_WITHIN_MS, () => context({ sessionID }));
    const all = waited.kind === "done" ? readStored(waited.value) : undefined;
    if (all) {
      hidden.follow(sessionID, all);
      return all;
    }
    const why =
      waited.kind === "done"
        ? "the answer is no list of messages"
        : waited.kind === "failed"
          ? formatError(waited.thrown)
          : `no answer within ${READ_WITHIN_MS} ms`;
    log[hasComplained ? "debug" : "error"]("host", `cannot read stored messages of ${sessionID}: ${why}`);
    hasComplained = true;
    return undefined;
  }

  function remember(sessionID: string, all: readonly StoredMessage[]): Map<string, StoredMessage> {
    const byID = new Map(all.map((one) => [one.id, one]));
    known.delete(sessionID);
    known.set(sessionID, byID);
    if (known.size > REMEMBERED) known.delete(known.keys().next().value ?? "");
    return byID;
  }
}

/** Is each message known, with the end of each answer and call? */
function isKnown(messages: readonly TheirMessage[], known: ReadonlyMap<string, StoredMessage>): boolean {
  return messages.every(({ id, role }) => {
    if (typeof id !== "string") return true;
    const stored = known.get(id);
    if (!stored) return false;
    if (role !== "assistant") return true;
    const isEnded = stored.time.completed !== undefined;
    return (
      isEnded &&
      !stored.content?.some(({ state }) => state?.status === "running" || state?.status === "streaming")
    );
  });
}

/*
 * Messages behind a checkpoint, which the host shows to plugins no longer. They are noted when a checkpoint begins; those
 * of one that began before this start are not known.
 */

type Messages = readonly StoredMessage[];

export interface Hidden {
  /** A checkpoint begins: these are the session's messages. */
  note(sessionID: string, shown: Messages): void;
  /** The host now shows these. */
  follow(sessionID: string, shown: Messages): void;
  /** What the host shows, behind what it hides; begins with the checkpoint if that is not known. */
  complete(sessionID: string, shown: Messages): Messages;
  forget(sessionID: string): void;
}

interface Noted {
  /** Id of the checkpoint. */
  by: string;
  messages: Messages;
}

/** Most sessions and messages; of others, nothing before the checkpoint is known. */
const MOST_SESSIONS = 30;
const MOST_MESSAGES = 5_000;

export function createHidden(): Hidden {
  /** All messages of sessions in which a checkpoint has begun. */
  const noted = new Map<string, Messages>();
  const hidden = new Map<string, Noted>();
  return {
    note(sessionID, shown) {
      // The checkpoint that begins is among them already.
      const all = complete(sessionID, shown).filter((one) => one.type !== "compaction" || isDone(one));
      noted.delete(sessionID);
      if (!isPart(all)) put(noted, sessionID, all);
    },

    follow(sessionID, shown) {
      const all = noted.get(sessionID);
      const by = findCheckpoint(shown)?.id;
      if (!all || by === undefined || all.some(({ id }) => id === by)) return;
      noted.delete(sessionID);
      const ids = new Set(shown.map(({ id }) => id));
      put(hidden, sessionID, { by, messages: all.filter(({ id }) => !ids.has(id)) });
    },

    complete,

    forget(sessionID) {
      noted.delete(sessionID);
      hidden.delete(sessionID);
    },
  };

  function complete(sessionID: string, shown: Messages): Messages {
    const checkpoint = findCheckpoint(shown);
    if (!checkpoint) return shown;
    const before = hidden.get(sessionID);
    if (before?.by === checkpoint.id && before.messages.length <= MOST_MESSAGES)
      return [...before.messages, ...shown];
    return [checkpoint, ...shown.filter((one) => one !== checkpoint)];
  }
}

const findCheckpoint = (messages: Messages): StoredMessage | undefined =>
  messages.findLast((one) => one.type === "compaction" && isDone(one));

const isDone = ({ status }: StoredMessage): boolean => status === "completed";

/** Does it begin with a checkpoint? */
const isPart = ([first]: Messages): boolean => first !== undefined && findCheckpoint([first]) !== undefined;

function put<T>(map: Map<string, T>, sessionID: string, value: T): void {
  map.delete(sessionID);
  map.set(sessionID, value);
  if (map.size > MOST_SESSIONS) map.delete(map.keys().next().value ?? "");
}
