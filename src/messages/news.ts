/**
 * What is new in a session, for all who follow the end of a turn. The host is asked once, and for few messages at first:
 * it reads, formats and parses each with its whole result, in the process that serves the person.
 */
import { isRecord, keepLast } from "../base/shape.js";
import type { Clock } from "../io/clock.js";
import { findEventSession, type Host, type HostEvent } from "../io/host.js";
import { readTime } from "./call.js";

export type News = ReturnType<typeof createNews>;

const [FEW_MESSAGES, MORE_MESSAGES] = [20, 120];
/** The message before the turn, which shows that none is missing, and one that no event has told of. */
const BEFORE_TURN = 2;
const SHARED_MS = 2_000;
const REMEMBERED = 500;

export function createNews({
  clock,
  host,
}: {
  clock: Pick<Clock, "after">;
  host: Pick<Host, "readMessages">;
}) {
  const shared = new Map<string, ReturnType<Host["readMessages"]>>();
  /** By session: ids of the messages of the turn that has ended last, and of those since. */
  const turns = new Map<string, { ended: number; ids: Set<string> }>();

  return {
    /** When a turn has ended, what was read before is old. */
    onEvent({ properties, type }: HostEvent): void {
      const isEnd = type === "session.idle";
      if (isEnd) shared.clear();
      const sessionID = isEnd || type === "message.updated" ? findEventSession(properties) : undefined;
      if (sessionID === undefined) return;
      const turn = turns.get(sessionID) ?? { ended: 0, ids: new Set<string>() };
      if (!isEnd && isRecord(properties.info)) turn.ids.add(String(properties.info.id));
      keepLast(turns, sessionID, isEnd ? { ended: turn.ids.size, ids: new Set() } : turn, REMEMBERED);
    },

    /** The newest messages, with all since then; `undefined` where the host does not say in time. */
    async readSince(sessionID: string, sinceMs: number): ReturnType<Host["readMessages"]> {
      const { ended = 0, ids } = turns.get(sessionID) ?? {};
      const few = Math.max(FEW_MESSAGES, ended + (ids?.size ?? 0) + BEFORE_TURN);
      for (const last of [few, Math.max(few, MORE_MESSAGES), undefined]) {
        const messages = await read(sessionID, last);
        const isWhole = !messages || messages.length < (last ?? Number.POSITIVE_INFINITY);
        if (isWhole || (messages[0] && (readTime(messages[0].info) ?? 0) <= sinceMs)) return messages;
      }
      return undefined;
    },
  };

  function read(sessionID: string, last: number | undefined): ReturnType<Host["readMessages"]> {
    const name = `${sessionID} ${last}`;
    const reading = shared.get(name) ?? host.readMessages(sessionID, last);
    const forget = () => shared.delete(name);
    if (!shared.has(name)) clock.after(SHARED_MS, forget);
    shared.set(name, reading);
    reading.then((messages) => messages ?? forget(), forget);
    return reading;
  }
}
