/**
 * What is new in a session, for all who follow the end of a turn. The host is asked once, and for few messages at first:
 * it reads, formats and parses each with its whole result, in the process that serves the person.
 */
import type { Clock } from "../io/clock.js";
import type { Host, HostEvent } from "../io/host.js";
import { readTime } from "./call.js";

export type News = ReturnType<typeof createNews>;

const LAST_MESSAGES = [20, 120, undefined];
const SHARED_MS = 2_000;

export function createNews({
  clock,
  host,
}: {
  clock: Pick<Clock, "after">;
  host: Pick<Host, "readMessages">;
}) {
  const shared = new Map<string, ReturnType<Host["readMessages"]>>();

  return {
    /** When a turn has ended, what was read before is old. */
    onEvent: ({ type }: Pick<HostEvent, "type">): void => void (type === "session.idle" && shared.clear()),

    /** The newest messages, with all since then; `undefined` where the host does not say in time. */
    async readSince(sessionID: string, sinceMs: number): ReturnType<Host["readMessages"]> {
      for (const last of LAST_MESSAGES) {
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
