/**
 * Extraction: after a turn, what the user said is looked through for what will matter in another session.
 *
 *     cursor → messages since → signals → gate → store → candidates → cursor
 *                                                            ↳ behind it: judged by a small model, if allowed
 *
 * A signal is saved at once in the user's own words, and a candidate waits on disk before a model is asked, so that a model
 * that fails or hangs delays and loses nothing. The cursor moves when all is written; what comes twice after a crash is
 * known by its source and changes nothing.
 */

import { formatError } from "../../../src/error.js";
import type { FindSimilar, Gate } from "../../../src/gate/gate.js";
import type { LayerContext } from "../../../src/layer-context.js";
import type { MemoryStore } from "../../../src/memory/store.js";
import type { Learned } from "../signals/weigh.js";
import { createCommandWatch } from "./extract-commands.js";
import { createCursors } from "./extraction-cursor.js";
import type { CandidateContext, CandidateJudge } from "./judge-candidates.js";
import { createUnreadReader } from "./read-unread.js";
import { keepAsSaid } from "./said-drafts.js";
import { createSaidKeeper } from "./said-keeper.js";

export interface Extraction {
  /** A user's message has come: from here on the session is read. Returns at once. */
  onTurn(sessionID: string): void;
  /** A text that a command's template put into a message: the user chose it and did not write it. */
  onTemplate(text: string): void;
  /** The session has answered. Reads what is new behind the turn; never rejects. */
  onIdle(sessionID: string): void;
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
  | "log"
  | "prompts"
> & {
  instances: Pick<LayerContext["instances"], "living">;
  memories: MemoryStore;
  gate: Gate;
  findSimilar?: FindSimilar;
  /** Replaced in tests only. */
  learned?: Learned;
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
  const judge = createJudging({ ...context, gate });
  const keeper = createSaidKeeper({ ...context, gate });
  const templates = new Set<string>();
  const isTheirs = (text: string): boolean => !templates.has(text);
  const reading = { isTheirs, ...(context.learned && { learned: context.learned }) };
  const readUnread = createUnreadReader({ clock, cursors, host, log, reading });
  /** Work on one session after the other: two on the same would both find what is new. */
  const running = new Map<string, Promise<void>>();
  let hasLookedBack = false;

  return {
    onTurn(sessionID) {
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
    const turns = await keeper.dropKnown(unread.turns);
    const said = turns.flatMap((turn) => turn.signals.map((signal) => keepAsSaid(signal, turn, sessionID)));
    await keeper.save(sessionID, said);
    await keeper.offer(sessionID, turns);
    await commands.count(sessionID, unread.commands);
    const hasMoved =
      unread.next.untilMs !== cursor.untilMs || unread.next.callsUntilMs !== cursor.callsUntilMs;
    if (hasMoved || cursor.isOpen) await cursors.move(sessionID, unread.next);
    const doubtful = turns.filter(({ candidates }) => candidates.length > 0);
    if (doubtful.length > 0)
      judge(
        sessionID,
        doubtful.map(({ text }) => text),
      );
  }
}

/** Asks in the background, one question at a time: a model that hangs holds up nothing else. */
function createJudging(context: ExtractionContext & Pick<CandidateContext, "gate">) {
  const { background, log } = context;
  let judge: CandidateJudge | undefined;
  let isAsking = false;
  /** The latest that came while a question was open; all candidates that wait are in the next one. */
  let next: Parameters<CandidateJudge> | undefined;

  return function ask(...asked: Parameters<CandidateJudge>): void {
    if (isAsking) {
      next = asked;
      return;
    }
    isAsking = true;
    void background
      .add(async () => {
        const { createCandidateJudge } = await import("./judge-candidates.js");
        judge ??= createCandidateJudge(context);
        await judge(...asked);
      })
      .catch((thrown) => log.error(LAYER, `candidates are not judged: ${formatError(thrown)}`))
      .finally(() => {
        isAsking = false;
        const waiting = next;
        next = undefined;
        if (waiting) ask(...waiting);
      });
  };
}
