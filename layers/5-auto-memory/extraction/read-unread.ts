/** What a session has brought since it was last read. */
import type { Message } from "../../../src/conversation/message.js";
import { readTime } from "../../../src/conversation/own-texts.js";
import type { LayerContext } from "../../../src/layer-context.js";
import { inSlices } from "../../../src/slices.js";
import { findNewest, planUnread, type Unread } from "./extract-turns.js";
import type { Cursor, Cursors } from "./extraction-cursor.js";

/** `undefined` where the host does not give the session's messages. `isTheirs` says of a text whether the user wrote it. */
export type UnreadReader = (
  sessionID: string,
  cursor: Cursor,
  isTheirs: (text: string) => boolean,
) => Promise<Unread | undefined>;

const LAYER = "auto-memory";
/** What is new is nearly always among so many messages. */
const LAST_MESSAGES = 60;

export function createUnreadReader(
  context: Pick<LayerContext, "clock" | "host" | "log"> & { cursors: Cursors },
): UnreadReader {
  const { clock, cursors, host, log } = context;

  return async (sessionID, cursor, isTheirs) => {
    const messages = await readSince(sessionID, cursor);
    return messages && look(sessionID, messages, passOver(sessionID, cursor), isTheirs);
  };

  /** Noted before it is done: a text over which this process ends must not end the next one as well. */
  async function look(
    sessionID: string,
    messages: readonly Message[],
    cursor: Cursor,
    isTheirs: (text: string) => boolean,
  ): Promise<Unread> {
    const newestMs = findNewest(messages);
    const isNews = newestMs > Math.min(cursor.untilMs, cursor.callsUntilMs);
    if (isNews) await cursors.attempt(sessionID, newestMs);
    const unread = await inSlices(clock, planUnread(messages, cursor, isTheirs));
    if (isNews) await cursors.endAttempt(sessionID);
    return unread;
  }

  /** The cursor behind what was being read when a process ended. */
  function passOver(sessionID: string, cursor: Cursor): Cursor {
    const { attemptMs, callsUntilMs, untilMs } = cursor;
    if (attemptMs === undefined) return cursor;
    const time = new Date(attemptMs).toISOString();
    log.warn(
      LAYER,
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
