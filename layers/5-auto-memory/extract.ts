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
import { isVersion, number, object, oneOf, optional, parserOf } from "../../src/base/shape.js";
import type { Files } from "../../src/io/files.js";
import type { Log } from "../../src/io/log.js";
import { formatState, readState } from "../../src/io/state-file.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import type { Gate } from "../../src/memory/gate/gate.js";
import type { ModelJudge, Work } from "./judge/model-judge.js";
import type { PastReader } from "./learn/past-sessions.js";
import { readUsersMessages } from "./words/statements.js";

export type ExtractionContext = LayerContext & { gate: Gate };

const LAYER = "auto-memory";
/** The host dates a message before it tells of it. */
const DATED_BEFORE_MS = 5_000;
const MOST_TEMPLATES = 50;
/** Turns of earlier processes that are read at a start. */
const MOST_LOOKED_BACK = 20;

export function createExtraction(context: ExtractionContext) {
  const { clock, family, files, folders, instances, log, news } = context;
  const cursors = createCursors({ files, folder: folders.extraction, log });
  const templates = new Set<string>();
  const isTheirs = (text: string): boolean => !templates.has(text);
  const { enqueue, isAtWork } = createQueue(context);
  const judging = createJudging({ ...context, cursors, isTheirs });
  let hasLookedBack = false;

  return {
    /** A user's message has come: from here on the session is read. Returns at once. */
    onTurn(sessionID: string): void {
      judging.onTurn();
      const sinceMs = clock.now() - DATED_BEFORE_MS;
      enqueue(sessionID, () => begin(sessionID, sinceMs));
      if (!hasLookedBack) enqueue(sessionID, lookBack);
      hasLookedBack = true;
    },

    /** A text that a command's template put into a message: the user chose it and did not write it. */
    onTemplate(text: string): void {
      templates.add(text.trim());
      const [first] = templates;
      if (templates.size > MOST_TEMPLATES && first !== undefined) templates.delete(first);
    },

    /** Did the user write this text themselves, as far as is known? */
    isTheirs,

    /** The session has answered. Reads what is new behind the turn; never rejects. */
    onIdle: (sessionID: string): void => enqueue(sessionID, () => extract(sessionID)),

    /** Its history was summarised, or notes replaced it: what waits is judged now. */
    onCompaction: (sessionID: string): void => enqueue(sessionID, async () => judging.begin(sessionID)),
  };

  /** What a subagent is asked are another agent's words, so its session has no cursor. */
  async function begin(sessionID: string, sinceMs: number): Promise<void> {
    const cursor = await cursors.read(sessionID);
    if (cursor || (await family.findParent(sessionID)) === undefined)
      await cursors.begin(sessionID, cursor ?? { untilMs: sinceMs });
  }

  /** Reads the turns that ended with their process: a session that nobody goes back to is never idle again. */
  async function lookBack(): Promise<void> {
    const living = (await instances.living()).flatMap(({ sessions }) => sessions);
    const busy = new Set(living.filter(({ state }) => state === "busy").map(({ id }) => id));
    const left = (await cursors.listOpen()).filter((id) => !busy.has(id) && !isAtWork(id));
    for (const sessionID of left.slice(-MOST_LOOKED_BACK)) enqueue(sessionID, () => extract(sessionID));
  }

  async function extract(sessionID: string): Promise<void> {
    const cursor = await cursors.read(sessionID);
    if (!cursor) return;
    const messages = await news.readSince(sessionID, cursor.untilMs);
    if (!messages) return;
    const { createTurnKeeper, planUnread } = await import("./extraction/turns.js");
    const { turns, untilMs } = planUnread(messages, cursor.untilMs, isTheirs);
    const keepTurns = createTurnKeeper(context);
    const { waiting } = await keepTurns(turns, { operation: "extract", session: sessionID });
    judging.onRead(sessionID, waiting.length);
    if (untilMs !== cursor.untilMs || cursor.isOpen) await cursors.move(sessionID, untilMs);
  }
}

/** Work on one session after the other: two on the same would both find what is new. */
function createQueue({ background, config, host, log }: ExtractionContext) {
  const running = new Map<string, Promise<void>>();
  return {
    isAtWork: (sessionID: string): boolean => running.has(sessionID),

    enqueue(sessionID: string, work: () => Promise<void>): void {
      if (!config.autoMemory.enabled || host.isOwnSession(sessionID)) return;
      const before = running.get(sessionID);
      const what = `cannot look for memories in ${sessionID}, tried again later`;
      const done = background
        .add(() => (before ? before.then(work) : work()))
        .catch((thrown) => log.error(LAYER, `${what}: ${formatError(thrown)}`));
      running.set(sessionID, done);
      void done.finally(() => running.get(sessionID) === done && running.delete(sessionID));
    },
  };
}

/*
 * When the small model judges: not per turn, which costs a question each time, but when nobody has said anything for a
 * while, when a history is summarised or replaced by notes, and when a page full of candidates waits. What an ended
 * session has left is judged in the next one. Behind it sessions from before are read, where the user wants that. One
 * question at a time; nothing waits for it.
 */

const QUIET_MS = 90_000;
const FULL = 20;
/** Messages of the session that are looked through for what its work showed. */
const LAST_MESSAGES_OF_WORK = 120;

function createJudging(context: ExtractionContext & { cursors: Cursors; isTheirs(text: string): boolean }) {
  const { background, clock, config, host, isTheirs, log } = context;
  const mayAsk = config.autoMemory.judge === "auto" || config.autoMemory.judge === "model";
  let judge: ModelJudge | undefined;
  let readPast: PastReader | undefined;
  let isAsking = false;
  let wanted: string | undefined;
  const startedMs = clock.now();
  /** By session: what its work showed up to then was told to a model, which has answered. */
  const toldUntil = new Map<string, number>();
  let cancel = (): void => {};
  let waiting = 0;

  return {
    begin,
    onTurn: (): void => cancel(),

    onRead(sessionID: string, more: number): void {
      if (!mayAsk) return;
      waiting += more;
      cancel();
      if (waiting >= FULL) begin(sessionID);
      else cancel = clock.after(QUIET_MS, () => begin(sessionID));
    },
  };

  /** Judges what waits now, and reads past sessions if it is time to. Returns at once. */
  function begin(sessionID: string): void {
    cancel();
    if (!mayAsk) return;
    if (isAsking) {
      wanted = sessionID;
      return;
    }
    isAsking = true;
    waiting = 0;
    void background
      .add(() => ask(sessionID))
      .catch((thrown) => log.error(LAYER, `candidates are not judged: ${formatError(thrown)}`))
      .finally(() => {
        isAsking = false;
        const next = wanted;
        wanted = undefined;
        if (next !== undefined) begin(next);
      });
  }

  async function ask(sessionID: string): Promise<void> {
    const { createModelJudge, findWork } = await import("./judge/model-judge.js");
    judge ??= createModelJudge(context);
    const messages = (await host.readMessages(sessionID, LAST_MESSAGES_OF_WORK)) ?? [];
    const sinceMs = toldUntil.get(sessionID) ?? startedMs;
    const isNew = ({ atMs }: Work): boolean => atMs > sinceMs;
    const work = findWork(messages, readUsersMessages(messages, isTheirs)).filter(isNew);
    const { answered } = await judge({ sessionID, work });
    // What no model has answered about is told again the next time.
    if (answered > 0 && work.length > 0) toldUntil.set(sessionID, Math.max(...work.map(({ atMs }) => atMs)));
    if (!config.autoMemory.pastSessions) return;
    const { createPastReader } = await import("./learn/past-sessions.js");
    readPast ??= createPastReader(context);
    await readPast(sessionID);
  }
}

/*
 * How far each session has been read: `<folder>/<sessionID>.json`, machine state. Begun when a session's user speaks while
 * the plugin listens, so that what was said before, in a fork's history too, is left alone. Moved only when all that was
 * found is written.
 */

interface Cursor {
  /** Messages of the user's up to this time are read. */
  untilMs: number;
  /** A turn has begun that is not read to its end: whoever starts next reads it, if nobody has. */
  isOpen?: true;
}

type Cursors = ReturnType<typeof createCursors>;

/** Calls that write reject with the system's error. */
export function createCursors({ files, folder, log }: { files: Files; folder: string; log: Log }) {
  const known = new Map<string, Cursor>();
  const pathOf = (sessionID: string): string => join(folder, `${sessionID}.json`);
  const stored = (sessionID: string) =>
    readState(files, pathOf(sessionID), parseCursor, { log, source: LAYER, anew: "begun anew" });
  const write = (sessionID: string, cursor: Cursor): Promise<void> =>
    files.writeWhole(pathOf(sessionID), formatState(cursor));

  return {
    read,

    /** A turn begins where the cursor is. */
    async begin(sessionID: string, cursor: Cursor): Promise<void> {
      if (cursor.isOpen) return;
      const begun: Cursor = { ...cursor, isOpen: true };
      // Known first: a disk that does not take it must not make the turn read twice.
      known.set(sessionID, begun);
      await write(sessionID, begun);
    },

    /** All turns are read up to there. */
    async move(sessionID: string, untilMs: number): Promise<void> {
      await write(sessionID, { untilMs });
      known.set(sessionID, { untilMs });
    },

    /** Sessions of which a turn was left half-read, by a process that has ended or by one that is at it. */
    async listOpen(): Promise<string[]> {
      const open: string[] = [];
      for (const name of await files.list(folder)) {
        const [, sessionID] = /^(.+)\.json$/.exec(name) ?? [];
        if (sessionID !== undefined && (await stored(sessionID))?.isOpen) open.push(sessionID);
      }
      return open;
    },
  };

  /** `undefined` when the session was never begun. A cursor that cannot be read counts as none, and is logged. */
  async function read(sessionID: string): Promise<Cursor | undefined> {
    const cursor = known.get(sessionID) ?? (await stored(sessionID));
    if (cursor) known.set(sessionID, cursor);
    return cursor;
  }
}

const parseCursor = parserOf(
  object<Cursor & { v: 1 }>({ v: isVersion, untilMs: number, isOpen: optional(oneOf([true])) }),
);
