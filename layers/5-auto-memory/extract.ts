/**
 * Extraction: after a turn, what the user said is read for what may matter in another session.
 *
 *     cursor → messages since → what the user marked: memories; what may hold something: candidates → cursor
 *                                                            ↳ when the session is quiet: a judge
 *
 * A candidate waits on disk before anybody judges it, so that a model that fails or hangs delays and loses nothing. The
 * cursor moves when all is written; what comes twice after a crash is known by its source and changes nothing.
 */
import { join } from "node:path";
import { formatError } from "../../src/base/error.js";
import { anyList, each, finite, isRecord, object } from "../../src/base/shape.js";
import { inSlices } from "../../src/base/slices.js";
import type { Message } from "../../src/io/message.js";
import { createStateFile, formatState } from "../../src/io/state-file.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import type { Gate } from "../../src/memory/gate/gate.js";
import type { MemoryDraft } from "../../src/memory/memory.js";
import type { MemoryStore } from "../../src/memory/store/store.js";
import { readTime } from "../../src/messages/call.js";
import { redactSecrets } from "../../src/text/secrets/secrets.js";
import { toCode } from "../../src/text/text.js";
import { type Cursor, type Cursors, createCursors } from "./extraction/extraction-cursor.js";
import { createSaidKeeper } from "./extraction/keep-said.js";
import type { Reading, Unread } from "./extraction/read-turns.js";
import {
  type CommandCount,
  type CommandCounts,
  countCommands,
  findRepeated,
  markKept,
  type RanCommand,
  simplifyCommand,
} from "./extraction/repeated-commands.js";
import { createJudging } from "./judging.js";

export interface Extraction {
  /** A user's message has come: from here on the session is read. Returns at once. */
  onTurn(sessionID: string): void;
  /** A text that a command's template put into a message: the user chose it and did not write it. */
  onTemplate(text: string): void;
  /** The session has answered. Reads what is new behind the turn; never rejects. */
  onIdle(sessionID: string): void;
  /** Its history was summarised, or notes replaced it: what waits is judged now. */
  onCompaction(sessionID: string): void;
}

export type ExtractionContext = Pick<
  LayerContext,
  | "background"
  | "candidates"
  | "clock"
  | "config"
  | "family"
  | "files"
  | "folders"
  | "generation"
  | "host"
  | "locks"
  | "log"
  | "prompts"
> & {
  instances: Pick<LayerContext["instances"], "living">;
  memories: MemoryStore & Pick<LayerContext["memories"], "noteUse">;
  gate: Gate;
};

const LAYER = "auto-memory";
/** The host dates a message before it tells of it. */
const DATED_BEFORE_MS = 5_000;
const MOST_TEMPLATES = 50;
/** Turns of earlier processes that are read at a start. */
const MOST_LOOKED_BACK = 20;

export function createExtraction(context: ExtractionContext): Extraction {
  const { background, clock, family, files, folders, gate, host, instances, log } = context;
  const cursors = createCursors({ files, folder: folders.extraction, log });
  const commands = createCommandWatch({ ...context, gate });
  const takeSaid = createSaidKeeper({ ...context, gate });
  const templates = new Set<string>();
  const isTheirs = (text: string): boolean => !templates.has(text);
  const judging = createJudging({
    ...{ ...context, cursors, isTheirs },
    noteWork: (sessionID, untilMs) => enqueue(sessionID, () => cursors.noteWork(sessionID, untilMs)),
  });
  const readUnread = createUnreadReader({ clock, cursors, host, log, reading: { isTheirs } });
  /** Work on one session after the other: two on the same would both find what is new. */
  const running = new Map<string, Promise<void>>();
  let hasLookedBack = false;

  return {
    onTurn(sessionID) {
      judging.onTurn();
      const sinceMs = clock.now() - DATED_BEFORE_MS;
      enqueue(sessionID, () => begin(sessionID, sinceMs));
      if (hasLookedBack) return;
      hasLookedBack = true;
      enqueue(sessionID, lookBack);
    },

    onTemplate(text) {
      templates.add(text.trim());
      const [first] = templates;
      if (templates.size > MOST_TEMPLATES && first !== undefined) templates.delete(first);
    },

    onIdle(sessionID) {
      enqueue(sessionID, () => extract(sessionID));
    },

    onCompaction(sessionID) {
      enqueue(sessionID, async () => judging.begin(sessionID));
    },
  };

  function enqueue(sessionID: string, work: () => Promise<void>): void {
    if (!context.config.autoMemory.enabled || host.isOwnSession(sessionID)) return;
    const before = running.get(sessionID);
    const done = background
      .add(() => (before ? before.then(work) : work()))
      .catch((thrown) => {
        log.error(
          LAYER,
          `cannot look for memories in ${sessionID}, tried again later: ${formatError(thrown)}`,
        );
      });
    running.set(sessionID, done);
    void done.finally(() => running.get(sessionID) === done && running.delete(sessionID));
  }

  /** What a subagent is asked are another agent's words. */
  async function begin(sessionID: string, sinceMs: number): Promise<void> {
    const isKnown = (await cursors.read(sessionID)) !== undefined;
    const isChild = !isKnown && (await family.findParent(sessionID)) !== undefined;
    await cursors.begin(sessionID, {
      untilMs: sinceMs,
      callsUntilMs: sinceMs,
      ...(isChild && { isChild }),
    });
  }

  /** Reads the turns that ended with their process: a session that nobody goes back to is never idle again. */
  async function lookBack(): Promise<void> {
    const living = (await instances.living()).flatMap(({ sessions }) => sessions);
    const busy = new Set(living.filter(({ state }) => state === "busy").map(({ id }) => id));
    const left = (await cursors.listOpen()).filter((id) => !busy.has(id) && !running.has(id));
    for (const sessionID of left.slice(-MOST_LOOKED_BACK)) enqueue(sessionID, () => extract(sessionID));
  }

  async function extract(sessionID: string): Promise<void> {
    const cursor = await cursors.read(sessionID);
    if (!cursor || cursor.isChild) return;
    const unread = await readUnread(sessionID, cursor);
    if (!unread) return;
    const { waiting } = await takeSaid(unread.turns, { operation: "extract", session: sessionID });
    await commands.count(sessionID, unread.commands);
    const hasMoved =
      unread.next.untilMs !== cursor.untilMs || unread.next.callsUntilMs !== cursor.callsUntilMs;
    if (hasMoved || cursor.isOpen) await cursors.move(sessionID, unread.next);
    judging.onRead(sessionID, waiting.length);
  }
}

/* Reads what a session has said since the cursor. */

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
    const { findNewest, planUnread } = await import("./extraction/read-turns.js");
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

/* Counts the commands of all sessions, and remembers those by which things are done here. */

export interface CommandWatch {
  /** Rejects with the system's error. */
  count(sessionID: string, ran: readonly RanCommand[]): Promise<void>;
}

export function createCommandWatch(
  context: Pick<LayerContext, "clock" | "files" | "folders" | "log"> & { gate: Gate },
): CommandWatch {
  const { clock, files, folders, gate, log } = context;
  const path = join(folders.extraction, "commands.json");
  const stored = createStateFile<CommandCounts>({
    files,
    parse: parseCounts,
    format: (counts) => formatState({ counts }),
    fresh: {},
    complain: { log, source: LAYER, anew: "commands are counted anew" },
  });

  return {
    async count(sessionID, ran) {
      // What stands in memory is free of secrets, so what is counted for it is as well.
      const clean = ran.filter(
        ({ command }) => simplifyCommand(command) !== undefined && redactSecrets(command).found.length === 0,
      );
      if (clean.length === 0) return;
      const known = await stored.read(path);
      const counts = countCommands(known, sessionID, clean);
      const repeated = findRepeated(counts);
      for (const command of repeated) {
        const cause = { operation: "extract", session: sessionID, reason: "run again and again" };
        await gate.save(draftOf(command, counts[command], sessionID), clock.now(), cause);
      }
      await stored.write(path, markKept(counts, repeated));
    },
  };
}

function parseCounts(text: string): CommandCounts {
  const value: unknown = JSON.parse(text);
  const counts = isRecord(value) && value.v === 1 && isRecord(value.counts) ? value.counts : {};
  return Object.fromEntries(
    Object.entries(counts).filter((one): one is [string, CommandCount] => isCount(one[1])),
  );
}

const isCount = object<CommandCount>({
  ...each(finite, "failures", "lastMs", "successes"),
  sessions: anyList,
});

/** The command and how often it was run. Nobody has said that it is wanted. */
function draftOf(command: string, count: CommandCount | undefined, sessionID: string): MemoryDraft {
  const { failures = 0, sessions = [], successes = 0 } = count ?? {};
  const runs = `${successes} of ${successes + failures} runs succeeded`;
  return {
    type: "procedure",
    title: command,
    content: `${toCode(command, 200)}: ${runs}, in at least ${sessions.length} ${sessions.length === 1 ? "session" : "sessions"}`,
    when: [command.split(" ").slice(0, 2).join(" ")],
    provenance: { by: "agent", session: sessionID, how: "counted" },
  };
}
