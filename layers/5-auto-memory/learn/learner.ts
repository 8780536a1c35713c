/**
 * Learns from past conversations what live extraction would have kept: what the user marked becomes a memory, what may
 * hold something waits as a candidate for a judge. Repeating it changes nothing: a sentence is known by its memory, or by
 * the list of those that became none.
 */

import { readLatest, type WaitingCandidate } from "../../../src/candidates/candidate.js";
import type { Candidates } from "../../../src/candidates/candidates.js";
import type { Message } from "../../../src/conversation/message.js";
import { DAY_MS } from "../../../src/days.js";
import type { Gate } from "../../../src/gate/gate.js";
import type { MemoryType } from "../../../src/memory/memory.js";
import type { Memories, MemoryStore } from "../../../src/memory/store.js";
import type { Log } from "../../../src/record/log.js";
import type { Clock } from "../../../src/seams/clock.js";
import { inSlices } from "../../../src/slices.js";
import { createSaidKeeper, type Kept } from "../extraction/keep-said.js";
import { planUnread, type SaidTurn } from "../extraction/read-turns.js";
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
  clock: Clock;
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
  const { clock, isTheirs, memories, run, settled } = options;
  let listed: ReturnType<MemoryStore["list"]> | undefined;
  const list: MemoryStore["list"] = (wanted) => {
    // Listed once: the gate recognises what this run or another process has added since.
    listed ??= memories.list(wanted);
    return listed;
  };
  const takeSaid = createSaidKeeper({ ...options, memories: { list } });

  return async ({ messages, session }) => {
    const { turns } = await inSlices(clock, planUnread(messages, FROM_THE_START, { isTheirs }));
    const isSettled = await settled.read();
    const { kept, waiting } = await takeSaid(turns, { operation: "learn", session, run }, isSettled);
    const learned: Learned[] = [];
    const refused: string[] = [];
    const ids = new Set<string>();
    for (const one of kept) {
      const { draft, turn, written } = one;
      const isNews = isNew(one) && written.kind === "written" && !ids.has(written.memory.id);
      if (written.kind === "refused") refused.push(written.why);
      if (written.kind === "written" && isNews) {
        ids.add(written.memory.id);
        learned.push(describeKept(one, session));
        // An old date must not pass for neglect: nobody could use it before it was learned.
        if (clock.now() - turn.saidMs >= DAY_MS) memories.noteUse([written.memory.id]);
      } else await settled.add(turn.messageID, draft.provenance.evidence ?? draft.content);
    }
    return {
      learned: [...learned, ...waiting.map((one) => describeCandidate(one, session))],
      known: countMarked(turns) - kept.length + (kept.length - learned.length - refused.length),
      refused,
    };
  };
}

/** A message may say the same twice, and a memory may be there already. */
const isNew = ({ turn, written }: Kept): boolean =>
  written.kind === "written" && !written.isKnown && written.memory.provenance.message === turn.messageID;

function describeKept({ turn, written }: Kept, session: string): Learned {
  if (written.kind === "refused") throw new Error("expected a memory that was written");
  const { content, links, provenance, title, type } = written.memory;
  const replaced = links.length === 0 ? "" : `, replaces ${links.join(", ")}`;
  const why = `${provenance.why ?? "it says that it lasts"}${replaced}`;
  return { message: turn.messageID, session, type, title, content, why, isCandidate: false };
}

function describeCandidate(one: WaitingCandidate, session: string): Learned {
  const { message = "", text: content = "", title = "" } = readLatest(one) ?? {};
  return { message, session, type: one.type, title, content, why: "waits for a judge", isCandidate: true };
}

const countMarked = (turns: readonly SaidTurn[]): number =>
  turns.reduce((sum, { marked }) => sum + marked.length, 0);
