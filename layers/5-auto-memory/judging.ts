/**
 * When the small model judges: not per turn, which costs a question each time, but when nobody has said anything for a
 * while, when a history is summarised or replaced by notes, and when a page full of candidates waits. What an ended
 * session has left is judged in the next one. Behind it sessions from before are read, where the user wants that. One
 * question at a time; nothing waits for it.
 */
import { formatError } from "../../src/base/error.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import type { ModelJudge, Work } from "./judge/model-judge.js";
import type { PastReader, PastReaderContext } from "./learn/past-sessions.js";
import { readUsersMessages } from "./words/statements.js";

export interface Judging {
  /** Somebody speaks: the quiet is over. */
  onTurn(): void;
  /** A session's turn was read, and so many of its messages wait. */
  onRead(sessionID: string, waiting: number): void;
  /** Judges what waits now, and reads past sessions if it is time to. Returns at once. */
  begin(sessionID: string): void;
}

export type JudgingContext = PastReaderContext &
  Pick<LayerContext, "background" | "config"> & {
    /** Did the user write this text? */
    isTheirs(text: string): boolean;
    /** The session's work up to this time was judged. Returns at once. */
    noteWork(sessionID: string, untilMs: number): void;
  };

const LAYER = "auto-memory";
const QUIET_MS = 90_000;
/** So many messages fill a question. */
const FULL = 20;
/** Messages of the session that are looked through for what its work showed. */
const LAST_MESSAGES = 120;

export function createJudging(context: JudgingContext): Judging {
  const { background, clock, config, cursors, host, isTheirs, log, noteWork } = context;
  let judge: ModelJudge | undefined;
  let readPast: PastReader | undefined;
  let isAsking = false;
  let isWanted: string | undefined;
  let cancel = (): void => {};
  let waiting = 0;

  return {
    onTurn() {
      cancel();
    },

    onRead(sessionID, more) {
      if (!mayAsk()) return;
      waiting += more;
      cancel();
      if (waiting >= FULL) return begin(sessionID);
      cancel = clock.after(QUIET_MS, () => begin(sessionID));
    },

    begin,
  };

  function mayAsk(): boolean {
    return config.autoMemory.judge === "auto" || config.autoMemory.judge === "model";
  }

  function begin(sessionID: string): void {
    cancel();
    if (!mayAsk()) return;
    if (isAsking) {
      isWanted = sessionID;
      return;
    }
    isAsking = true;
    waiting = 0;
    void background
      .add(() => ask(sessionID))
      .catch((thrown) => log.error(LAYER, `candidates are not judged: ${formatError(thrown)}`))
      .finally(() => {
        isAsking = false;
        const next = isWanted;
        isWanted = undefined;
        if (next !== undefined) begin(next);
      });
  }

  async function ask(sessionID: string): Promise<void> {
    const { createModelJudge } = await import("./judge/model-judge.js");
    judge ??= createModelJudge(context);
    const work = await readWork(sessionID);
    const { answered } = await judge({ sessionID, work });
    // What no model has answered about is told again the next time.
    if (answered > 0 && work.length > 0) noteWork(sessionID, Math.max(...work.map(({ atMs }) => atMs)));
    if (!config.autoMemory.pastSessions) return;
    const { createPastReader } = await import("./learn/past-sessions.js");
    readPast ??= createPastReader(context);
    await readPast(sessionID);
  }

  async function readWork(sessionID: string): Promise<Work[]> {
    const messages = (await host.readMessages(sessionID, LAST_MESSAGES)) ?? [];
    const { findWork } = await import("./judge/model-judge.js");
    const sinceMs = (await cursors.read(sessionID))?.workUntilMs ?? 0;
    return findWork(messages, readUsersMessages(messages, isTheirs)).filter(({ atMs }) => atMs > sinceMs);
  }
}
