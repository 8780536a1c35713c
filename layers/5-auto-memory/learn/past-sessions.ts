/**
 * `autoMemory.pastSessions`: the small model also judges what sessions said that nobody has read for memories, behind its
 * other questions and within the daily budget.
 *
 *     six hours since the last time? → the newest sessions without a cursor, never read → turns, oldest first
 *       → what is marked: memories; what may hold something: candidates → the small model, in full questions
 *
 * A session that was read is noted, and never read again. Where the model may not be asked any more, reading ends: what
 * it has not answered about waits as a candidate, and a session that was not read to its end comes the next time.
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { hashOf } from "../../../src/base/hash.js";
import { finite, isVersion, object, parserOf } from "../../../src/base/shape.js";
import type { Message } from "../../../src/io/message.js";
import { formatState, readState } from "../../../src/io/state-file.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import { readOwnTexts, readTime } from "../../../src/messages/call.js";
import type { ModelJudgeContext } from "../judge/model-judge.js";
import {
  createLearner,
  createPastJudge,
  createSettled,
  type PastTurn,
  type Settled,
  WHOLE,
} from "./learner.js";

export type PastReader = ReturnType<typeof createPastReader>;

type PastReaderContext = Pick<LayerContext, "files" | "folders" | "generation" | "host" | "locks"> &
  ModelJudgeContext & {
    /** Of the sessions that are read behind each turn. */
    cursors: { read(sessionID: string): Promise<unknown> };
    memories: Pick<LayerContext["memories"], "list" | "noteUse">;
  };

const LAYER = "auto-memory";
const PAUSE_MS = 6 * 60 * 60_000;
const MOST_SESSIONS = 50;

const parseState = parserOf(object<{ v: 1; atMs: number }>({ v: isVersion, atMs: finite }));

/** Reads past sessions if it is time to. Rejects with the system's error. `sessionID`: under which questions run. */
export function createPastReader(context: PastReaderContext) {
  const { clock, cursors, files, folders, generation, host, locks, log } = context;
  const path = join(folders.extraction, "past-sessions.json");
  let hasComplained = false;

  return async (sessionID: string): Promise<void> => {
    if (!host.listSessions) {
      const what = "this host lists no sessions to plugins, so autoMemory.pastSessions reads none";
      if (!hasComplained) log.warn(LAYER, `${what}; strata learn --sessions does`);
      hasComplained = true;
    } else if ((await mayAsk()) && (await isDue()))
      await locks
        .withLock(join(folders.extraction, "past-sessions.lock"), () => read(sessionID), { waitMs: 0 })
        .catch((thrown) => {
          // Another instance reads them.
          if ((thrown as { code?: unknown }).code !== "ELOCKED") throw thrown;
        });
  };

  async function mayAsk(): Promise<boolean> {
    const { isAllowed, model } = await generation.status();
    return isAllowed && model !== undefined;
  }

  async function isDue(): Promise<boolean> {
    const complaint = { log, source: LAYER, anew: "past sessions are read now" };
    const state = await readState(files, path, parseState, complaint);
    return !state || clock.now() - state.atMs >= PAUSE_MS || state.atMs > clock.now();
  }

  async function read(sessionID: string): Promise<void> {
    const listed = await host.listSessions?.();
    // Another instance may have read them meanwhile.
    if (!listed || !(await isDue())) return;
    await files.writeWhole(path, formatState({ atMs: clock.now() }));
    const settled = createSettled({ files, folder: folders.extraction, log });
    const wanted = await choose(listed.ids, settled, cursors);
    if (wanted.length === 0) return;
    const shared = { ...context, run: randomUUID().slice(0, 8), settled };
    const learner = createLearner({ ...shared, isTheirs: (text) => !listed.isTemplate(text) });
    const judge = createPastJudge({ ...shared, parentID: sessionID });
    const split = createTurnSplitter();
    let [sessions, kept] = [0, 0];
    try {
      for (const id of wanted) {
        const messages = (await mayAsk()) && (await host.readMessages(id));
        if (!messages) continue;
        for (const turn of split({ id, messages })) {
          const { learned } = await learner.learn(turn);
          const waiting = learned.filter(({ isCandidate }) => isCandidate).length;
          kept += learned.length - waiting + (await judge.add(waiting)).length;
        }
        if (judge.state().why !== undefined) break;
        await settled.add(id, WHOLE);
        sessions++;
      }
      kept += (await judge.end()).length;
    } finally {
      await learner.end();
    }
    log.info(
      LAYER,
      `past sessions: ${sessions} of ${wanted.length} read, ${kept} memories, run ${shared.run}`,
    );
  }
}

/** The newest of those that nobody has read, oldest first: what was said later replaces what was said before. */
async function choose(ids: readonly string[], settled: Settled, cursors: PastReaderContext["cursors"]) {
  const isRead = await settled.read();
  const chosen: string[] = [];
  for (const id of ids.toReversed()) {
    if (chosen.length === MOST_SESSIONS) break;
    // What was said since Strata listens is read behind each turn.
    if (!isRead(id, WHOLE) && !(await cursors.read(id))) chosen.unshift(id);
  }
  return chosen;
}

export interface StoredSession {
  id: string;
  messages: readonly Message[];
}

/** Splits sessions into turns, and leaves out messages that a fork has from the session it was made of. */
export function createTurnSplitter() {
  const seen = new Set<string>();

  return ({ id, messages }: StoredSession): PastTurn[] => {
    const turns: { session: string; messages: Message[] }[] = [];
    for (const message of messages) {
      if (message.info.role === "user") turns.push({ session: id, messages: [] });
      turns.at(-1)?.messages.push(message);
    }
    // In a fork a message keeps its time and text, and has another id.
    return turns.filter(({ messages: [first] }) => {
      const name = first && hashOf(`${readTime(first.info)}\n${readOwnTexts(first.parts).join("\n")}`);
      return name !== undefined && !seen.has(name) && seen.add(name);
    });
  };
}
