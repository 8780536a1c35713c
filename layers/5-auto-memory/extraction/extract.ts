/**
 * Extraction: after a turn, what the user said is read for what may matter in another session.
 *
 *     cursor → messages since → what the user marked: memories; what may hold something: candidates → cursor
 *                                                            ↳ when the session is quiet: a judge
 *
 * A candidate waits on disk before anybody judges it, so that a model that fails or hangs delays and loses nothing. The
 * cursor moves when all is written; what comes twice after a crash is known by its source and changes nothing.
 */

import { formatError } from "../../../src/base/error.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import type { Gate } from "../../../src/memory/gate/gate.js";
import type { MemoryStore } from "../../../src/memory/store.js";
import { createJudging } from "../judge/judging.js";
import { createCommandWatch } from "./extract-commands.js";
import { createCursors } from "./extraction-cursor.js";
import { createSaidKeeper } from "./keep-said.js";
import { createUnreadReader } from "./read-unread.js";

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
