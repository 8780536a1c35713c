/**
 * Keeps the index of conversations current, through the host alone.
 *
 *     session.idle      indexes the messages since the last indexed one
 *     first idle        removes sessions that the host no longer has, and indexes those used while the plugin was not there
 *     words taken back  removes messages that the host no longer shows
 *     session.deleted   removes the session
 *
 * Sessions of subagents and of Strata itself are left out: their parents' answers repeat in short what they said. One
 * session is read after the other.
 */
import { inSlices } from "../base/slices.js";
import type { ConfigReading } from "../config/config.js";
import type { Config } from "../config/schema.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import { findEventSession, type Host, type HostEvent } from "../io/host.js";
import { createLocks } from "../io/locks.js";
import type { Log } from "../io/log.js";
import type { Message } from "../io/message.js";
import { readTime } from "../messages/call.js";
import { isOnlyRest } from "../messages/history.js";
import type { News } from "../messages/news.js";
import { type Conversations, createConversations, findFolder } from "./conversations.js";
import { readLines, type SessionHead } from "./lines.js";

export interface OpenOptions {
  clock: Clock;
  config: Pick<Config, "search">;
  files: Files;
  host: Pick<Host, "processes" | "stateFolder">;
  /** Of a running plugin or command. */
  instance: string;
  log: Log;
}

/** The user's own index. `user`: a name for this use of it, unique in this process. */
export function openConversations(options: OpenOptions, user: string): Conversations {
  const { clock, config, files, host, instance, log } = options;
  const { processes, stateFolder } = host;
  const locks = createLocks({ clock, files, processes, instance: `${instance} ${user}` });
  const folder = findFolder(stateFolder);
  return createConversations({ clock, files, locks, log, folder, maxBytes: config.search.maxBytes });
}

interface FeedContext extends Omit<OpenOptions, "host"> {
  host: Host;
  news: Pick<News, "readSince">;
  reading: Pick<ConfigReading, "limits">;
}

export type Feed = ReturnType<typeof openFeed>;

/** Indexed sessions that are checked for use elsewhere; an older one is read again when it is used here. */
const MOST_LOOKED_AT = 50;

/** Calls reject with the error of the index. */
export function openFeed(context: FeedContext, conversations = openConversations(context, "feed")) {
  const { clock, config, host, news, reading } = context;
  const { project } = host;
  const isOn = config.search.enabled;
  // Where the user's own configuration switches search off, the whole index goes.
  const isOffForAll = reading.limits.users.search?.enabled === false;
  const remove = isOffForAll ? conversations.removeAll : () => conversations.removeProject(project);
  let isTemplate = (_text: string): boolean => false;
  let last: Promise<unknown> = Promise.resolve();
  let hasLooked = false;

  return {
    /** A session has answered, or was deleted. */
    async onEvent({ properties, type }: HostEvent): Promise<void> {
      const sessionID = findEventSession(properties);
      if (sessionID === undefined) return;
      if (isOn && type === "session.deleted") await inTurn(() => conversations.removeSession(sessionID));
      else if (isOn) await inTurn(() => read(sessionID));
      if (hasLooked) return;
      hasLooked = true;
      await inTurn(isOn ? catchUp : remove);
    },

    /** These are all messages of the session that the host still has. */
    onTakenBack: (sessionID: string, messages: readonly Message[]): Promise<void> =>
      inTurn(async () => {
        if (await conversations.findCursor(sessionID)) await takeAll(sessionID, messages);
      }),
  };

  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  }

  /** Indexes new messages of a session that people opened; if the host does not answer, they are read the next time. */
  async function read(sessionID: string): Promise<void> {
    const cursor = await conversations.findCursor(sessionID);
    if (cursor?.isForgotten || host.isOwnSession(sessionID)) return;
    if (!cursor && (await host.findParent(sessionID)) !== undefined) return;
    const { untilMs = 0 } = cursor ?? {};
    const readMs = clock.now();
    const messages = await news.readSince(sessionID, untilMs);
    if (!messages) return;
    const lines = await inSlices(clock, readLines(messages, isTemplate));
    const added = lines.filter(({ atMs }) => atMs >= untilMs);
    await conversations.add(await headOf(sessionID), added, readMs);
  }

  async function takeAll(sessionID: string, messages: readonly Message[]): Promise<void> {
    const readMs = clock.now();
    await takeSession({ clock, conversations }, await headOf(sessionID), { messages, isTemplate, readMs });
  }

  async function headOf(id: string): Promise<SessionHead> {
    return { id, project, title: (await host.findTitle?.(id)) ?? "" };
  }

  async function catchUp(): Promise<void> {
    const listed = await host.listSessions?.();
    if (listed) isTemplate = listed.isTemplate;
    const there = listed && new Set(listed.ids);
    const known = await conversations.list({ project, limit: -1 });
    for (const [n, { id }] of known.entries()) {
      if (there ? !there.has(id) : (await host.sessionLastUsedMs(id)) === undefined)
        await conversations.removeSession(id);
      else if (n < MOST_LOOKED_AT && (await isStale(id))) {
        const messages = await host.readMessages(id);
        if (messages) await takeAll(id, messages);
      }
    }
    const isKnown = new Set(known.map(({ id }) => id));
    for (const id of listed?.ids.toReversed() ?? []) if (!isKnown.has(id)) await read(id);
  }

  async function isStale(sessionID: string): Promise<boolean> {
    const usedMs = await host.sessionLastUsedMs(sessionID);
    const { readMs = 0 } = (await conversations.findCursor(sessionID)) ?? {};
    return typeof usedMs === "number" && usedMs > readMs;
  }
}

/** Brings the index of a session to what these, all of its messages, say. */
export async function takeSession(
  { clock, conversations }: { clock: Clock; conversations: Conversations },
  session: SessionHead,
  said: { messages: readonly Message[]; isTemplate: (text: string) => boolean; readMs: number },
): Promise<void> {
  const { isTemplate, messages, readMs } = said;
  const known = await conversations.listMessages(session.id);
  const { gone, isNews } = planTaken(known, messages);
  await conversations.removeMessages(session.id, gone);
  const lines = await inSlices(clock, readLines(messages.filter(isNews), isTemplate));
  // The host makes the title from the messages.
  await conversations.add({ ...session, title: messages.length === 0 ? "" : session.title }, lines, readMs);
}

/**
 * Which messages are gone, and which are to be indexed: those that are not yet, and the last indexed one, which may have
 * grown. After a compaction the host may show only later messages; then no earlier one counts as gone. Pure.
 */
export function planTaken(
  known: readonly { id: string; atMs: number }[],
  messages: readonly Message[],
): { gone: string[]; isNews(message: Message): boolean } {
  const there = new Set(messages.map(({ info }) => info.id));
  const sinceMs = (isOnlyRest(messages) && messages[0] && readTime(messages[0].info)) || 0;
  const left = known.filter(({ id }) => there.has(id));
  const untilMs = Math.max(0, ...left.map(({ atMs }) => atMs));
  const isIn = new Set(left.filter(({ atMs }) => atMs < untilMs).map(({ id }) => id));
  return {
    gone: known.filter(({ atMs, id }) => atMs >= sinceMs && !there.has(id)).map(({ id }) => id),
    isNews: ({ info }) => !isIn.has(info.id),
  };
}
