/** Judging past conversations: which model, about how much, whether the user agrees; then within what was agreed to. */
import PQueue from "p-queue";
import type { SaidTurn } from "../../../layers/5-auto-memory/extraction/turns.js";
import type { JudgedMessage } from "../../../layers/5-auto-memory/judge/verdicts.js";
import {
  ANSWER_CHARACTERS,
  createPastJudge,
  estimateJudging,
  type Learned,
  type LearnerOptions,
} from "../../../layers/5-auto-memory/learn/learner.js";
import { StrataError } from "../../base/error.js";
import { formatCount, formatCounted, formatMoney } from "../../base/format.js";
import { createKnownPrices } from "../../costs/prices.js";
import { createSavings, type Rates } from "../../costs/savings.js";
import type { Host, UsedTokens } from "../../io/host.js";
import { createPrompts } from "../../io/prompts.js";
import { isHandedOver, readLatest } from "../../memory/candidates/candidate.js";
import type { OpenMemories } from "../../memory/store/store.js";
import { describeCall, estimateTokens, planChoice } from "../../models/cost.js";
import type { GenerationRequest, GenerationResult } from "../../models/generation.js";
import { type OptionValues, readWhole, WRONG_ARGUMENT } from "../../operations/command.js";
import { isInAgentsShell, type Project } from "../../operations/project.js";

export type Wanted = NonNullable<Awaited<ReturnType<typeof planJudge>>>;

/**
 * `undefined` if nobody is to judge. `canOffer`: the server that would be asked runs anyway. `isAsked`: otherwise a judge is
 * only offered. Without a `model` ("provider/model") the host chooses, without a `budget` the estimate decides.
 *
 * @throws StrataError if a judge is asked for and cannot be had
 */
export async function planJudge(
  project: Project,
  { budget: given, dryRun, judge: isJudge, yes }: OptionValues,
  { canOffer }: { canOffer: boolean },
) {
  const { cli } = project;
  const { claims, config } = await project.settings();
  const budget = readWhole("--budget", given, { least: 1, most: 1_000_000_000, usual: 0 });
  const isAsked = isJudge === true || budget > 0;
  const isOffered =
    canOffer && cli.ask && dryRun !== true && ["auto", "model"].includes(config.autoMemory.judge);
  if (!isAsked && !isOffered) return undefined;
  const choice = planChoice(config.background, claims.all, claims);
  const refuse = (code: string, why: string): undefined => {
    if (isAsked) throw new StrataError(code, why);
  };
  if (choice.kind === "refused") return refuse("NO_MODEL", `no model can judge: ${choice.why}`);
  const agents =
    "only you can agree to the cost of judging, and this shell is an agent's; run it in a terminal of your own";
  if (await isInAgentsShell(cli)) return refuse("AGENT", agents);
  const nobody =
    "there is no terminal to ask in; add --yes to agree to the cost, and --budget TOKENS to limit it";
  if (yes !== true && dryRun !== true && cli.ask === undefined) return refuse(WRONG_ARGUMENT, nobody);
  const { model } = choice;
  return { isAsked, ...(model !== undefined && { model }), ...(budget > 0 && { budget }) };
}

/** A question costs what it costs: the estimate may be half as much again. */
const ROOM = 1.5;

/** "1,200 tokens with lab/small, $0.07"; without a price if the model has none in money. */
function formatCost(
  { cacheRead, input, output }: UsedTokens,
  { model = "the host's model", rates }: { model: string | undefined; rates: Rates },
): string {
  const tokens = `${formatCount(input + output + cacheRead)} tokens with ${model}`;
  const { answered, cached, dollars } = rates;
  if (dollars === undefined) return tokens;
  return `${tokens}, ${formatMoney(((input + cacheRead * cached + output * answered) * dollars) / 1_000_000)}`;
}

/** Under this name, since it is the cost of no session. */
const LEDGER = "strata-learn";
const DEADLINE_MS = 120_000;

interface SpendingOptions extends Pick<JudgingOptions, "generate" | "stop"> {
  /** "provider/model"; absent: the host's choice. */
  model: string | undefined;
  /** No question is asked that would exceed so many tokens. */
  mostTokens: number;
  rates: Rates;
}

/**
 * Questions within the stated budget, and none after an interrupt. What they cost is in the savings ledger, as what the
 * plugin asks; a failure of that is only logged.
 */
function createSpending({ cli, folders, instance, log }: Project, options: SpendingOptions) {
  const { generate, model, mostTokens, rates, stop } = options;
  const { clock, files } = cli;
  const writes = new PQueue({ concurrency: 1 });
  const savings = createSavings({ clock, files, folder: folders.savings, instance, log, writes });
  const spent: UsedTokens = { input: 0, output: 0, cacheRead: 0 };
  const named = model !== undefined && { model };
  const findObstacle = (tokens = 0): string | undefined => {
    if (stop.aborted) return "it was interrupted";
    const sum = spent.input + spent.output + spent.cacheRead;
    const isUsedUp = sum + tokens > mostTokens;
    return isUsedUp ? `the budget of ${formatCount(mostTokens)} tokens is used up` : undefined;
  };

  return {
    spent,

    async status() {
      const why = findObstacle();
      return { isAllowed: why === undefined, ...(why !== undefined && { why }), ...named };
    },

    async generate(request: GenerationRequest): Promise<GenerationResult> {
      const { maxCharacters = ANSWER_CHARACTERS, prompt, purpose, sessionID } = request;
      const why = findObstacle(estimateTokens({ prompt, maxCharacters: ANSWER_CHARACTERS }));
      if (why !== undefined) return { kind: "refused", why };
      const generated = await generate({
        ...{ parentID: sessionID, title: purpose, prompt, maxAnswerTokens: maxCharacters },
        ...{ signal: stop, deadlineMs: DEADLINE_MS, ...named },
      });
      const input = estimateTokens({ prompt, maxCharacters: 0 });
      const used = generated.tokens ?? { input, output: 0, cacheRead: 0 };
      spent.input += used.input;
      spent.output += used.output;
      spent.cacheRead += used.cacheRead;
      savings.record(describeCall({ ...request, sessionID: LEDGER }, used, rates));
      await writes.onIdle();
      if (generated.kind === "text") return { kind: "text", text: generated.text, tokens: used };
      // Called off by the user: the model has not failed.
      return { kind: stop.aborted ? "refused" : "failed", why: generated.reason };
    },
  };
}

export type Judging = NonNullable<Awaited<ReturnType<typeof openJudging>>>;

export type JudgeState = Awaited<ReturnType<Judging["state"]>>;

export interface JudgingOptions {
  generate: Host["generate"];
  isDry: boolean;
  isYes: boolean;
  open: readonly Pick<SaidTurn, "context" | "messageID" | "statements">[];
  parentID: string;
  sessions: number | undefined;
  shared: Omit<LearnerOptions, "isTheirs"> & { memories: OpenMemories };
  stop: AbortSignal;
  wanted: Wanted;
}

/** `undefined` if there is nothing to judge, or the user does not want it. */
export async function openJudging(project: Project, options: JudgingOptions) {
  const { generate, isDry, isYes, open, parentID, sessions, shared, stop, wanted } = options;
  const { cli, folders, log } = project;
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
    if (wanted.isAsked) cli.warn("There is nothing left to judge.");
    return undefined;
  }
  const known = (await memories.list()).filter(({ isForeign }) => !isForeign);
  const estimate = estimateJudging(messages, {
    memories: known.slice(0, 40),
    task: await prompts.read("memory-judge"),
  });
  const { budget, model } = wanted;
  const learned = createKnownPrices({
    ...{ files: cli.files, log, path: folders.prices, writes: new PQueue() },
    paidFor: (await project.settings()).config.prices,
  });
  await learned.load();
  const rates = learned.rates(model);
  const { input, output } = estimate.tokens;
  const mostTokens = budget ?? Math.ceil(((input + output) * ROOM) / 1_000) * 1_000;
  const text = [
    ...(sessions === undefined ? [] : [`${formatCounted(sessions, "session")}, `]),
    `${formatCounted(messages.length, "message")} that may hold something: ${formatCounted(estimate.questions, "question")}, `,
    `about ${formatCost({ input, output, cacheRead: 0 }, { model, rates })}, `,
    `at most ${formatCount(mostTokens)}; the limits of a day do not count them.`,
  ].join("");
  if (isYes || isDry) cli.warn(text);
  else if ((await cli.ask?.(`${text} Go on?`)) !== true) return undefined;
  if (isDry) return undefined;
  const spending = createSpending(project, { generate, model, mostTokens, rates, stop });
  const judge = createPastJudge({ ...shared, generation: spending, log, parentID, prompts });
  const pending = new Map<string, Learned>();

  return {
    /** These wait now. Returns what was kept, if they filled a question. */
    add(waiting: readonly Learned[]): Promise<readonly Learned[]> {
      for (const one of waiting) pending.set(`${one.session} ${one.message}`, one);
      return judge.add(waiting.length);
    },
    end: judge.end,

    async state() {
      const { answered, why } = judge.state();
      const left = (await candidates.list()).map(readLatest);
      return {
        /** "about 21,300 tokens with lab/small, $0.02" */
        spent: formatCost(spending.spent, { model, rates }),
        answered,
        /** Why it was not asked about the others. */
        ...(why !== undefined && { why }),
        waiting: left.flatMap((one) => pending.get(`${one?.session} ${one?.message}`) ?? []),
      };
    },
  };
}
