/**
 * The judge of past conversations: the small model reads what they offer in full questions, and what it has answered about
 * is settled, so that no later run asks again. `strata learn` asks under a budget that was stated before, the plugin within
 * that of the day.
 */
import { formatCount } from "../../../src/base/format.js";
import type { Generated, GenerateRequest, UsedTokens } from "../../../src/io/host.js";
import type { Prompts } from "../../../src/io/prompts.js";
import type { WaitingCandidate } from "../../../src/memory/candidates/candidate.js";
import type { MemoryType } from "../../../src/memory/memory.js";
import { estimateTokens } from "../../../src/models/cost.js";
import type { GenerationRequest, GenerationResult } from "../../../src/models/generation.js";
import { createModelJudge, type ModelJudgeContext } from "../judge/model-judge.js";
import { formatBatch, type JudgedMessage, planBatches } from "../judge/verdicts.js";
import { describeMemory, type Learned, type Settled, WHOLE } from "./learner.js";

export interface Estimate {
  questions: number;
  /** About; answers included. */
  tokens: { input: number; output: number };
}

/** Of an answer about a full question: a few verdicts. */
const ANSWER_CHARACTERS = 2_400;

/** What judging these messages takes. Pure. */
export function estimateJudging(
  messages: readonly JudgedMessage[],
  { memories, task }: { task: string; memories: readonly { type: MemoryType; title: string }[] },
): Estimate {
  const batches = planBatches(messages);
  const input = batches.reduce((sum, batch) => {
    const prompt = `${task}\n\n${formatBatch({ messages: batch, work: [], memories })}`;
    return sum + estimateTokens({ prompt, maxCharacters: 0 });
  }, 0);
  const output = Math.ceil((batches.length * ANSWER_CHARACTERS) / 4);
  return { questions: batches.length, tokens: { input, output } };
}

/** `estimateJudging` with the task as it is sent. */
export const readTask = (prompts: Prompts): Promise<string> => prompts.read("memory-judge");

export interface PastJudgeOptions extends ModelJudgeContext {
  settled: Settled;
  run: string;
  /** Under which session of the host's the questions run. */
  parentID: string;
}

export interface PastJudge {
  /** So many messages more wait. Judges them if they fill a question. */
  add(waiting: number): Promise<readonly Learned[]>;
  /** Judges the rest. */
  end(): Promise<readonly Learned[]>;
  /** So far. */
  state(): { answered: number; why?: string };
}

/** So many messages fill a question. */
const FULL = 20;

export function createPastJudge(options: PastJudgeOptions): PastJudge {
  const { candidates, memories, parentID, run, settled } = options;
  const judge = createModelJudge(options);
  let waiting = 0;
  let answered = 0;
  let why: string | undefined;

  return {
    async add(more) {
      waiting += more;
      return waiting >= FULL ? ask() : [];
    },
    end: ask,
    state: () => ({ answered, ...(why !== undefined && { why }) }),
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
    if (judged.answered > 0) for (const one of before.filter(({ id }) => !open.has(id))) await settle(one);
    const kept = new Set(judged.kept);
    return (await memories.list()).filter(({ id }) => kept.has(id)).map((memory) => describeMemory(memory));
  }

  /** Several messages may say the same. */
  async function settle({ said }: WaitingCandidate): Promise<void> {
    for (const { message } of said) await settled.add(message, WHOLE);
  }
}

export interface SpendingOptions {
  generate(request: GenerateRequest): Promise<Generated>;
  /** "provider/model"; absent: the host's choice. */
  model?: string;
  /** No question is asked that would exceed so many tokens. */
  mostTokens: number;
  /** Is told what each question has cost. Never rejects. */
  onSpent(request: GenerationRequest, tokens: UsedTokens): Promise<void>;
  stop: AbortSignal;
}

export type Spending = ModelJudgeContext["generation"] & {
  /** So far. */
  spent(): UsedTokens;
};

const DEADLINE_MS = 120_000;

/** Questions within the stated budget, and none after an interrupt. */
export function createSpending(options: SpendingOptions): Spending {
  const { generate, model, mostTokens, onSpent, stop } = options;
  const spent: UsedTokens = { input: 0, output: 0, cacheRead: 0 };
  const findObstacle = (tokens = 0): string | undefined => {
    if (stop.aborted) return "it was interrupted";
    const sum = spent.input + spent.output + spent.cacheRead;
    return sum + tokens > mostTokens
      ? `the budget of ${formatCount(mostTokens)} tokens is used up`
      : undefined;
  };

  return {
    spent: (): UsedTokens => ({ ...spent }),

    async status() {
      const why = findObstacle();
      return {
        isAllowed: why === undefined,
        ...(why !== undefined && { why }),
        ...(model !== undefined && { model }),
      };
    },

    async generate(request: GenerationRequest): Promise<GenerationResult> {
      const { maxCharacters = ANSWER_CHARACTERS, prompt, purpose, sessionID } = request;
      const why = findObstacle(estimateTokens({ prompt, maxCharacters: ANSWER_CHARACTERS }));
      if (why !== undefined) return { kind: "refused", why };
      const generated = await generate({
        ...{ parentID: sessionID, title: purpose, prompt, maxAnswerTokens: maxCharacters },
        ...{ signal: stop, deadlineMs: DEADLINE_MS },
        ...(model !== undefined && { model }),
      });
      const used = generated.tokens ?? {
        input: estimateTokens({ prompt, maxCharacters: 0 }),
        output: 0,
        cacheRead: 0,
      };
      spent.input += used.input;
      spent.output += used.output;
      spent.cacheRead += used.cacheRead;
      await onSpent(request, used);
      if (generated.kind === "text") return { kind: "text", text: generated.text, tokens: used };
      // Called off by the user: the model has not failed.
      return { kind: stop.aborted ? "refused" : "failed", why: generated.reason };
    },
  };
}
