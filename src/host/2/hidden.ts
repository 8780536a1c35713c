/**
 * Messages behind a checkpoint, which the host shows to plugins no longer. They are noted when a checkpoint begins; those
 * of one that began before this start are not known.
 */
import type { StoredMessage } from "./contract.js";

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
