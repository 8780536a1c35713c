/** Judging past conversations, once the user has agreed to what it takes. */

import type { SaidTurn } from "../../../layers/5-auto-memory/extraction/read-turns.js";
import type { JudgedMessage } from "../../../layers/5-auto-memory/judge/batch.js";
import type { Learned, LearnerOptions } from "../../../layers/5-auto-memory/learn/learner.js";
import {
  createPastJudge,
  estimateJudging,
  readTask,
} from "../../../layers/5-auto-memory/learn/past-judge.js";
import { isHandedOver, readLatest } from "../../candidates/candidate.js";
import { formatCount } from "../../format.js";
import type { OpenMemories } from "../../memory/store.js";
import { createPrompts } from "../../prompts.js";
import type { Host } from "../../seams/host.js";
import type { Project } from "../project.js";
import { agree, formatPrice, type Wanted } from "./agree.js";

export interface Judging {
  /** These wait now. Returns what was kept, if they filled a question. */
  add(waiting: readonly Learned[]): Promise<readonly Learned[]>;
  end(): Promise<readonly Learned[]>;
  state(): Promise<JudgeState>;
}

export interface JudgeState {
  /** "about 21,300 tokens with lab/small, $0.02" */
  spent: string;
  /** Number of messages that the model has answered about. */
  answered: number;
  /** Why it was not asked about the others. */
  why?: string;
  /** What still waits. */
  waiting: readonly Learned[];
}

export interface JudgingOptions {
  generate: Host["generate"];
  isDry: boolean;
  isYes: boolean;
  /** What the conversations offer to a judge. */
  open: readonly Pick<SaidTurn, "context" | "messageID" | "statements">[];
  parentID: string;
  sessions: number | undefined;
  shared: Omit<LearnerOptions, "isTheirs"> & { memories: OpenMemories };
  stop: AbortSignal;
  wanted: Wanted;
}

/** `undefined` if there is nothing to judge, or the user does not want it. */
export async function openJudging(project: Project, options: JudgingOptions): Promise<Judging | undefined> {
  const { generate, isDry, isYes, open, parentID, sessions, shared, stop, wanted } = options;
  const { cli, log } = project;
  const { candidates, memories } = shared;
  const prompts = createPrompts(cli.files);
  const offered = new Set(open.map(({ messageID }) => messageID));
  const before = (await candidates.list()).filter(
    (one) => !one.isJudged && !isHandedOver(one) && !offered.has(readLatest(one)?.message ?? ""),
  );
  const messages: JudgedMessage[] = [
    ...open.map(({ context, statements }) => ({
      statements: statements.map(({ heading, text }) => ({ heading, text })),
      ...(context !== undefined && { context }),
    })),
    ...before.map((one) => ({ statements: readLatest(one)?.statements ?? [] })),
  ];
  if (messages.length === 0) {
    if (wanted.isAsked) cli.warn("Nothing is left to be judged.");
    return undefined;
  }
  const known = (await memories.list()).filter(({ isForeign }) => !isForeign);
  const estimate = estimateJudging(messages, { memories: known.slice(0, 40), task: await readTask(prompts) });
  const stated = { estimate, isYes: isYes || isDry, messages: messages.length, sessions };
  const agreed = await agree(project, wanted, stated);
  if (!agreed || isDry) return undefined;
  const { model } = wanted;
  const judge = createPastJudge({
    ...shared,
    ...{ generate, log, mostTokens: agreed.mostTokens, parentID, prompts, stop },
    ...(model !== undefined && { model }),
  });
  const pending = new Map<string, Learned>();

  return {
    add(waiting) {
      for (const one of waiting) pending.set(`${one.session} ${one.message}`, one);
      return judge.add(waiting.length);
    },
    end: judge.end,

    async state() {
      const { answered, spent, why } = judge.state();
      const sum = spent.input + spent.output + spent.cacheRead;
      const price = formatPrice(spent, agreed.prices);
      const left = (await candidates.list()).map(readLatest);
      return {
        spent: `${formatCount(sum)} tokens with ${model ?? "the host's model"}${price === undefined ? "" : `, ${price}`}`,
        answered,
        ...(why !== undefined && { why }),
        waiting: left.flatMap((one) => pending.get(`${one?.session} ${one?.message}`) ?? []),
      };
    },
  };
}
