/** Judging past conversations: which model, about how much, whether the user agrees; then within what was agreed to. */
import PQueue from "p-queue";
import type { SaidTurn } from "../../../layers/5-auto-memory/extraction/read-turns.js";
import type { JudgedMessage } from "../../../layers/5-auto-memory/judge/batch.js";
import type { Learned, LearnerOptions } from "../../../layers/5-auto-memory/learn/learner.js";
import {
  createPastJudge,
  createSpending,
  type Estimate,
  estimateJudging,
  readTask,
} from "../../../layers/5-auto-memory/learn/past-judge.js";
import { StrataError } from "../../base/error.js";
import { formatCount, formatMoney } from "../../base/format.js";
import { createKnownPrices, findRates, isFree, type ModelPrices } from "../../costs/prices.js";
import { createSavings } from "../../costs/savings.js";
import type { Host, UsedTokens } from "../../io/host.js";
import { createPrompts } from "../../io/prompts.js";
import { isHandedOver, readLatest } from "../../memory/candidates/candidate.js";
import type { OpenMemories } from "../../memory/store/store.js";
import { describeCall, planChoice } from "../../models/cost.js";
import type { GenerationRequest } from "../../models/generation.js";
import { type OptionValues, readWhole, WRONG_ARGUMENT } from "../../operations/command.js";
import { isInAgentsShell } from "../../operations/open-memories.js";
import type { Project } from "../../operations/project.js";

export interface Wanted {
  /** Did the user ask for a judge? Otherwise it is only offered. */
  isAsked: boolean;
  /** "provider/model"; absent: the host's choice. */
  model?: string;
  /** Of the user's; absent: by the estimate. */
  budget?: number;
}

const MOST_BUDGET = 1_000_000_000;

/**
 * `undefined` if nobody is to judge. `canOffer`: the server that would be asked runs anyway.
 *
 * @throws StrataError if a judge is asked for and cannot be had
 */
export async function planJudge(
  project: Project,
  options: OptionValues,
  { canOffer }: { canOffer: boolean },
): Promise<Wanted | undefined> {
  const { cli } = project;
  const { claims, config } = await project.settings();
  const budget =
    options.budget === undefined
      ? undefined
      : readWhole("--budget", options.budget, { least: 1, most: MOST_BUDGET, usual: 1 });
  const isAsked = options.judge === true || budget !== undefined;
  const mayOffer = canOffer && cli.ask !== undefined && options.dryRun !== true;
  const { judge } = config.autoMemory;
  if (!isAsked && !(mayOffer && (judge === "auto" || judge === "model"))) return undefined;
  const choice = planChoice(config.background, claims.all, claims);
  if (choice.kind === "refused") {
    if (isAsked) throw new StrataError("NO_MODEL", `no model can judge: ${choice.why}`);
    return undefined;
  }
  if (await isInAgentsShell(cli)) {
    if (isAsked)
      throw new StrataError(
        "AGENT",
        "judging past sessions costs what you agree to, and this shell is an agent's; run it in a terminal of your own",
      );
    return undefined;
  }
  if (isAsked && options.yes !== true && options.dryRun !== true && cli.ask === undefined)
    throw new StrataError(
      WRONG_ARGUMENT,
      "nobody can be asked whether the cost is agreed to; add --yes, and --budget TOKENS to bound it",
    );
  const { model } = choice;
  return { isAsked, ...(model !== undefined && { model }), ...(budget !== undefined && { budget }) };
}

interface Agreed {
  mostTokens: number;
  prices: ModelPrices | undefined;
}

/** A question costs what it costs: the estimate may be half as much again. */
const ROOM = 1.5;

/** States what it takes; `undefined` if the user does not agree. */
async function agree(
  project: Project,
  { budget, model }: Wanted,
  {
    estimate,
    isYes,
    messages,
    sessions,
  }: {
    estimate: Estimate;
    messages: number;
    /** Number of sessions; absent if files are read. */
    sessions: number | undefined;
    isYes: boolean;
  },
): Promise<Agreed | undefined> {
  const { cli } = project;
  const prices = await findPrices(project, model);
  const { input, output } = estimate.tokens;
  const sum = input + output;
  const mostTokens = budget ?? Math.ceil((sum * ROOM) / 1_000) * 1_000;
  const price = formatPrice({ input, output, cacheRead: 0 }, prices);
  const text = [
    ...(sessions === undefined ? [] : [`${count(sessions, "session")}, `]),
    `${count(messages, "message")} that may hold something: `,
    `${count(estimate.questions, "question")}, about ${formatCount(sum)} tokens with ${model ?? "the host's model"}`,
    ...(price === undefined ? [] : [`, ${price}`]),
    `, at most ${formatCount(mostTokens)}; the limits of a day do not count them.`,
  ].join("");
  if (isYes) {
    cli.warn(text);
    return { mostTokens, prices };
  }
  const isAgreed = (await cli.ask?.(`${text} Go on?`)) === true;
  return isAgreed ? { mostTokens, prices } : undefined;
}

const count = (n: number, one: string): string => `${formatCount(n)} ${n === 1 ? one : `${one}s`}`;

/** "$0.07"; `undefined` if the model's prices are unknown. */
function formatPrice(used: UsedTokens, prices: ModelPrices | undefined): string | undefined {
  if (!prices) return undefined;
  if (isFree(prices)) return "free of charge";
  const { answered, cached, dollars = 0 } = findRates(prices);
  const paid = used.input + used.cacheRead * cached + used.output * answered;
  return formatMoney((paid * dollars) / 1_000_000);
}

/** Under this name, since it is the cost of no session. */
const LEDGER = "strata-learn";

/** Enters what a question has cost in the savings ledger, as the plugin does; a failure is only logged. */
function createAccount({ cli, folders, instance, log }: Project, { prices }: Agreed) {
  const { clock, files } = cli;
  const writes = new PQueue({ concurrency: 1 });
  const savings = createSavings({ clock, files, folder: folders.savings, instance, log, writes });

  return async (request: GenerationRequest, tokens: UsedTokens): Promise<void> => {
    savings.record(describeCall({ ...request, sessionID: LEDGER }, tokens, findRates(prices)));
    await writes.onIdle();
  };
}

/** As the plugin has learned them. */
async function findPrices(
  { cli, folders, log }: Project,
  model: string | undefined,
): Promise<ModelPrices | undefined> {
  const known = createKnownPrices({ files: cli.files, log, path: folders.prices, writes: new PQueue() });
  await known.load();
  return known.find(model);
}

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
  const spending = createSpending({
    ...{ generate, mostTokens: agreed.mostTokens, stop, onSpent: createAccount(project, agreed) },
    ...(model !== undefined && { model }),
  });
  const judge = createPastJudge({ ...shared, generation: spending, log, parentID, prompts });
  const pending = new Map<string, Learned>();

  return {
    add(waiting) {
      for (const one of waiting) pending.set(`${one.session} ${one.message}`, one);
      return judge.add(waiting.length);
    },
    end: judge.end,

    async state() {
      const { answered, why } = judge.state();
      const spent = spending.spent();
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
