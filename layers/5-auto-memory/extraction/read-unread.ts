/** Reads what a session has said since the cursor. */

import { inSlices } from "../../../src/base/slices.js";
import type { Message } from "../../../src/io/message.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import { readTime } from "../../../src/messages/own-texts.js";
import type { Cursor, Cursors } from "./extraction-cursor.js";
import type { Reading, Unread } from "./read-turns.js";

/** `undefined` where the host does not say in time. Rejects with the system's error. */
export type UnreadReader = (sessionID: string, cursor: Cursor) => Promise<Unread | undefined>;

export interface UnreadReaderOptions extends Pick<LayerContext, "clock" | "host" | "log"> {
  cursors: Pick<Cursors, "attempt" | "endAttempt">;
  reading: Reading;
}

/** What is new is nearly always among this many messages. */
const LAST_MESSAGES = 60;

export function createUnreadReader(options: UnreadReaderOptions): UnreadReader {
  const { clock, cursors, host, log, reading } = options;

  return async (sessionID, cursor) => {
    const messages = await readSince(sessionID, cursor);
    return messages && look(sessionID, messages, passOver(sessionID, cursor));
  };

  /** Noted before it is done: a text over which this process ends must not end the next one as well. */
  async function look(sessionID: string, messages: readonly Message[], cursor: Cursor): Promise<Unread> {
    const { findNewest, planUnread } = await import("./read-turns.js");
    const newestMs = findNewest(messages);
    const isNews = newestMs > Math.min(cursor.untilMs, cursor.callsUntilMs);
    if (isNews) await cursors.attempt(sessionID, newestMs);
    const unread = await inSlices(clock, planUnread(messages, cursor, reading));
    if (isNews) await cursors.endAttempt(sessionID);
    return unread;
  }

  /** The cursor behind what was being read when a process ended. */
  function passOver(sessionID: string, cursor: Cursor): Cursor {
    const { attemptMs, callsUntilMs, untilMs } = cursor;
    if (attemptMs === undefined) return cursor;
    const time = new Date(attemptMs).toISOString();
    log.warn(
      "auto-memory",
      `what was said in ${sessionID} up to ${time} is passed over: it was being read when OpenCode ended, and was not read to its end`,
    );
    return {
      ...cursor,
      untilMs: Math.max(untilMs, attemptMs),
      callsUntilMs: Math.max(callsUntilMs, attemptMs),
    };
  }

  async function readSince(sessionID: string, { untilMs }: Cursor): Promise<readonly Message[] | undefined> {
    const last = await host.readMessages(sessionID, LAST_MESSAGES);
    const first = last?.[0];
    const isWhole = !first || last.length < LAST_MESSAGES || (readTime(first.info) ?? 0) <= untilMs;
    return isWhole ? last : host.readMessages(sessionID);
  }
}
