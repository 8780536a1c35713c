/**
 * Learns from past conversations what live extraction would have kept, without a model:
 *
 *     turn → signals and candidates → those that are new → gate → store; candidates wait
 *
 * Repeating it changes nothing: a sentence is known by its memory, or by the list of those that became none.
 */

import { readLatest, type WaitingCandidate } from "../../../src/candidates/candidate.js";
import type { Candidates } from "../../../src/candidates/candidates.js";
import type { Message } from "../../../src/conversation/message.js";
import { DAY_MS } from "../../../src/days.js";
import type { Gate } from "../../../src/gate/gate.js";
import type { MemoryType } from "../../../src/memory/memory.js";
import type { Memories, MemoryStore, Written } from "../../../src/memory/store.js";
import type { Log } from "../../../src/record/log.js";
import { inSlices, type SliceClock } from "../../../src/slices.js";
import { planUnread, type SaidTurn } from "../extraction/extract-turns.js";
import { keepAsSaid } from "../extraction/said-drafts.js";
import { createSaidKeeper } from "../extraction/said-keeper.js";
import type { Signal } from "../signals/find-signals.js";
import { formatTitle } from "../signals/title.js";
import type { Settled } from "./settled.js";

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
  /** Number of sentences that a memory holds already, or that became no memory in an earlier run. */
  known: number;
  /** Reasons for refusals. */
  refused: readonly string[];
}

/** Keeps what the turn has to keep. Rejects with the disk's error; a repetition goes on from there. */
export type Learner = (turn: PastTurn) => Promise<LearnedTurn>;

export interface LearnerOptions {
  clock: SliceClock;
  gate: Pick<Gate, "save">;
  log: Log;
  memories: Pick<Memories, "list" | "noteUse">;
  /** Shared by all changes, so that they are undone together. */
  run: string;
  settled: Settled;
  candidates: Candidates;
  /** Did the user write this text themselves? */
  isTheirs(text: string): boolean;
}

const FROM_THE_START = { untilMs: Number.NEGATIVE_INFINITY, callsUntilMs: Number.POSITIVE_INFINITY };

export function createLearner(options: LearnerOptions): Learner {
  const { candidates, clock, gate, isTheirs, log, memories, run, settled } = options;
  let listed: ReturnType<MemoryStore["list"]> | undefined;
  const list: MemoryStore["list"] = (wanted) => {
    // Listed once: the gate recognises what this run or another process has added since.
    listed ??= memories.list(wanted);
    return listed;
  };
  const keeper = createSaidKeeper({ candidates, clock, gate, log, memories: { list } });

  return async ({ messages, session }) => {
    const { turns } = await inSlices(clock, planUnread(messages, FROM_THE_START, { isTheirs }));
    const fresh = await dropSettled(await keeper.dropKnown(turns));
    const outcomes: Outcome[] = [];
    for (const turn of fresh)
      for (const signal of turn.signals) outcomes.push(await keep(signal, turn, session, outcomes));
    const waiting = fresh.flatMap((turn) => turn.candidates.map((signal) => ({ signal, turn })));
    const agreed = await keeper.offer(session, fresh);
    const kept = outcomes.flatMap((outcome) => (outcome.kind === "kept" ? [outcome.learned] : []));
    return {
      learned: [
        ...kept,
        ...waiting.map(({ signal, turn }) => describeCandidate(signal, { agreed, session, turn })),
      ],
      known:
        countSignals(turns) - countSignals(fresh) + outcomes.filter(({ kind }) => kind === "known").length,
      refused: outcomes.flatMap((outcome) => (outcome.kind === "refused" ? [outcome.why] : [])),
    };
  };

  async function dropSettled(turns: readonly SaidTurn[]): Promise<SaidTurn[]> {
    const isSettled = await settled.read();
    const isOpen = (turn: SaidTurn) => (signal: Signal) => !isSettled(turn.messageID, signal.text);
    return turns.map((turn) => ({
      ...turn,
      signals: turn.signals.filter(isOpen(turn)),
      candidates: turn.candidates.filter(isOpen(turn)),
    }));
  }

  async function keep(
    signal: Signal,
    turn: SaidTurn,
    session: string,
    before: readonly Outcome[],
  ): Promise<Outcome> {
    const { messageID, saidMs } = turn;
    const { draft } = keepAsSaid(signal, turn, session);
    const cause = { operation: "learn", session, reason: "the user said it", run, saidMs };
    const written = await gate.save(draft, saidMs, cause);
    const outcome = readOutcome(written, signal, { message: messageID, session, before });
    // An old date must not pass for neglect: nobody could use it before it was learned.
    if (outcome.kind === "kept" && clock.now() - saidMs >= DAY_MS) memories.noteUse([outcome.id]);
    const isDecided = outcome.kind === "known" || (outcome.kind === "refused" && outcome.isContradicted);
    if (isDecided) await settled.add(messageID, signal.text);
    return outcome;
  }
}

type Outcome =
  | { kind: "kept"; id: string; learned: Learned }
  | { kind: "known" }
  | { kind: "refused"; why: string; isContradicted: boolean };

function readOutcome(
  written: Written,
  signal: Signal,
  { before, message, session }: { message: string; session: string; before: readonly Outcome[] },
): Outcome {
  if (written.kind === "refused")
    return { kind: "refused", why: written.why, isContradicted: written.existing !== undefined };
  const { content, id, links, provenance, title, type } = written.memory;
  // A message may say the same twice.
  const isRepeated = before.some((outcome) => outcome.kind === "kept" && outcome.id === id);
  const isNew = written.kind === "written" && !written.isKnown && provenance.message === message;
  if (!isNew || isRepeated) return { kind: "known" };
  const replaced = links.length === 0 ? "" : `, replaces ${links.join(", ")}`;
  const why = `${formatReason(signal)}${replaced}`;
  return { kind: "kept", id, learned: { message, session, type, title, content, why, isCandidate: false } };
}

interface Offered {
  session: string;
  turn: SaidTurn;
  /** Those that the user has said in two sessions. */
  agreed: readonly WaitingCandidate[];
}

function describeCandidate(signal: Signal, { agreed, session, turn }: Offered): Learned {
  const { text: content, type } = signal;
  const isAgreed = agreed.some((one) => readLatest(one)?.message === turn.messageID && isOf(one, content));
  const what = isAgreed ? "said in two sessions" : "waits until it is said again or accepted";
  const why = `${formatReason(signal)}, ${what}`;
  const said = { message: turn.messageID, session, type, title: formatTitle(content), content };
  return { ...said, why, isCandidate: !isAgreed };
}

const isOf = (one: WaitingCandidate, text: string): boolean => readLatest(one)?.text === text;

const formatReason = ({ chance, isExplicit }: Signal): string =>
  isExplicit ? "explicitly meant to last" : `probability ${chance.toFixed(2)}`;

const countSignals = (turns: readonly SaidTurn[]): number =>
  turns.reduce((sum, { candidates, signals }) => sum + signals.length + candidates.length, 0);
