/**
 * Learns from past conversations what live extraction would have kept: what the user marked becomes a memory, what may
 * hold something waits as a candidate for a judge. Repeating it changes nothing: a sentence is known by its memory, or by
 * the list of those that became none, and a message by its judgement.
 */
import { join } from "node:path";
import { DAY_MS } from "../../../src/base/days.js";
import { hashOf } from "../../../src/base/hash.js";
import { isVersion, object, parserOf, string } from "../../../src/base/shape.js";
import type { Files } from "../../../src/io/files.js";
import { createLineLog } from "../../../src/io/json-lines.js";
import type { Log } from "../../../src/io/log.js";
import type { Message } from "../../../src/io/message.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import {
  type Judgement,
  readLatest,
  type WaitingCandidate,
} from "../../../src/memory/candidates/candidate.js";
import type { Gate } from "../../../src/memory/gate/gate.js";
import type { Memory, MemoryType } from "../../../src/memory/memory.js";
import { estimateTokens } from "../../../src/models/cost.js";
import { createTurnKeeper, listUnmarked, planUnread, type SaidTurn } from "../extraction/turns.js";
import { createModelJudge, type ModelJudgeContext } from "../judge/model-judge.js";
import { formatBatch, type JudgedMessage, planBatches } from "../judge/verdicts.js";
import { LEAST_WORTH } from "../words/worth.js";

/** A user's message and what followed it up to their next one, in the host's shape. Every message has a time. */
export interface PastTurn {
  session: string;
  messages: readonly Message[];
}

/** A sentence that was kept, or that waits as a candidate. */
export interface Learned {
  message: string;
  session: string;
  type: MemoryType;
  title: string;
  content: string;
  /** The reason in a few words. */
  why: string;
  isCandidate: boolean;
}

export interface LearnedTurn {
  /** In the user's order, candidates last. */
  learned: readonly Learned[];
  /** Number of sentences that a memory holds already, that became none in an earlier run, or that were judged. */
  known: number;
  /** Reasons for refusals. */
  refused: readonly string[];
}

export type Learner = ReturnType<typeof createLearner>;

export interface LearnerOptions extends Pick<LayerContext, "candidates" | "clock" | "log"> {
  gate: Pick<Gate, "save">;
  memories: Pick<LayerContext["memories"], "list" | "noteUse">;
  /** Shared by all changes, so that they are undone together. */
  run: string;
  settled: Settled;
  /** Did the user write this text themselves? */
  isTheirs(text: string): boolean;
}

/** In the list of settled sentences: all of the message, or of the session. */
export const WHOLE = "";
/** So many judgements are written at once: each time the whole log is read. What a process loses the next run notes again. */
const MOST_NOTES = 500;

export function createLearner(options: LearnerOptions) {
  const { candidates, clock, memories, run, settled } = options;
  const readOpen = createOpenReader(options);
  let listed: Promise<readonly Memory[]> | undefined;
  let notes: Judgement[] = [];
  const keepTurns = createTurnKeeper({
    ...options,
    candidates: {
      ...candidates,
      async note(more) {
        notes.push(...more);
        if (notes.length >= MOST_NOTES) await end();
      },
    },
    memories: {
      // Listed once: the gate recognises what this run or another process has added since.
      list(wanted) {
        listed ??= memories.list(wanted);
        return listed;
      },
    },
  });

  return {
    /** Keeps what the turn has to keep. Rejects with the disk's error; a repetition goes on from there. */
    async learn(turn: PastTurn): Promise<LearnedTurn> {
      const { session } = turn;
      const { known, open } = await readOpen(turn);
      const { kept, waiting } = await keepTurns(open, { operation: "learn", session, run });
      const learned: Learned[] = [];
      const refused: string[] = [];
      const ids = new Set<string>();
      for (const { draft, turn, written } of kept) {
        if (written.kind === "refused") refused.push(written.why);
        const memory = written.kind === "written" && !written.isKnown ? written.memory : undefined;
        // A message may say the same twice, and a memory may be there already.
        if (memory && memory.provenance.message === turn.messageID && !ids.has(memory.id)) {
          ids.add(memory.id);
          learned.push(describeMemory(memory, session));
          // An old date must not pass for neglect: nobody could use it before it was learned.
          if (clock.now() - turn.saidMs >= DAY_MS) memories.noteUse([memory.id]);
        } else if (written.kind !== "refused" || written.existing)
          await settled.add(turn.messageID, draft.provenance.evidence ?? draft.content);
      }
      const marked = open.reduce((sum, turn) => sum + turn.marked.length, 0);
      return {
        learned: [...learned, ...waiting.map((one) => describeCandidate(one, session))],
        known: known + marked - learned.length - refused.length,
        refused,
      };
    },

    end,

    /** What `learn` would offer to a judge. Changes nothing. */
    async listOpen(turn: PastTurn): Promise<readonly SaidTurn[]> {
      const { open } = await readOpen(turn);
      return open.filter((one) => one.worth >= LEAST_WORTH && listUnmarked(one).length > 0);
    },
  };

  async function end(): Promise<void> {
    const some = notes;
    notes = [];
    await candidates.note(some);
  }
}

/** Reads a turn without what an earlier run, or a judge while OpenCode ran, has decided; `known` counts that. */
function createOpenReader({ candidates, isTheirs, settled }: LearnerOptions) {
  let judging: Promise<ReadonlySet<string>> | undefined;

  return async ({ messages, session }: PastTurn): Promise<{ open: SaidTurn[]; known: number }> => {
    const isSettled = await settled.read();
    judging ??= readJudged();
    const judged = await judging;
    let known = 0;
    const open = planUnread(messages, Number.NEGATIVE_INFINITY, isTheirs).turns.flatMap(
      (turn): SaidTurn[] => {
        const { marked, messageID, statements } = turn;
        if (isSettled(messageID, WHOLE) || judged.has(`${session} ${messageID}`)) {
          known++;
          return [];
        }
        const gone = marked.filter(({ statement }) => isSettled(messageID, statement.text));
        known += gone.length;
        const rest = statements.filter((one) => gone.every(({ statement }) => statement !== one));
        if (gone.length > 0 && rest.length === 0) return [];
        return [{ ...turn, statements: rest, marked: marked.filter((one) => !gone.includes(one)) }];
      },
    );
    return { open, known };
  };

  async function readJudged(): Promise<ReadonlySet<string>> {
    const by = (await candidates.judgements()).filter((one) => one.by === "model" || one.by === "agent");
    return new Set(by.map(({ message, session }) => `${session} ${message}`));
  }
}

function describeMemory(
  { content, links, provenance, title, type }: Memory,
  session = provenance.session ?? "",
): Learned {
  const replaced = links.length === 0 ? "" : `, replaces ${links.join(", ")}`;
  const why = `${provenance.why ?? "it says that it lasts"}${replaced}`;
  return { message: provenance.message ?? "", session, type, title, content, why, isCandidate: false };
}

function describeCandidate(one: WaitingCandidate, session: string): Learned {
  const { message = "", text: content = "", title = "" } = readLatest(one) ?? {};
  return { message, session, type: one.type, title, content, why: "waits for a judge", isCandidate: true };
}

/*
 * Sentences that became no memory of their own, because one says the same or something newer says the opposite:
 * `state/extraction/learned.jsonl`. Read a second time, such a sentence would count as newer than it is.
 */

export type Settled = ReturnType<typeof createSettled>;

/** `said`: hash of message and sentence. */
const parseLine = parserOf(object<{ v: 1; said: string }>({ v: isVersion, said: string }));

/** `folder`: machine state of the extraction. Reads the list once. Calls reject with the system's error. */
export function createSettled({ files, folder, log }: { files: Files; folder: string; log: Log }) {
  const path = join(folder, "learned.jsonl");
  const lines = createLineLog({ files, parse: parseLine, complain: { log, source: "auto-memory" } });
  const nameOf = (message: string, sentence: string): string => hashOf(`${message}\n${sentence}`);
  let known: Set<string> | undefined;
  const load = async (): Promise<Set<string>> => {
    known ??= new Set((await lines.read(path)).records.map(({ said }) => said));
    return known;
  };

  return {
    /** A check whether the sentence is listed, complete as of now. */
    async read(): Promise<(message: string, sentence: string) => boolean> {
      const said = await load();
      return (message, sentence) => said.has(nameOf(message, sentence));
    },

    async add(message: string, sentence: string): Promise<void> {
      const said = nameOf(message, sentence);
      const all = await load();
      if (all.has(said)) return;
      await lines.append(path, [{ v: 1, said }]);
      all.add(said);
    },
  };
}

/*
 * The judge of past conversations: the small model reads what they offer in full questions, and what it has answered about
 * is settled, so that no later run asks again. `strata learn` asks under a budget that was stated before, the plugin within
 * that of the day.
 */

/** Of an answer about a full question: a few verdicts. */
export const ANSWER_CHARACTERS = 2_400;

/** About; answers included. */
export function estimateJudging(
  messages: readonly JudgedMessage[],
  { memories, task }: { task: string; memories: readonly { type: MemoryType; title: string }[] },
) {
  const batches = planBatches(messages);
  const input = batches.reduce((sum, batch) => {
    const prompt = `${task}\n\n${formatBatch({ messages: batch, work: [], memories })}`;
    return sum + estimateTokens({ prompt, maxCharacters: 0 });
  }, 0);
  const output = Math.ceil((batches.length * ANSWER_CHARACTERS) / 4);
  return { questions: batches.length, tokens: { input, output } };
}

/** So many messages fill a question. */
const FULL = 20;

/** `parentID`: the session of the host's under which the questions run. */
export function createPastJudge(
  options: ModelJudgeContext & { settled: Settled; run: string; parentID: string },
) {
  const { candidates, memories, parentID, run, settled } = options;
  const judge = createModelJudge(options);
  let waiting = 0;
  let answered = 0;
  let why: string | undefined;

  return {
    /** So many messages more wait. Judges them if they fill a question. */
    async add(more: number): Promise<readonly Learned[]> {
      waiting += more;
      return waiting >= FULL ? ask() : [];
    },

    end: ask,

    state: (): { answered: number; why?: string } => ({ answered, ...(why !== undefined && { why }) }),
  };

  async function ask(): Promise<readonly Learned[]> {
    // Without an answer there is none to the next question either; what waits is judged in the next run.
    if (why !== undefined) return [];
    waiting = 0;
    const before = (await candidates.list()).filter(({ isJudged }) => !isJudged);
    if (before.length === 0) return [];
    const judged = await judge({ sessionID: parentID, operation: "learn", run });
    why = judged.why;
    const open = new Set((await candidates.list()).flatMap(({ id, isJudged }) => (isJudged ? [] : [id])));
    answered += judged.answered;
    // A model that fails twice leaves them to the user, without having judged them.
    const done = judged.answered > 0 ? before.filter(({ id }) => !open.has(id)) : [];
    // Several messages may say the same.
    for (const { message } of done.flatMap(({ said }) => said)) await settled.add(message, WHOLE);
    const kept = new Set(judged.kept);
    return (await memories.list()).filter(({ id }) => kept.has(id)).map((memory) => describeMemory(memory));
  }
}
